import { beforeAll, describe, expect, test } from 'vitest';
import { newCaller, posting, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { ELSEWHERE, FULL, OPPOSITE, UNKNOWN } from '../../support/filter-parcels.ts';
import { insertAssemblages, insertParcels } from '../../support/parcels.ts';

const PATH = '/api/public/v1/properties/filter/';
const db = await createTestDatabase();
const api = await startTestApi(db, { env: { APP_URL: 'https://app.example.org' } });
const { key } = await newCaller(db);

beforeAll(async () => {
  await insertParcels(db.pool, [FULL, OPPOSITE, UNKNOWN, ELSEWHERE]);
  await insertAssemblages(db.pool, [
    { property_id: FULL.property_id, parcels: 3, acres: 42.5 },
    { property_id: ELSEWHERE.property_id, assemblage_id: FULL.property_id, parcels: 3, acres: 42.5 },
  ]);
  // Its owner has too many parcels.
  await db.pool.query('insert into assemblages (fips, property_id) values (33019, $1)', [
    OPPOSITE.property_id,
  ]);
});

async function post(body: unknown, query = '') {
  const reply = await api.call(
    PATH + query,
    posting(key, typeof body === 'string' ? body : JSON.stringify(body)),
  );
  const json = reply.json as {
    count: number;
    next: string | null;
    previous: string | null;
    results: (Record<string, unknown> & { property_id: number })[];
    error: { code: string; details?: Record<string, string[]> };
  };
  return { ...reply, json };
}

/** Which of the four parcels a body finds: F, O, U and E. */
async function found(body: object): Promise<string> {
  const { status, json, text } = await post(body);
  if (status !== 200) throw new Error(text);
  const names = new Map([FULL, OPPOSITE, UNKNOWN, ELSEWHERE].map((p, i) => [p.property_id, 'FOUE'[i]!]));
  return json.results
    .map(row => names.get(row.property_id))
    .sort()
    .join('');
}

test('a match is a parcel summary on a page of results, for 30 tokens', async () => {
  const caller = await newCaller(db);
  const reply = await api.call(PATH, posting(caller.key, '{"county": "33019", "acres_max": 10}'));
  expect(reply.status).toBe(200);
  expect(reply.json).toEqual({
    count: 1,
    next: null,
    previous: null,
    results: [
      {
        property_id: 3301900000001,
        url: 'https://app.example.org/data?parcel=3301900000001',
        apn: '12-A.3 4',
        fips: '33019',
        point: [-72.1, 43.2],
        acres: 10,
        calculated_acres: 2.23,
        effective_acres: 10,
        owner_name: "O'Neil Family Trust",
        situs_address: '1 Main St',
        situs_city: 'Washington',
        situs_state: 'NH',
        situs_zip: '03280',
        assemblage: { id: 3301900000001, parcels: 3, acres: 42.5, touching_parcels: 3, touching_acres: 42.5 },
        assemblage_reason: null,
        row_version: 0,
      },
    ],
  });
  expect(reply.headers.get('x-tokens-used')).toBe('30');
  expect(await usageOf(db, caller.accountId)).toEqual({ tokens: 30, calls: 1, daily: 30 });
});

test('unknown values of a parcel are null', async () => {
  const { json } = await post({ property_id: UNKNOWN.property_id, county: '33019' });
  expect(json.results).toEqual([
    {
      property_id: UNKNOWN.property_id,
      url: 'https://app.example.org/data?parcel=3301900000003',
      fips: '33019',
      assemblage: null,
      assemblage_reason: null,
      row_version: 0,
      ...Object.fromEntries(
        [
          'apn',
          'point',
          'acres',
          'calculated_acres',
          'effective_acres',
          'owner_name',
          'situs_address',
          'situs_city',
          'situs_state',
          'situs_zip',
        ].map(name => [name, null]),
      ),
    },
  ]);
});

test('a search without a match costs nothing', async () => {
  const reply = await post({ county: '33019', acres_min: 1_000 });
  expect(reply.json).toEqual({ count: 0, next: null, previous: null, results: [] });
  expect(reply.headers.get('x-tokens-used')).toBe('0');
});

test('a page past the end is an empty list with the count, and priced accordingly', async () => {
  const { status, headers, json } = await post({ county: '33019' }, '?page=7');
  expect([status, headers.get('x-tokens-used')]).toEqual([200, '30']);
  expect(json).toMatchObject({ count: 3, next: null, results: [] });
  const none = await post({ county: '33019', acres_min: 1_000 }, '?page=7');
  expect([none.headers.get('x-tokens-used'), none.json]).toMatchObject(['0', { count: 0, results: [] }]);
});

const SCOPE = { counties: ['33019', '23009'] };

test("URLs start with BASE_URL if it is set, and links to parcels with this origin if APP_URL isn't", async () => {
  const based = await startTestApi(db, { env: { BASE_URL: 'https://data.example.org' } });
  const reply = await based.call(`${PATH}?page_size=1`, posting(key, JSON.stringify(SCOPE)));
  const page = reply.json as { next: string; results: { url: string; property_id: number }[] };
  expect(page.next).toMatch(
    /^https:\/\/data\.example\.org\/api\/public\/v1\/properties\/filter\/\?page_size=1&page=2&cursor=/,
  );
  expect(page.results[0]!.url).toBe(`https://data.example.org/data?parcel=${page.results[0]!.property_id}`);
});

test("another process accepts the cursor; an installation with another secret doesn't", async () => {
  const next = new URL((await post(SCOPE, '?page_size=1')).json.next!).search;
  const send = async (env: Record<string, string>) => {
    const other = await startTestApi(db, { env });
    const reply = await other.call(PATH + next, posting(key, JSON.stringify(SCOPE)));
    return [reply.status, Object.keys((reply.json as { error?: { details: object } }).error?.details ?? {})];
  };
  expect(await send({})).toEqual([200, []]);
  expect(await send({ CURSOR_SECRET: 'x'.repeat(32) })).toEqual([400, ['cursor']]);
});

test('GET filters/ is free and lists every field of the body with its type, unit, and values', async () => {
  const reply = await api.call('/api/public/v1/filters/', { key });
  expect(reply.status).toBe(200);
  expect(reply.headers.get('x-tokens-used')).toBe('0');
  const { filters } = reply.json as { filters: Record<string, unknown>[] };
  const document = (await (await fetch(`${api.url}/openapi.json`)).json()) as {
    components: { schemas: { ParcelFilter: { properties: object } } };
  };
  expect(filters.map(filter => filter.name)).toEqual(
    Object.keys(document.components.schemas.ParcelFilter.properties),
  );
  expect(filters.filter(filter => filter.scope).map(filter => filter.name)).toEqual([
    'county',
    'counties',
    'zips_include',
    'geom_intersects',
    'owner_parcel_id',
    'list_id',
  ]);
  const by = (name: string) => filters.find(filter => filter.name === name);
  expect(by('order')!.values).toContain('value_per_acre');
  expect(by('acres_min')).toMatchObject({ type: 'number', unit: 'acres', values: null, scope: false });
  expect(by('road_frontage_max')).toMatchObject({ unit: 'feet' });
  expect(by('owner_occupied')).toMatchObject({ type: 'string', values: ['Y', 'N'] });
  expect(by('count_road_frontage')).toMatchObject({ type: 'boolean', default: true });
  expect(by('slope_area_index')).toMatchObject({ values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] });
});

