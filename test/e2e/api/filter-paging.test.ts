import { beforeAll, expect, test } from 'vitest';
import { newCaller, posting, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { insertParcels, type TestParcel } from '../../support/parcels.ts';

const PATH = '/api/public/v1/properties/filter/';
const db = await createTestDatabase();
const api = await startTestApi(db);
const { key } = await newCaller(db);

type PageOf = {
  count: number;
  next: string | null;
  previous: string | null;
  results: { property_id: number; effective_acres: number | null }[];
};

async function post(body: object, query = ''): Promise<PageOf & { error?: { details?: object } }> {
  const reply = await api.call(PATH + query, posting(key, JSON.stringify(body)));
  return reply.json as PageOf;
}

const queryOf = (address: string) => new URL(address).search;

/** 40 parcels in two counties of two states. */
const PARCELS: TestParcel[] = Array.from({ length: 40 }, (_, i) => ({
  property_id: (i % 2 === 0 ? 33_019e8 : 23_009e8) + i + 1,
  acres: (i * 7) % 10,
}));
const SCOPE = { counties: ['33019', '23009'] };
beforeAll(() => insertParcels(db.pool, PARCELS));

test('addresses are absolute, on this path, and keep the other parameters', async () => {
  const page = await post(SCOPE, '?page_size=5&page=2');
  for (const address of [page.next!, page.previous!]) {
    const url = new URL(address);
    expect(url.origin + url.pathname).toBe(api.url + PATH);
    expect(url.searchParams.get('page_size')).toBe('5');
  }
  expect(new URL(page.next!).searchParams.get('page')).toBe('3');
});

test('addresses begin with BASE_URL where it is set, and parcels with this origin where APP_URL is not', async () => {
  const based = await startTestApi(db, { env: { BASE_URL: 'https://data.example.org' } });
  const reply = await based.call(`${PATH}?page_size=5`, posting(key, JSON.stringify(SCOPE)));
  const page = reply.json as PageOf & { results: { url: string }[] };
  expect(page.next).toMatch(
    /^https:\/\/data\.example\.org\/api\/public\/v1\/properties\/filter\/\?page_size=5&page=2&cursor=/,
  );
  expect(page.results[0]!.url).toBe(`https://data.example.org/data?parcel=${page.results[0]!.property_id}`);
});

test('another process takes the cursor; an installation with another secret does not', async () => {
  const next = queryOf((await post(SCOPE, '?page_size=5')).next!);
  const send = async (env: Record<string, string>) => {
    const other = await startTestApi(db, { env });
    const reply = await other.call(PATH + next, posting(key, JSON.stringify(SCOPE)));
    return [reply.status, Object.keys((reply.json as { error?: { details: object } }).error?.details ?? {})];
  };
  expect(await send({})).toEqual([200, []]);
  expect(await send({ CURSOR_SECRET: 'x'.repeat(32) })).toEqual([400, ['cursor']]);
});

test.each<[string, (next: string) => [object, string]]>([
  ['other filters', next => [{ ...SCOPE, acres_min: 1 }, next]],
  ['another order', next => [{ ...SCOPE, order: 'acres' }, next]],
  ['another page size', next => [SCOPE, next.replace('page_size=5', 'page_size=6')]],
  ['a changed character', next => [SCOPE, `${next.slice(0, -1)}${next.endsWith('A') ? 'B' : 'A'}`]],
  ['text that is no cursor', () => [SCOPE, '?page_size=5&cursor=hello']],
])('a cursor with %s is a validation error that names it', async (_name, change) => {
  const next = queryOf((await post(SCOPE, '?page_size=5')).next!);
  const { error } = await post(...change(next));
  expect(Object.keys(error?.details ?? {})).toEqual(['cursor']);
});

test('a cursor takes the same filters in another order of fields', async () => {
  const next = queryOf((await post({ ...SCOPE, acres_min: 1 }, '?page_size=5')).next!);
  expect((await post({ acres_min: 1, ...SCOPE }, next)).results).toHaveLength(5);
});

test('GET filters/ is free and lists every field of the body with its type, unit and values', async () => {
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
  ]);
  const by = (name: string) => filters.find(filter => filter.name === name);
  expect(by('order')!.description).toContain('with acres ascending, with -acres descending');
  expect(by('acres_min')).toMatchObject({ type: 'number', unit: 'acres', values: null, scope: false });
  expect(by('road_frontage_max')).toMatchObject({ unit: 'feet' });
  expect(by('owner_occupied')).toMatchObject({ type: 'string', values: ['Y', 'N'] });
  expect(by('count_road_frontage')).toMatchObject({ type: 'boolean', default: true });
  expect(by('slope_area_index')).toMatchObject({ values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] });
});
