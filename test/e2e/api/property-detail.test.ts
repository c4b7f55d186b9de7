import { beforeAll, expect, test } from 'vitest';
import type { MultiPolygon } from '../../../shared/geo/geometry-types.ts';
import {
  type FieldType,
  type FieldValue,
  PARCEL_FIELD_NAMES,
  PARCEL_FIELDS,
} from '../../../shared/model/parcel-fields.ts';
import { newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { testFolder } from '../../support/folder.ts';
import { ingest, lot, rollFeed, writeFeatures } from '../../support/ingest.ts';
import { insertParcels, retireParcels, square, type TestParcel } from '../../support/parcels.ts';

const db = await createTestDatabase();
const api = await startTestApi(db, { env: { APP_URL: 'https://app.example.org' } });
const { key } = await newCaller(db);
const folder = testFolder();

const SULLIVAN = 33_019e8;
const HOLED: MultiPolygon = [
  [...square(-72.1, 43.2, 0.01)[0]!, [...square(-72.1, 43.2, 0.002)[0]![0]!].reverse()],
  square(-72.05, 43.2, 0.001)[0]!,
];

const SOME: Record<FieldType, FieldValue> = {
  text: 'SOME',
  state: 'NH',
  zip: '03280',
  date: '2020-03-02',
  boolean: true,
  integer: 3,
  year: 1960,
  money: 70_000,
  number: 1.5,
};

/** Every field of a roll, as a rule with a value of its own. */
const ROLL = {
  ...Object.fromEntries(PARCEL_FIELD_NAMES.map(name => [name, SOME[PARCEL_FIELDS[name].type]])),
  apn: '12-A',
  acres: 10.5,
  owner_name: 'SMITH LLC',
  owner_name_2: 'JONES',
  mail_address: '1 ELM ST',
  mail_city: 'BOSTON',
  mail_state: 'MA',
  mail_zip: '02110',
  situs_address: '2 OAK RD',
  situs_city: 'WASHINGTON',
  situs_state: 'NH',
  situs_zip: '03280',
  subdivision: 'POND',
  zoning_code: 'R1',
  land_use_code: '0100',
  school_district: 'SAU 34',
  structure_count: 2,
  building_sqft: 1_200.5,
  year_built: 1950,
  assessed_total_value: 5_000_000_000,
  assessed_land_value: 60_000,
  assessed_improvement_value: 40_000,
  market_total_value: 200_000,
  market_land_value: 120_000,
  market_improvement_value: 80_000,
  tax_delinquent: true,
  tax_delinquent_year: 2020,
  last_sale_date: '2020-02-29',
  last_sale_price: 150_000,
  sale_price_code: 'Q',
  seller_name: 'SELLER',
  document_type_code: 'WD',
  inter_family_transfer: false,
  mortgage_amount: 90_000,
  mortgage_date: '2020-03-01',
  mortgage_financing_type_code: 'CNV',
  mortgage_loan_type_code: 'FIX',
  mortgage_interest_rate: 4.125,
  owner_occupied: false,
  vacant: false,
};
const DERIVED = {
  improvement_percent: 100 / 3,
  out_of_state_owner: true,
  out_of_county_owner: true,
  out_of_zip_owner: true,
  corporate_owner: true,
  hoa_owner: false,
};
const LAND = {
  access: 'private_road',
  landlocked: false,
  waterfront: true,
  waterfront_ft: 100.5,
  wetlands_percent: 12.5,
  flood_zone_percent: 0,
  highway_frontage_ft: 0,
  road_frontage_ft: 250.5,
  local_frontage_ft: 10,
  buildable_acres: 150.25,
  buildable_percent: 69.42,
  buildable_patch_acres: 99.5,
  steeper_percent: [90, 80, 70, 60, 50, 40, 30, 20, 10, 5, 0],
};
/** Of parcel_attributes. */
const GROUND = {
  min_elevation_m: 250.5,
  mean_elevation_m: 260,
  max_elevation_m: 275.25,
  mean_slope_percent: 8.5,
  water_name: 'Mill Pond',
  unbuildable: [
    { reason: 'wetlands', acres: 27.05 },
    { reason: 'steep', acres: 43.3 },
  ],
};

beforeAll(async () => {
  const full = { ...ROLL, ...DERIVED, ...LAND };
  await insertParcels(db.pool, [
    { property_id: SULLIVAN + 1, boundary: HOLED, ...full } as TestParcel,
    { property_id: SULLIVAN + 2 },
    { property_id: SULLIVAN + 3, boundary: square(-72.1, 43.2), ...full } as TestParcel,
  ]);
  await retireParcels(db.pool, [SULLIVAN + 3]);
  await db.pool.query(`update parcels set shape_hash = gen_random_uuid() where boundary is not null`);
  await db.pool.query(
    `insert into parcel_attributes (fips, property_id, shape_hash, min_elevation_m, mean_elevation_m, max_elevation_m, mean_slope_percent, water_name, unbuildable)
     select fips, property_id, shape_hash, 250.5, 260, 275.25, 8.5, 'Mill Pond', $1 from parcels where shape_hash is not null`,
    [JSON.stringify(GROUND.unbuildable)],
  );
});

const ask = (id: number | string, caller = key) =>
  api.call(`/api/public/v1/properties/${id}/`, { key: caller });
type Detail = Record<string, unknown> & { shape: { type: string; coordinates: unknown } | null };

test('has the summary, every field of the roll, derived fields, the land, and the boundary', async () => {
  const { status, json, headers } = await ask(SULLIVAN + 1);
  expect(status).toBe(200);
  const { shape, ownership_months, tax_delinquent_years, ...rest } = json as Detail;
  expect(rest).toEqual({
    property_id: SULLIVAN + 1,
    url: `https://app.example.org/data?parcel=${SULLIVAN + 1}`,
    fips: '33019',
    point: [expect.closeTo(-72.1, 1), expect.closeTo(43.2, 1)],
    calculated_acres: expect.closeTo(220.7, -1),
    effective_acres: 10.5,
    acres_mismatch: true,
    ...ROLL,
    ...DERIVED,
    improvement_percent: 33.33,
    ...LAND,
    ...GROUND,
    assemblage: null,
    assemblage_reason: null,
    overlays: {},
    buildable_missing: [],
    row_version: 0,
    retired_at: null,
  });
  expect(shape).toEqual({ type: 'MultiPolygon', coordinates: rounded(HOLED) });
  const now = new Date();
  expect(tax_delinquent_years).toBe(now.getUTCFullYear() - 2020);
  const months = 12 * (now.getUTCFullYear() - 2020) + now.getUTCMonth() - 1;
  expect(ownership_months).toBe(now.getUTCDate() < 29 ? months - 1 : months);
  expect(headers.get('x-tokens-used')).toBe('10');
});

test('is null where a value is unknown', async () => {
  const { status, json } = await ask(SULLIVAN + 2);
  expect(status).toBe(200);
  const { property_id, url, fips, row_version, access, overlays, buildable_missing, ...rest } =
    json as Detail;
  expect({ property_id, url, fips, row_version, access, overlays, buildable_missing }).toEqual({
    access: 'unknown',
    overlays: {},
    buildable_missing: ['elevation', 'wetlands', 'flood'],
    property_id: SULLIVAN + 2,
    url: `https://app.example.org/data?parcel=${SULLIVAN + 2}`,
    fips: '33019',
    row_version: 0,
  });
  expect(Object.values(rest).every(value => value === null)).toBe(true);
  expect(Object.keys(rest)).toEqual(
    expect.arrayContaining(['shape', 'retired_at', 'mail_address', 'landlocked']),
  );
});

test('names the elevation if slopes are known for only a part of the parcel', async () => {
  const set = (acres: number | null) =>
    db.pool.query('update parcel_filters set buildable_acres = $1 where property_id = $2', [
      acres,
      SULLIVAN + 1,
    ]);
  await set(null);
  expect((await ask(SULLIVAN + 1)).json).toMatchObject({
    buildable_acres: null,
    buildable_missing: ['elevation'],
  });
  await set(LAND.buildable_acres);
});

test('a parcel that left the roll is returned by id, as the roll last had it', async () => {
  const { status, json } = await ask(SULLIVAN + 3);
  expect(status).toBe(200);
  expect(json).toMatchObject({
    ...ROLL,
    corporate_owner: null,
    landlocked: null,
    min_elevation_m: null,
    buildable_acres: null,
    unbuildable: null,
    buildable_missing: null,
    retired_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    shape: { type: 'Polygon', coordinates: rounded(square(-72.1, 43.2))[0] },
  });
});

test('an unknown id is a 404 at no charge', async () => {
  const { key: own, accountId } = await newCaller(db);
  for (const id of [SULLIVAN + 99, 99_999e8 + 1, 1, Number.MAX_SAFE_INTEGER]) {
    const { status, headers } = await ask(id, own);
    expect(status).toBe(404);
    expect(headers.get('x-tokens-used')).toBe('0');
  }
  await ask(SULLIVAN + 1, own);
  expect(await usageOf(db, accountId)).toEqual({ tokens: 10, calls: 1, daily: 10 });
});

test.each(['0', '-1', '1.5', '1e9', 'abc', '9007199254740993', '3301900000001x', '%20', '+1', '１'])(
  '%s is not a property_id',
  async id => {
    const { status, json, headers } = await ask(encodeURI(decodeURI(id)));
    expect([status, headers.get('x-tokens-used')]).toEqual([404, '0']);
    expect(json).toMatchObject({
      error: { code: 'not_found', message: expect.stringContaining('property_id') },
    });
  },
);

test("ingested values are returned: the owner's flags, and the square as drawn", async () => {
  const columns = {
    owner_name: 'OWNER',
    mail_address: 'MAIL',
    mail_state: 'ST',
    mail_zip: 'ZIP',
    assessed_total_value: 'TOTAL',
    assessed_improvement_value: 'IMPR',
  };
  const feed = rollFeed(folder, 'detail', columns, { fips: '33005' });
  const row = { PIN: 'A', OWNER: 'LAND CO', MAIL: '5 ELM', ST: 'VT', ZIP: '05001', TOTAL: 300, IMPR: 100 };
  writeFeatures(`${folder}/detail.ndgeojson`, [{ properties: row, geometry: lot(1) }]);
  expect(await ingest(db.pool, feed, { force: true })).toMatchObject({ status: 'merged' });
  const { json } = await ask(33_005e8 + 1);
  expect(json).toMatchObject({
    owner_name: 'LAND CO',
    corporate_owner: true,
    hoa_owner: false,
    out_of_state_owner: true,
    improvement_percent: 33.33,
    shape: lot(1),
  });
  const found = await api.call('/api/public/v1/properties/search/?fips=33005&owner_name=land', { key });
  expect(found.json).toMatchObject({ count: 1, results: [{ property_id: 33_005e8 + 1 }] });

  writeFeatures(`${folder}/detail.ndgeojson`, [
    { properties: { ...row, OWNER: 'NEW OWNER' }, geometry: lot(1) },
  ]);
  expect(await ingest(db.pool, feed, { force: true })).toMatchObject({
    status: 'merged',
    counts: { changed: 1 },
  });
  const search = async (name: string) =>
    (await api.call(`/api/public/v1/properties/search/?fips=33005&owner_name=${name}`, { key })).json;
  expect(await search('land')).toMatchObject({ count: 0 });
  expect(await search('new')).toMatchObject({ count: 1 });
});

/** On the grid of 1e-7 degree. */
function rounded(polygons: MultiPolygon): MultiPolygon {
  return polygons.map(polygon =>
    polygon.map(ring => ring.map(([lon, lat]) => [Math.round(lon * 1e7) / 1e7, Math.round(lat * 1e7) / 1e7])),
  );
}