/**
 * What filters with more than a comparison to them find, in the county 33019 unless they name another scope;
 * properties have the rest.
 */
describe('filter', () => {
  test.each<[string, object]>([
    ['FOU', { county: '33019' }],
    ['FOU', { county: 33019 }],
    ['E', { county: '23009' }],
    ['EFOU', { counties: ['33019', 23009] }],
    ['', { county: '33019', counties: ['23009'] }],
    ['EF', { zips_include: ['03280'] }],
    ['EFO', { zips_include: [3280, '03456'] }],
    ['EF', { owner_parcel_id: FULL.property_id }],
    ['EF', { owner_parcel_id: ELSEWHERE.property_id }],
    ['F', { owner_parcel_id: FULL.property_id, county: '33019' }],
    ['F', { geom_intersects: 'POINT (-72.1 43.2)' }],
    ['F', { geom_intersects: 'POLYGON ((-72.15 43.1, -72 43.1, -72 43.25, -72.15 43.25, -72.15 43.1))' }],
    ['FO', { geom_intersects: 'LINESTRING (-72.1 43.2, -72.2 43.3)' }],
    ['', { geom_intersects: 'POINT EMPTY' }],
    ['', { geom_intersects: 'POINT (-100 30)', zips_include: ['03280'] }],
    ['', { geom_intersects: 'POINT (-72.1 43.2)', county: '23009' }],
    ['F', { geom_intersects: 'POINT (-72.1 43.2)', assemblage_parcels_min: 2 }],
    ['EF', { counties: ['33019', '23009'], assemblage_parcels_min: 2 }],
    ['F', { zips_include: ['03280'], state: 'NH' }],
  ])('finds %s by the scope %j', async (expected, body) => {
    expect(await found(body)).toBe(expected);
  });

  test.each<[string, object]>([
    ['FOU', { state: 'nh' }],
    ['', { state: 'ME' }],
    ['OU', { zips_exclude: ['03280'] }],
    ['F', { property_id: FULL.property_id }],
    ['', { property_id: ELSEWHERE.property_id }],
    ['F', { apn: ' 12a34 ' }],
    ['F', { zoning_codes: ['r1'] }],
    ['FO', { zoning_codes: ['R1', 'C2'] }],
    ['F', { acres_min: 10, acres_max: 10 }],
    ['O', { acres_min: 10.01 }],
    ['F', { building_sqft_max: 1_200.5 }],
    ['O', { building_sqft_min: 1_200.51 }],
    ['F', { tax_delinquent_years_min: new Date().getUTCFullYear() - 2020 }],
    ['', { tax_delinquent_years_min: new Date().getUTCFullYear() - 2019 }],
    ['F', { tax_delinquent_years_min: 0 }],
    ['F', { last_sale_date_min: '20200229', last_sale_date_max: 20200229 }],
    ['O', { last_sale_date_min: '20200301' }],
    ['F', { seller_name_contains: ['100%'] }],
    ['F', { seller_name_contains: ['zzz', 'm_llc'] }],
    ['', { seller_name_contains: ['d_1'] }],
    ['F', { seller_name_contains: ['%'] }],
    ['FO', { seller_name_contains: ['o'] }],
    ['F', { mortgage_loan_type_codes: [2] }],
    ['OU', { exclude_corp_owner: true }],
    ['FOU', { exclude_corp_owner: false }],
    ['F', { owner_occupied: 'Y' }],
    ['O', { owner_occupied: 'N' }],
    ['OU', { owner_name_excludes: ['trust'] }],
    ['FOU', { owner_name_excludes: ['rust', 'truste'] }],
    ['F', { owner_name_includes: ['ONEIL'] }],
    ['FO', { owner_name_includes: ['Trust', 'smith & sons'] }],
    ['', { owner_name_includes: ['fam'] }],
    ['F', { owner_name: "o'neil family trust" }],
    ['', { owner_name: "o'neil family" }],
    ['OU', { exclude_steep: true }],
    ['FOU', { exclude_steep: false }],
    ['F', { wetlands_percent_max: 12.3 }],
    ['', { wetlands_percent_max: 12.29 }],
    ['F', { road_frontage_max: 30.3 }],
    ['F', { road_frontage_min: 30.3, road_frontage_max: 30.3 }],
    ['O', { road_frontage_min: 30.31 }],
    ['F', { road_frontage_min: 20.2, road_frontage_max: 20.2, count_highway_frontage: false }],
    ['F', { road_frontage_min: 10.1, road_frontage_max: 10.1, count_road_frontage: false }],
    [
      'O',
      {
        road_frontage_min: 0,
        count_highway_frontage: false,
        count_road_frontage: false,
        count_local_frontage: true,
      },
    ],
    ['FOU', { count_highway_frontage: false, count_road_frontage: false, count_local_frontage: false }],
    ['F', { slope_area_index: 9, slope_area_percent: 30.3, acres_max: 10 }],
    ['O', { slope_area_index: 9, slope_area_percent: 30.2 }],
    ['FO', { slope_area_index: 0, slope_area_percent: 100 }],
    ['', { slope_area_index: 0, slope_area_percent: 8 }],
    ['O', { slope_area_index: 10, slope_area_percent: 0 }],
    ['FOU', { slope_area_index: 0 }],
    ['FOU', { slope_area_percent: 0 }],
    ['F', { assemblage_acres_min: 42.5, assemblage_acres_max: 42.5 }],
    ['', { assemblage_acres_min: 42.51 }],
    ['', { assemblage_acres_max: 42.49 }],
    ['F', { assemblage_parcels_min: 3 }],
    ['', { assemblage_parcels_min: 4 }],
    ['F', { assemblage_parcels_min: 0 }],
    ['', { assemblage_acres_min: 1, value_min: 1 }],
  ])('finds %s in the county by %j', async (expected, body) => {
    expect(await found({ county: '33019', ...body })).toBe(expected);
  });
});

test('a summary has the assemblage of the parcel, or the reason why there is none', async () => {
  const { json } = await post({ counties: ['33019', '23009'], order: '-assemblage_acres' });
  const id = FULL.property_id;
  const whole = { id, parcels: 3, acres: 42.5, touching_parcels: 3, touching_acres: 42.5 };
  expect(json.results.map(row => [row.property_id, row.assemblage, row.assemblage_reason])).toEqual([
    [id, whole, null],
    [ELSEWHERE.property_id, whole, null],
    [UNKNOWN.property_id, null, null],
    [OPPOSITE.property_id, null, 'owner_has_too_many_parcels'],
  ]);
  const ascending = await post({ counties: ['33019', '23009'], order: 'assemblage_acres' });
  expect(ascending.json.results[0]!.property_id).toBe(ELSEWHERE.property_id);
  expect(ascending.json.results[1]!.property_id).toBe(id);
});
