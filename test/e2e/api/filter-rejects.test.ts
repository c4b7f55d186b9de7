import { beforeAll, expect, test } from 'vitest';
import { newCaller, posting, startTestApi, usageOf, whileLocked } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { insertParcels, square } from '../../support/parcels.ts';

const PATH = '/api/public/v1/properties/filter/';
const db = await createTestDatabase();
const api = await startTestApi(db);
const { key, accountId } = await newCaller(db);

const ID = 3_301_900_000_001;
beforeAll(() => insertParcels(db.pool, [{ property_id: ID, boundary: square(-72.1, 43.2) }]));

async function post(body: unknown, query = '') {
  const reply = await api.call(PATH + query, posting(key, JSON.stringify(body)));
  return {
    ...reply,
    error: (reply.json as { error?: { code: string; message: string; details?: object } }).error,
  };
}

const county = '33019';
test.each<[string, unknown]>([
  // No scope.
  ['county', {}],
  ['county', { acres_min: 1, state: 'NH', property_id: ID, apn: '1' }],
  // No such field.
  ['color', { county, color: 'red' }],
  ['acres', { county, acres: 1 }],
  ['__proto__', JSON.parse('{"county":"33019","__proto__":{"a":1}}')],
  ['constructor', { county, constructor: 1 }],
  ['page', { county, page: 2 }],
  // The wrong type.
  ['county', { county: 'Sullivan' }],
  ['county', { county: '330190' }],
  ['county', { county: 33019.5 }],
  ['county', { county: ['33019'] }],
  ['county', { county: null }],
  ['counties', { counties: '33019' }],
  ['counties', { counties: [] }],
  ['counties', { counties: ['33019', 'x'] }],
  ['zips_include', { zips_include: ['3280'] }],
  ['zips_include', { zips_include: Array.from({ length: 1_001 }, () => '03280') }],
  ['zips_exclude', { county, zips_exclude: [-1] }],
  ['owner_parcel_id', { owner_parcel_id: '1' }],
  ['state', { county, state: 'XX' }],
  ['state', { county, state: 'New Hampshire' }],
  ['property_id', { county, property_id: 1.5 }],
  ['property_id', { county, property_id: 2 ** 60 }],
  ['apn', { county, apn: '' }],
  ['apn', { county, apn: 'a\0b' }],
  ['acres_min', { county, acres_min: '1' }],
  ['acres_min', { county, acres_min: -1 }],
  ['structure_count_min', { county, structure_count_min: 1.5 }],
  ['year_built_min', { county, year_built_min: 20 }],
  ['improvement_percent_max', { county, improvement_percent_max: -1 }],
  ['known', { county, known: ['slope', 'no_such_field'] }],
  ['known', { county, known: [] }],
  ['assessed_total_value_min', { county, assessed_total_value_min: 1e300 }],
  ['last_sale_date_min', { county, last_sale_date_min: '20230229' }],
  ['last_sale_date_min', { county, last_sale_date_min: '2023-02-28' }],
  ['mortgage_date_max', { county, mortgage_date_max: 20231301 }],
  ['out_of_state_owner', { county, out_of_state_owner: 'true' }],
  ['vacant_only', { county, vacant_only: 1 }],
  ['owner_occupied', { county, owner_occupied: 'y' }],
  ['owner_name_includes', { county, owner_name_includes: ['&'] }],
  ['seller_name_contains', { county, seller_name_contains: ['  '] }],
  ['slope_area_index', { county, slope_area_index: 11 }],
  ['slope_area_percent', { county, slope_area_percent: 100.5 }],
  ['ownership_months_min', { county, ownership_months_min: 5_000 }],
  ['order', { county, order: 'price' }],
  // Nothing can lie between the bounds.
  ['acres_min', { county, acres_min: 2, acres_max: 1 }],
  ['last_sale_date_min', { county, last_sale_date_min: '20240102', last_sale_date_max: '20240101' }],
  ['ownership_months_min', { county, ownership_months_min: 12, ownership_months_max: 6 }],
  [
    'road_frontage_min',
    {
      county,
      road_frontage_min: 1,
      count_highway_frontage: false,
      count_road_frontage: false,
      count_local_frontage: false,
    },
  ],
  // Bad geometry.
  ['geom_intersects', { geom_intersects: 'CIRCLE (1 2)' }],
  ['geom_intersects', { geom_intersects: '' }],
  ['geom_intersects', { geom_intersects: { type: 'Point', coordinates: [0, 0] } }],
  ['geom_intersects', { geom_intersects: 'POINT (0 91)' }],
  ['geom_intersects', { geom_intersects: 'POLYGON ((0 0, 1 0, 1 1, 0 1))' }],
  ['geom_intersects', { geom_intersects: 'POLYGON ((0 0, 1 1, 1 0, 0 1, 0 0))' }],
  // Owners that cannot be told.
  ['owner_parcel_id', { owner_parcel_id: 1 }],
  ['owner_parcel_id', { owner_parcel_id: ID }],
])('%s is named for %j', async (field, body) => {
  const { status, error } = await post(body);
  expect(status).toBe(400);
  expect(error?.code).toBe('validation_error');
  expect(Object.keys(error?.details ?? {})).toEqual([field]);
  expect(error?.message).toContain(field);
});

