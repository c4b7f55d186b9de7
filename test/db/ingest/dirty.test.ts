import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lots, withLayer } from '../../support/arcgis.ts';
import { createTestDatabase } from '../../support/database.ts';
import { all, feedOf, ingest, lotRings, newName } from '../../support/ingest.ts';

/** Runs of files that are not as they should be: what is counted, and what is kept. */

const { folder, pool } = await createTestDatabase();

async function run(content: string, format: string, columns: Record<string, unknown>, more: object = {}) {
  const name = newName();
  writeFileSync(join(folder, `${name}.${format}`), content);
  const roll = { source: `${name}.${format}`, format, key: 'PIN', columns, ...more };
  const feed = feedOf(folder, { name, kind: 'assessor', fips: '33019', roll });
  const result = await ingest(pool, feed);
  const parcels = await all<Record<string, unknown>>(
    pool,
    'select source_key, owner_name, boundary is not null as shape from parcels p join feeds f on f.id = p.feed_id where f.name = $1 order by 1',
    [name],
  );
  return { result, parcels };
}

const shape = (n: number) => JSON.stringify({ type: 'Polygon', coordinates: lotRings(n) });
const feature = (pin: string, geometry: string) =>
  `{"type":"Feature","properties":{"PIN":${pin},"OWNER":"Owner ${pin}"},"geometry":${geometry}}`;

test('neighbors with 18-digit numbers are two parcels, and an unreadable shape costs the parcel only its shape', async () => {
  const keys = ['490711113003000101', '490711113003000102'];
  const rows = keys.map((key, i) => feature(key, shape(i)));
  const odd = ['{"rings":[]}', '{"type":"Polygon","coordinates":[[[NaN,43.2],[-72.1,43.2],[-72.1,43.3]]]}'];
  rows.push(...odd.map((geometry, i) => feature(String(i + 1), geometry)));
  const { result, parcels } = await run(rows.join('\n'), 'ndgeojson', { owner_name: 'OWNER' });
  expect(result).toMatchObject({
    status: 'merged',
    counts: { read: { roll: 4 }, rejected: {}, dropped: { geometry: 2 }, new: 4, without_geometry: 2 },
  });
  expect(parcels.map(row => [row.source_key, row.shape])).toEqual([
    ['1', false],
    ['2', false],
    ...keys.map(key => [key, true]),
  ]);
  const rejects = await all(
    pool,
    'select row_no, field, reason from run_rejects where run_id = $1 order by 1',
    [result.runId],
  );
  expect(rejects).toEqual([
    { row_no: 3, field: 'geometry', reason: 'geometry_unreadable' },
    { row_no: 4, field: 'geometry', reason: 'geometry_not_finite' },
  ]);
});

test('short rows and totals are counted, and no total is a parcel', async () => {
  const rows = Array.from({ length: 20 }, (_, i) => `12-${i},Owner ${i},${i + 1}`);
  const text = `PIN,OWNER,ACRES\n${rows.join('\n')}\n12-20,Owner 20\nTotal,21 parcels,230\n`;
  const { result, parcels } = await run(text, 'csv', { owner_name: 'OWNER', acres: 'ACRES' });
  expect(result).toMatchObject({
    status: 'merged',
    counts: { read: { roll: 22 }, skipped: 1, rejected: {}, dropped: { row: 1 }, new: 21 },
  });
  expect(parcels.map(row => row.source_key)).not.toContain('TOTAL');
});

test('a run without a usable row says why, by its first row', async () => {
  const text = feature('1', shape(0)).replace('"Owner 1"', '1e-14.0');
  const { result } = await run(`${text}\n`, 'ndgeojson', { owner_name: 'OWNER' });
  expect(result.blocked.find(({ gate }) => gate === 'empty')?.message).toMatch(/roll row 1: not valid JSON/);
});

test('a server that counts more than it lists: the run has both numbers', async () => {
  const fault = (query: URLSearchParams) =>
    query.has('returnCountOnly') ? { body: { count: 2500 } } : undefined;
  await withLayer({ features: lots(25), fault }, async server => {
    const { result } = await run('', 'arcgis', { owner_name: 'OWNER' }, { source: server.source });
    expect(result).toMatchObject({
      status: 'merged',
      counts: { read: { roll: 25 }, announced: { roll: 2500 } },
    });
  });
});
