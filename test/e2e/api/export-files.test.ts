import { describe, expect, test } from 'vitest';
import { expireRecords } from '../../../workers/housekeeping/expire-records-job.ts';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { type ExportJson, exportFile, joinParts, look } from '../../support/exports.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const COUNTY = { county: '33019' };

describe('its bytes', () => {
  const read = async (made: ExportJson, Range?: string) => {
    const response = await fetch(made.url!, { headers: Range === undefined ? {} : { Range } });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };

  test('can be read in ranges', async () => {
    const { key } = await newCaller(db);
    const made = await exportFile(db, api, key, {
      filter: COUNTY,
      format: 'csv',
      columns: ['apn', 'owner_name'],
    });
    const { bytes: all, response } = await read(made);
    expect(response.headers.get('accept-ranges')).toBe('bytes');
    for (const [range, from, to] of [
      ['bytes=0-99', 0, 100],
      ['bytes=100-', 100, all.length],
      ['bytes=-7', all.length - 7, all.length],
      ['bytes=50-9999999999', 50, all.length],
    ] as const) {
      const { response: partial, bytes } = await read(made, range);
      expect(partial.status).toBe(206);
      expect(partial.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/${all.length}`);
      expect(bytes.equals(all.subarray(from, to))).toBe(true);
    }
    const { response: beyond, bytes: told } = await read(made, `bytes=${all.length}-`);
    expect(beyond.status).toBe(416);
    expect(beyond.headers.get('content-range')).toBe(`bytes */${all.length}`);
    expect(JSON.parse(told.toString()).error).toMatchObject({ code: 'validation_error' });
    expect((await fetch(`${made.url!.slice(0, -2)}AA`)).status).toBe(404);
  });

  test('form one file across several parts, with the header in the first', async () => {
    const { key } = await newCaller(db);
    const made = await exportFile(db, api, key, { filter: COUNTY, format: 'csv', boundary: true });
    const again = await exportFile(db, api, key, { filter: COUNTY, format: 'csv', boundary: true });
    expect(again.parts.map(part => part.sha256)).toEqual(made.parts.map(part => part.sha256));
    const joined = await joinParts(made);
    expect(joined.equals((await read(made)).bytes)).toBe(true);
    expect(joined.toString().match(/property_id/g)).toHaveLength(1);
    const middle = joined.subarray(made.parts[0]!.bytes - 10, made.parts[0]!.bytes + 10);
    const range = `bytes=${made.parts[0]!.bytes - 10}-${made.parts[0]!.bytes + 9}`;
    expect((await read(made, range)).bytes.equals(middle)).toBe(true);
  });

  test("that can't be read are an error, not a closed connection", async () => {
    const { key } = await newCaller(db);
    const made = await exportFile(db, api, key, { filter: COUNTY, format: 'csv', columns: ['apn'] });
    // Sizes can still be read, and bytes cannot.
    await db.pool.query('alter function pg_catalog.substring(bytea, int, int) rename to substring_of_bytes');
    const { response, bytes } = await read(made);
    await db.pool.query('alter function pg_catalog.substring_of_bytes(bytea, int, int) rename to substring');
    expect(response.status).toBe(500);
    expect(JSON.parse(bytes.toString()).error).toMatchObject({ code: 'internal_error' });
    expect((await read(made)).response.status).toBe(200);
  });

  test('are deleted after 7 days', async () => {
    const { key } = await newCaller(db);
    const made = await exportFile(db, api, key, { filter: { ...COUNTY, acres_min: 500 }, format: 'csv' });
    await db.pool.query("update exports set expires_at = now() - interval '1 s' where id = $1", [made.id]);
    expect((await look(api, key, made.id)).state).toBe('expired');
    expect((await read(made)).response.status).toBe(404);
    await expireRecords(db.pool, db.config);
    const { rows } = await db.pool.query('select from export_parts where export_id = $1', [made.id]);
    expect(rows).toHaveLength(0);
    expect(await look(api, key, made.id)).toMatchObject({ state: 'expired', parts: [], rows: made.rows });
  });
});