test.each([[[1, 2]], ['text'], [7], [null], [true]])(
  'a body that is no object, %j, is refused',
  async body => {
    const { status, error } = await post(body);
    expect(status).toBe(400);
    expect(error?.code).toBe('validation_error');
  },
);

test.each([
  ['page', '?page=0'],
  ['page_size', '?page_size=501'],
  ['limit', '?limit=5'],
  ['county', '?county=33019'],
])('the query parameter %s is named for %s', async (field, query) => {
  const { status, error } = await post({ county }, query);
  expect(status).toBe(400);
  expect(error?.details).toHaveProperty(field);
});

test('all rejected fields are reported together', async () => {
  const { error } = await post({ county: 'x', acres_min: 'y', order: 'z' }, '?page=a');
  expect(Object.keys(error?.details ?? {}).sort()).toEqual(['acres_min', 'county', 'order', 'page']);
});

const circle = (vertices: number, radius = 0.1): string => {
  const at = (i: number) => {
    const angle = (2 * Math.PI * (i % vertices)) / vertices;
    return `${-72.1 + radius * Math.cos(angle)} ${43.2 + radius * Math.sin(angle)}`;
  };
  return `POLYGON ((${Array.from({ length: vertices + 1 }, (_, i) => at(i)).join(', ')}))`;
};

test('10,000 vertices are accepted, more are unprocessable', async () => {
  const taken = await post({ geom_intersects: circle(10_000) });
  expect([taken.status, (taken.json as { count: number }).count]).toEqual([200, 1]);
  const refused = await post({ geom_intersects: circle(10_001) });
  expect([refused.status, refused.error?.code]).toEqual([422, 'unprocessable']);
  expect(refused.error?.message).toMatch(/geom_intersects.*10,?000/);
});

test('the database cancels a filter that takes too long, and the response is 503', async () => {
  const hasty = await startTestApi(db, { env: { STATEMENT_TIMEOUT_MS: '1000' } });
  await whileLocked(db, ['lock table parcel_filters in access exclusive mode'], async () => {
    const reply = await hasty.call(PATH, posting(key, '{"county":"33019"}'));
    expect(reply.status).toBe(503);
    expect(reply.headers.get('retry-after')).toBe('5');
    expect(reply.json).toMatchObject({
      error: { code: 'internal_error', message: expect.any(String) },
    });
  });
});

test('only the one response was charged', async () => {
  expect(await usageOf(db, accountId)).toMatchObject({ tokens: 30, calls: 1 });
});
