import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import readSheet from 'read-excel-file/node';
import { describe, expect, test } from 'vitest';
import { decodeBoundary } from '../../../shared/geo/geometry-codec.ts';
import { uuidV5 } from '../../../shared/model/uuid.ts';
import { expireRecords } from '../../../workers/housekeeping/expire-records-job.ts';
import { newCaller, posting, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import {
  EXPORTS,
  type ExportJson,
  exportFile,
  joinParts,
  look,
  makeExports,
  newCompany,
  order,
  periodOf,
} from '../../support/exports.ts';
import { HAS_OPENPYXL, readWithOpenpyxl } from '../../support/openpyxl.ts';

const ajv = new Ajv({ strict: false });
// Files of ours have no CRS, which means longitude and latitude.
ajv.addSchema({}, 'https://proj.org/schemas/v0.7/projjson.schema.json');
/** https://github.com/opengeospatial/geoparquet/blob/v1.1.0/format-specs/schema.json */
const conformsToGeoParquet = ajv.compile(
  JSON.parse(readFileSync('test/fixtures/geoparquet/schema-1.1.0.json', 'utf8')),
);

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const COUNTY = { county: '33019' };
const COLUMNS = ['property_id', 'apn', 'acres', 'owner_name', 'vacant', 'last_sale_date', 'landlocked'];

const { rows: parcels } = await db.pool.query<{
  property_id: number;
  acres: number;
  boundary: Buffer | null;
}>('select property_id, acres, boundary from parcels where retired_at is null order by property_id');
const IDS = parcels.map(row => row.property_id);

/** The lines of a CSV whose cells are not quoted. */
const linesOf = (bytes: Buffer) => bytes.toString().split('\r\n');

const detailOf = async (key: string, id: number) =>
  (await api.call(`/api/public/v1/properties/${id}/`, { key })).json as Record<string, unknown>;

describe('contents', () => {
  test('CSV: byte order mark, one header, the requested columns, all parcels in order', async () => {
    const { key } = await newCompany(db);
    const made = await exportFile(db, api, key, {
      filter: COUNTY,
      format: 'csv',
      columns: ['property_id', 'apn'],
    });
    expect(made).toMatchObject({ state: 'ready', rows: IDS.length, free_rows: 0, tokens: IDS.length });
    const bytes = await joinParts(made);
    const lines = linesOf(bytes);
    expect(lines[0]).toBe('\ufeffproperty_id,apn,sources');
    expect(lines.slice(1, -1).map(line => Number(line.split(',')[0]))).toEqual(IDS);
    expect(lines[1]).toContain('Washington');
    expect(Buffer.from(await (await fetch(made.url!)).arrayBuffer()).equals(bytes)).toBe(true);
    expect(made.parts.map(part => part.sha256)).toEqual([hash('sha256', bytes, 'hex')]);
  });

  test('every column equals what the API shows of the parcel', async () => {
    const { key } = await newCompany(db);
    const made = await exportFile(db, api, key, { filter: COUNTY, format: 'geojsonl' });
    const features = (await joinParts(made))
      .toString()
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(features).toHaveLength(IDS.length);
    for (const feature of [features[0], features[99], features.at(-1)]) {
      const detail = await detailOf(key, feature.id);
      const { longitude, latitude, sources, ...others } = feature.properties;
      const { assemblage_id: id, assemblage_parcels, assemblage_acres, ...rest } = others;
      const { touching_parcels, touching_acres, ...properties } = rest;
      const size = { parcels: assemblage_parcels, acres: assemblage_acres };
      expect(detail).toMatchObject(properties);
      expect(detail.assemblage).toEqual(
        id === null ? null : { id, ...size, touching_parcels, touching_acres },
      );
      expect([longitude, latitude]).toEqual(detail.point ?? [null, null]);
      expect(feature.geometry).toEqual(detail.shape);
      expect(sources).not.toBe('');
    }
    expect(Object.keys(features[0].properties).join(' ')).not.toMatch(/phone|tel/);
  });

  test('GeoParquet: rows, boundaries, and bounding boxes, in row groups of nearby parcels', async () => {
    const { key } = await newCompany(db);
    const made = await exportFile(db, api, key, { filter: COUNTY, format: 'geoparquet', columns: COLUMNS });
    const bytes = await joinParts(made);
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    const metadata = await parquetMetadataAsync(file);
    const geo = JSON.parse(metadata.key_value_metadata!.find(({ key }) => key === 'geo')!.value!);
    expect(conformsToGeoParquet(geo), ajv.errorsText(conformsToGeoParquet.errors)).toBe(true);
    expect(geo).toMatchObject({
      version: '1.1.0',
      primary_column: 'geometry',
      columns: { geometry: { encoding: 'WKB' } },
    });
    const rows = await parquetReadObjects({ file });
    expect(rows.map(row => Number(row.property_id)).sort((a, b) => a - b)).toEqual(IDS);
    const acres = parcels.reduce((sum, row) => sum + (row.acres ?? 0), 0);
    expect(rows.reduce((sum, row) => sum + (row.acres ?? 0), 0)).toBeCloseTo(acres, 3);
    for (const row of rows.slice(0, 50)) {
      const parcel = parcels.find(({ property_id }) => property_id === Number(row.property_id))!;
      const points =
        parcel.boundary === null ? [] : decodeBoundary(parcel.boundary).flatMap(([outer]) => outer!);
      if (points.length === 0) continue;
      expect(row.bbox.xmin).toBe(Math.min(...points.map(([x]) => x)));
      expect(row.bbox.ymax).toBe(Math.max(...points.map(([, y]) => y)));
      expect(row.geometry).toMatchObject({ type: expect.stringMatching(/Polygon/) });
    }
  });

  test('XLSX: numbers, dates, and text', async () => {
    const { key } = await newCompany(db);
    const made = await exportFile(db, api, key, { filter: COUNTY, format: 'xlsx', columns: COLUMNS });
    const [sheet] = (await readSheet(await joinParts(made))) as unknown as { data: unknown[][] }[];
    const [head, first, ...others] = sheet!.data;
    expect(head).toEqual([...COLUMNS, 'sources']);
    expect(others).toHaveLength(IDS.length - 1);
    expect(first![0]).toBe(IDS[0]);
    const detail = await detailOf(key, IDS[0]!);
    expect(first!.slice(1, 5)).toEqual([detail.apn, detail.acres, detail.owner_name, detail.vacant]);
  });

  test.skipIf(!HAS_OPENPYXL)('XLSX: openpyxl reads the same cells, whatever is exported', async () => {
    const { key } = await newCompany(db);
    for (const what of [
      { filter: COUNTY, columns: COLUMNS },
      { comps: { fips: '33019' } },
      { markets: [uuidV5('county:33019')] },
    ]) {
      const { rows, ...made } = await exportFile(db, api, key, { ...what, format: 'xlsx' });
      const workbook = await joinParts(made as ExportJson);
      const [sheet] = (await readSheet(workbook)) as unknown as { data: unknown[][] }[];
      const cells = readWithOpenpyxl(workbook);
      expect(cells).toHaveLength(rows! + 1);
      const plain = (data: unknown[][]) =>
        data.map(row => row.map(cell => (cell instanceof Date ? cell.toISOString().slice(0, 10) : cell)));
      const days = (data: unknown[][]) =>
        data.map(row =>
          row.map(cell =>
            typeof cell === 'string' && /^\d{4}-\d\d-\d\d 00:00:00$/.test(cell) ? cell.slice(0, 10) : cell,
          ),
        );
      expect(days(cells)).toEqual(plain(sheet!.data));
    }
  });

  test('KML: one placemark per parcel, at most 10,000', async () => {
    const { key } = await newCompany(db);
    const few = { ...COUNTY, acres_min: 100 };
    const made = await exportFile(db, api, key, {
      filter: few,
      format: 'kml',
      columns: ['apn', 'owner_name'],
    });
    const text = (await joinParts(made)).toString();
    expect(text.match(/<Placemark /g)).toHaveLength(made.rows!);
    expect(text).toContain('<Polygon><outerBoundaryIs>');
    expect(text.endsWith('</Document></kml>\n')).toBe(true);
  });

  test('no cell is a formula to a spreadsheet', async () => {
    const { key } = await newCompany(db);
    const id = IDS[7]!;
    const { rows } = await db.pool.query('select owner_name from parcels where property_id = $1', [id]);
    const rename = (name: unknown) =>
      db.pool.query('update parcels set owner_name = $2 where property_id = $1', [id, name]);
    await rename('=HYPERLINK("http://evil.example","A, B\tC\\D\n")');
    const made = await exportFile(db, api, key, {
      filter: { property_id: id, county: '33019' },
      format: 'csv',
      columns: ['owner_name'],
    });
    await rename(rows[0].owner_name);
    expect((await joinParts(made)).toString()).toContain(
      '\r\n"\'=HYPERLINK(""http://evil.example"",""A, B\tC\\D\n"")",',
    );
  });
});

describe('price', () => {
  test('nothing the second time, even for a colleague, but full price for another company', async () => {
    const ours = await newCompany(db);
    const first = await exportFile(db, api, ours.key, { filter: COUNTY, format: 'csv' });
    const { used, held } = await periodOf(db.pool, ours.accountId);
    expect([used, held]).toEqual([IDS.length, 0]);
    const again = await exportFile(db, api, ours.colleague, { filter: COUNTY, format: 'csv' });
    expect(again).toMatchObject({ rows: first.rows, free_rows: first.rows, tokens: 0 });
    const theirs = await newCompany(db);
    expect(
      await exportFile(db, api, theirs.key, { filter: { ...COUNTY, acres_min: 100 }, format: 'csv' }),
    ).toMatchObject({ free_rows: 0 });
    expect((await api.call(`${EXPORTS}${first.id}/`, { key: ours.colleague })).status).toBe(200);
    expect((await api.call(`${EXPORTS}${first.id}/`, { key: theirs.key })).status).toBe(404);
    const deletion = { key: theirs.key, method: 'DELETE' };
    expect((await api.call(`${EXPORTS}${first.id}/`, deletion)).status).toBe(404);
  });

  test('one token for a parcel that has changed since', async () => {
    const { key } = await newCompany(db);
    const body = { filter: COUNTY, format: 'csv', columns: ['apn'] };
    await exportFile(db, api, key, body);
    await db.pool.query('update parcels set changed_run = changed_run + 1 where property_id = $1', [IDS[3]]);
    expect(await exportFile(db, api, key, body)).toMatchObject({ tokens: 1, free_rows: IDS.length - 1 });
  });

  test('tokens are reserved from the start: two exports share one quota, and so do other calls', async () => {
    const few = await newCaller(db, {
      company: 'little quota',
      tokensIncluded: IDS.length + 20,
      overageAllowed: false,
    });
    const first = await order(api, few.key, { filter: COUNTY, format: 'csv', columns: ['apn'] });
    expect(await periodOf(db.pool, few.accountId)).toEqual({ used: 0, held: IDS.length });
    const second = await api.call(
      EXPORTS,
      posting(few.key, JSON.stringify({ filter: COUNTY, format: 'csv' })),
    );
    expect([second.status, (second.json as { error: { code: string } }).error.code]).toEqual([
      402,
      'usage_limit_exceeded',
    ]);
    const filter = await api.call(
      '/api/public/v1/properties/filter/',
      posting(few.key, JSON.stringify(COUNTY)),
    );
    expect(filter.status).toBe(402);
    await makeExports(db);
    expect(await look(api, few.key, first.id)).toMatchObject({ state: 'ready', tokens: IDS.length });
    expect(await periodOf(db.pool, few.accountId)).toEqual({ used: IDS.length, held: 0 });
  });

  test('no more than the maximum: the export fails and costs nothing', async () => {
    const { key, accountId } = await newCompany(db);
    const made = await order(api, key, { filter: COUNTY, format: 'csv', most_tokens: 30 });
    expect(made).toMatchObject({ state: 'failed', tokens: null, error: { code: 'validation_error' } });
    expect(made.error!.details!.most_tokens![0]).toMatch(/\b30 tokens/);
    // Neither that nor its quote tells how many few are.
    for (const query of ['', '?quote=true']) {
      const body = { filter: { ...COUNTY, acres_min: 500 }, format: 'csv', most_tokens: 24 };
      const { json, status } = await api.call(EXPORTS + query, posting(key, JSON.stringify(body)));
      expect([status, json]).toMatchObject([
        400,
        { error: { details: { most_tokens: [expect.stringMatching(/\b25\b/)] } } },
      ]);
    }
    expect(await periodOf(db.pool, accountId)).toEqual({ used: 0, held: 0 });
  });

  test('neither refusals nor reserved tokens reveal the number of a few parcels', async () => {
    const none = { ...COUNTY, acres_min: 900_000 };
    const few = { ...COUNTY, acres_min: 500 };
    const send = (key: string, filter: object) =>
      api.call(EXPORTS, posting(key, JSON.stringify({ filter, format: 'csv' })));
    const poor = await newCaller(db, { company: 'poor', tokensIncluded: 24, overageAllowed: false });
    const refusals = [await send(poor.key, none), await send(poor.key, few), await send(poor.key, COUNTY)];
    expect(refusals.map(({ status }) => status)).toEqual([402, 402, 402]);
    const messages = refusals.map(({ json }) => (json as { error: { message: string } }).error.message);
    expect(messages[0]).toMatch(/\b25 tokens\b.*\b24\b/);
    expect(new Set(messages).size).toBe(1);
    const { key, accountId } = await newCaller(db, { company: 'less poor', tokensIncluded: 50 });
    for (const filter of [none, few]) expect((await send(key, filter)).status).toBe(202);
    expect(await periodOf(db.pool, accountId)).toEqual({ used: 0, held: 50 });
    await makeExports(db);
    const { used, held } = await periodOf(db.pool, accountId);
    expect([used > 0 && used < 25, held]).toEqual([true, 0]);
  });

  test('once, even if the API dies after the order and it is sent again', async () => {
    const { key, accountId } = await newCompany(db);
    const send = (acres_min: number) => {
      const given = posting(key, JSON.stringify({ filter: { ...COUNTY, acres_min }, format: 'csv' }));
      return api.call(EXPORTS, { ...given, headers: { ...given.headers, 'Idempotency-Key': 'an-order' } });
    };
    const first = (await send(100)).json as ExportJson;
    // As it is left by an API that was killed before it kept the answer.
    await db.pool.query(
      'update idempotent_calls set status = null, body = null, claimed_until = now() where account_id = $1',
      [accountId],
    );
    const { held } = await periodOf(db.pool, accountId);
    const second = await send(100);
    expect([second.status, (second.json as ExportJson).id]).toEqual([202, first.id]);
    expect((await periodOf(db.pool, accountId)).held).toBe(held);
    const third = await send(100);
    expect([(third.json as ExportJson).id, third.headers.get('idempotency-replayed')]).toEqual([
      first.id,
      'true',
    ]);
    expect((await send(200)).status).toBe(400);
    await makeExports(db);
    expect((await periodOf(db.pool, accountId)).used).toBe(held);
  });

  test('reserved tokens move to the next period, where they are billed', async () => {
    const { key, accountId } = await newCompany(db);
    const { id } = await order(api, key, { filter: { ...COUNTY, acres_min: 100 }, format: 'csv' });
    const { held } = await periodOf(db.pool, accountId);
    await db.pool.query(
      `update accounts set period_anchor = now() - interval '40 days', period_start = now() - interval '40 days',
         period_end = now() - interval '9 days' where id = $1`,
      [accountId],
    );
    await db.pool.query(
      'update usage_periods set period_start = (select period_start from accounts where id = $1) where account_id = $1',
      [accountId],
    );
    await expireRecords(db.pool, db.config);
    expect(await periodOf(db.pool, accountId)).toEqual({ used: 0, held });
    await makeExports(db);
    expect((await look(api, key, id)).tokens).toBe(held);
    expect(await periodOf(db.pool, accountId)).toEqual({ used: held, held: 0 });
  });
});

test('a quote equals the charge; for few parcels it shows no number', async () => {
  const { key } = await newCompany(db);
  const quoted = async (filter: object) =>
    (await api.call(`${EXPORTS}?quote=true`, posting(key, JSON.stringify({ filter, format: 'csv' })))).json;
  expect(await quoted(COUNTY)).toEqual({ tokens: IDS.length, at_most: IDS.length });
  expect(await quoted({ ...COUNTY, acres_min: 500 })).toEqual({ tokens: null, at_most: 25 });
  expect(await quoted({ ...COUNTY, property_id: IDS[0] })).toEqual({ tokens: null, at_most: 1_000_000 });
  const { tokens } = await exportFile(db, api, key, { filter: { ...COUNTY, acres_min: 20 }, format: 'csv' });
  expect(await quoted(COUNTY)).toEqual({ tokens: IDS.length - tokens!, at_most: IDS.length - tokens! });
  expect(await quoted({ ...COUNTY, acres_min: 20 })).toEqual({ tokens: 0, at_most: 0 });
});
