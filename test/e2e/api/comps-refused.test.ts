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
  ['', 'fips', 'at least one of fips, point, zip and polygon'],
  ['status=SOLD&dist=5', 'fips', 'at least one of'],
  ['fips=', 'fips', 'county FIPS code'],
  ['fips=330199', 'fips', 'county FIPS code'],
  ['fips=33019&fips=33005', 'fips', 'must be given once'],
  ['zip=3280', 'zip', '5-digit'],
  ['zip=03280&zip=03281', 'zip', 'must be given once'],
  ['point=-72', 'point', 'twice'],
  ['point=-72,43', 'point', 'twice'],
  ['point=-72&point=43&point=1', 'point', 'twice'],
  ['point=west&point=north', 'point', 'numbers'],
  ['point=43&point=-100', 'point', 'latitude'],
  ['point=-181&point=43', 'point', 'longitude'],
  ['point=NaN&point=Infinity', 'point', 'numbers'],
  ['point=-72&point=43&dist=200001', 'dist', 'at most 200000'],
  ['point=-72&point=43&dist=-1', 'dist', 'whole number'],
  ['point=-72&point=43&dist=1.5', 'dist', 'whole number'],
  ['polygon=', 'polygon', 'JSON'],
  ['polygon=POLYGON((0 0,1 0,1 1,0 0))', 'polygon', 'JSON'],
  ['polygon=null', 'polygon', 'Polygon or MultiPolygon'],
  ['polygon={}', 'polygon', 'has no type: {"type": "Polygon"'],
  [inCrs('EPSG:3857'), 'polygon', 'has the crs EPSG:3857: give longitude and latitude in WGS84'],
  [inCrs('urn:ogc:def:crs:EPSG::4269'), 'polygon', 'has the crs urn:ogc:def:crs:EPSG::4269'],
  [inCrs('EPSG:14326'), 'polygon', 'has the crs'],
  [inCrs('ESRI:4326'), 'polygon', 'has the crs'],
  [inCrs(4326), 'polygon', 'has a crs that is not named'],
  ['polygon={"type":"Polygon","crs":7,"coordinates":[]}', 'polygon', 'has a crs that is not named'],
  ['polygon={"type":"Point","coordinates":[1,2]}', 'polygon', 'Point'],
  [polygon([0, 0], [1, 0], [1, 1]), 'polygon', 'not closed'],
  [polygon([0, 0], [1, 1], [1, 0], [0, 1], [0, 0]), 'polygon', 'crosses itself at 0.5 0.5'],
  [polygon([0, 0], [1, 0], [1, 91], [0, 0]), 'polygon', 'latitude 91'],
  ['zip=03280&status=Sold', 'status', 'ACTIVE, PENDING, SOLD'],
  ['zip=03280&status=SOLD&status=OFF_MARKET', 'status', 'ACTIVE, PENDING, SOLD'],
  ['zip=03280&age=-1', 'age', 'whole number'],
  ['zip=03280&age=100001', 'age', 'at most'],
  ['zip=03280&dom_min=x', 'dom_min', 'whole number'],
  ['zip=03280&dom_min=2&dom_max=1', 'dom_min', 'must not be over dom_max'],
  ['zip=03280&acres_max=1e400', 'acres_max', 'number'],
  ['zip=03280&acres_min=5&acres_max=4.9', 'acres_min', 'must not be over acres_max'],
  ['zip=03280&min_photos=', 'min_photos', 'whole number'],
  ['zip=03280&order=age', 'order', 'must be one of'],
  ['zip=03280&order=acres&order=dom', 'order', 'must be one of'],
  ['zip=03280&page=0', 'page', '1 or more'],
  ['zip=03280&page_size=501', 'page_size', 'at most 500'],
  ['zip=03280&cursor=x', 'cursor', 'not a cursor'],
  ['zip=03280&county=Sullivan', 'county', 'not a known query field'],
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
