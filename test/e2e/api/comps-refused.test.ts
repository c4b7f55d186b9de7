import { beforeAll, expect, test } from 'vitest';
import { newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { insertListings } from '../../support/listings.ts';
import { ring } from '../../support/rings.ts';

const db = await createTestDatabase();
const api = await startTestApi(db, { env: { STATEMENT_TIMEOUT_MS: '20000' } });

let key: string;
let accountId: string;
beforeAll(async () => {
  ({ key, accountId } = await newCaller(db));
  await insertListings(db.pool, [
    {
      id: '00000000-0000-4000-8000-000000000001',
      location: [-721000000, 431800000],
      price: 1,
      lotAcres: 1,
    },
  ]);
});

const SQUARE = ring('0 0, 1 0, 1 1, 0 1, 0 0');
const inCrs = (name: unknown) =>
  `polygon=${encodeURIComponent(
    JSON.stringify({ type: 'Polygon', crs: { type: 'name', properties: { name } }, coordinates: [SQUARE] }),
  )}`;
const polygon = (...ring: number[][]) =>
  `polygon=${encodeURIComponent(JSON.stringify({ type: 'Polygon', coordinates: [ring] }))}`;

test.each([
  ['', 'fips', 'fips, point, zip, and polygon'],
  ['status=SOLD&dist=5', 'fips', 'fips, point, zip, and polygon'],
  ['fips=', 'fips', 'FIPS'],
  ['fips=330199', 'fips', 'FIPS'],
  ['fips=33019&fips=33005', 'fips', 'once'],
  ['zip=3280', 'zip', '5-digit'],
  ['zip=03280&zip=03281', 'zip', 'once'],
  ['point=-72', 'point', 'twice'],
  ['point=-72,43', 'point', 'twice'],
  ['point=-72&point=43&point=1', 'point', 'twice'],
  ['point=west&point=north', 'point', 'numbers'],
  ['point=43&point=-100', 'point', 'latitude'],
  ['point=-181&point=43', 'point', 'longitude'],
  ['point=NaN&point=Infinity', 'point', 'numbers'],
  ['point=-72&point=43&dist=200001', 'dist', '200000'],
  ['point=-72&point=43&dist=-1', 'dist', 'number'],
  ['point=-72&point=43&dist=1.5', 'dist', 'number'],
  ['polygon=', 'polygon', 'JSON'],
  ['polygon=POLYGON((0 0,1 0,1 1,0 0))', 'polygon', 'JSON'],
  ['polygon=null', 'polygon', 'Polygon or MultiPolygon'],
  ['polygon={}', 'polygon', '{"type": "Polygon"'],
  [inCrs('EPSG:3857'), 'polygon', 'crs EPSG:3857'],
  [inCrs('urn:ogc:def:crs:EPSG::4269'), 'polygon', 'crs urn:ogc:def:crs:EPSG::4269'],
  [inCrs('EPSG:14326'), 'polygon', 'crs EPSG:14326'],
  [inCrs('ESRI:4326'), 'polygon', 'crs ESRI:4326'],
  [inCrs(4326), 'polygon', 'crs'],
  ['polygon={"type":"Polygon","crs":7,"coordinates":[]}', 'polygon', 'crs'],
  ['polygon={"type":"Point","coordinates":[1,2]}', 'polygon', 'Point'],
  [polygon([0, 0], [1, 0], [1, 1]), 'polygon', 'closed'],
  [polygon([0, 0], [1, 1], [1, 0], [0, 1], [0, 0]), 'polygon', '0.5 0.5'],
  [polygon([0, 0], [1, 0], [1, 91], [0, 0]), 'polygon', 'latitude 91'],
  ['zip=03280&status=Sold', 'status', 'ACTIVE, PENDING, SOLD'],
  ['zip=03280&status=SOLD&status=OFF_MARKET', 'status', 'ACTIVE, PENDING, SOLD'],
  ['zip=03280&age=-1', 'age', 'number'],
  ['zip=03280&age=100001', 'age', '100000'],
  ['zip=03280&dom_min=x', 'dom_min', 'number'],
  ['zip=03280&dom_min=2&dom_max=1', 'dom_min', 'dom_max'],
  ['zip=03280&acres_max=1e400', 'acres_max', 'number'],
  ['zip=03280&acres_min=5&acres_max=4.9', 'acres_min', 'acres_max'],
  ['zip=03280&min_photos=', 'min_photos', 'number'],
  ['zip=03280&order=age', 'order', 'ppa'],
  ['zip=03280&order=acres&order=dom', 'order', 'ppa'],
  ['zip=03280&page=0', 'page', '1'],
  ['zip=03280&page_size=501', 'page_size', '500'],
  ['zip=03280&cursor=x', 'cursor', 'valid'],
  ['zip=03280&county=Sullivan', 'county', 'query'],
])('%s names %s: %s', async (parameters, field, message) => {
  const reply = await api.call(`/api/public/v1/comps/?${parameters}`, { key });
  expect(reply.status).toBe(400);
  expect(reply.json).toMatchObject({
    error: { code: 'validation_error', details: { [field]: [expect.stringContaining(message)] } },
  });
});

test.each([
  'urn:ogc:def:crs:OGC:1.3:CRS84',
  'urn:ogc:def:crs:OGC::CRS84',
  'OGC:CRS84',
  'http://www.opengis.net/def/crs/OGC/1.3/CRS84',
  'EPSG:4326',
  'urn:ogc:def:crs:EPSG::4326',
  'https://www.opengis.net/def/crs/EPSG/0/4326',
  'WGS84',
])('a polygon in %s is one in WGS84', async name => {
  expect((await api.call(`/api/public/v1/comps/?${inCrs(name)}`, { key })).status).toBe(200);
});

test('what is refused costs nothing', async () => {
  expect(await usageOf(db, accountId)).toEqual({ tokens: 0, calls: 0, daily: 0 });
});
