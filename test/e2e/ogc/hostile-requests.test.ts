import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { runs } from '../../support/runs.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const { key } = await newCaller(db);

type Reply = { status: number; headers: Headers; tokens: number; text: string; json: Json };
type Json = {
  code?: string;
  details?: Record<string, string[]>;
  features: { id: number | string; properties: Record<string, unknown> }[];
  links: { rel: string; href: string }[];
};

async function get(path: string, init: RequestInit = {}): Promise<Reply> {
  const url = path.startsWith('http') ? path : `${api.url}/ogc${path}`;
  const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` }, ...init });
  const text = await response.text();
  const { status, headers } = response;
  const tokens = Number(headers.get('x-tokens-used'));
  return { status, headers, tokens, text, json: text === '' ? undefined : JSON.parse(text) };
}

const idsOf = ({ json }: Reply) => json.features.map(({ id }) => id);
const items = (query: string, name = 'parcels') => get(`/collections/${name}/items?${query}`);

describe('parameters', () => {
  test.each([
    ['limit', '0'],
    ['limit', '-1'],
    ['limit', '1.5'],
    ['limit', '1e2'],
    ['limit', ''],
    ['limit', '99999999999999999999'],
    ['limit', '1&limit=2'],
    ['bbox', ''],
    ['bbox', '1,2,3'],
    ['bbox', '1,2,3,4,5'],
    ['bbox', '1,2,3,4,5,6,7'],
    ['bbox', '1,,3,4'],
    ['bbox', 'NaN,0,1,1'],
    ['bbox', '-Infinity,0,1,1'],
    ['bbox', '0,0,1,1&bbox=0,0,2,2'],
    ['bbox', '0,10,1,5'],
    ['bbox-crs', 'http://www.opengis.net/def/crs/EPSG/0/2263'],
    ['crs', 'CRS84'],
    ['datetime', ''],
    ['datetime', '/'],
    ['datetime', '..'],
    ['datetime', '2025-13-01'],
    ['datetime', '2025-01-01T25:00:00Z'],
    ['datetime', '2025-01-01T00:00:00'],
    ['datetime', '2025-01-01/2025-01-02/2025-01-03'],
    ['datetime', '2025-01-02/2025-01-01'],
    ['datetime', '2025-01-01&datetime=2025-01-02'],
    ['filter', ''],
    ['filter', "county='33019'&filter=acres>=5"],
    ['filter-lang', 'cql2-json'],
    ['filter-crs', 'x'],
    ['cursor', 'x'],
    ['cursor', ''],
    ['f', 'html'],
    ['f', ''],
    ['page', '2'],
    ['page_size', '2'],
    ['offset', '2'],
    ['acres', '5'],
    ['BBOX', '0,0,1,1'],
    ['token', 'x'],
  ])('%s=%s is refused by name, for free', async (name, value) => {
    for (const collection of ['parcels', 'comps', 'roads', 'counties']) {
      const { status, tokens, json } = await items(`${name}=${value}`, collection);
      expect({ status, tokens, code: json.code }).toEqual({
        status: 400,
        tokens: 0,
        code: 'validation_error',
      });
      expect(Object.keys(json.details!)).toEqual([name]);
    }
  });

  test.each([
    '/',
    '/conformance',
    '/api',
    '/collections',
    '/collections/parcels',
    '/collections/parcels/queryables',
    '/collections/parcels/schema',
  ])('%s takes only f=json', async path => {
    expect((await get(`${path}?f=json`)).status).toBe(200);
    for (const query of ['f=html', 'f=json&f=json', 'limit=1', 'x']) {
      const { status, json } = await get(`${path}?${query}`);
      expect({ status, code: json.code }, query).toEqual({ status: 400, code: 'validation_error' });
    }
  });

  test('a page or a feature is GeoJSON, whatever is accepted', async () => {
    const [id] = idsOf(await items('limit=1'));
    for (const Accept of ['text/html', 'application/gml+xml;version=3.2', '*/*', 'application/json', 'x'])
      for (const path of ['/collections/parcels/items?limit=1', `/collections/parcels/items/${id}`]) {
        const { status, headers } = await get(path, { headers: { Accept, Authorization: `Bearer ${key}` } });
        expect({ status, type: headers.get('content-type') }).toEqual({
          status: 200,
          type: 'application/geo+json',
        });
      }
  });

  test('a bbox across the 180th meridian, or far beyond the globe, has what its parts have', async () => {
    const all = idsOf(await items('limit=1000', 'counties'));
    const east = idsOf(await items('limit=1000&bbox=170,-90,180,90', 'counties'));
    const west = idsOf(await items('limit=1000&bbox=-180,-90,-150,90', 'counties'));
    const across = idsOf(await items('limit=1000&bbox=170,-90,-150,90', 'counties'));
    expect(across).toEqual([...new Set([...east, ...west])].sort());
    expect(across.length).toBeGreaterThan(0);
    expect(idsOf(await items('limit=1000&bbox=-1e9,-1e9,1e9,1e9', 'counties'))).toEqual(all);
    expect(idsOf(await items('limit=1000&bbox=-180,-90,-9,180,90,9', 'counties'))).toEqual(all);
  });

  test('half-open intervals have their ends, in UTC, and only sales', async () => {
    const { rows } = await db.pool.query<{ id: string; day: string }>(
      `select id, sold_date::text as day from listings where status = 'SOLD' and sold_date is not null order by id`,
    );
    const day = rows.map(row => row.day).sort()[rows.length >> 1]!;
    const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
    const cases: [datetime: string, has: (sold: string) => boolean][] = [
      [`${day}/..`, sold => sold >= day],
      [`${day}/`, sold => sold >= day],
      [`../${day}`, sold => sold <= day],
      [`/${day}`, sold => sold <= day],
      [`${day}t00:00:00z/..`, sold => sold >= day],
      [`${day}T23:59:59.999-01:00/..`, sold => sold >= next],
      [`../${next}T00:30:00%2B01:00`, sold => sold <= day],
      [`${day}/${day}`, sold => sold === day],
      [day, sold => sold === day],
    ];
    for (const [datetime, has] of cases) {
      const expected = rows.flatMap(({ id, day: sold }) => (has(sold) ? [id] : []));
      expect(idsOf(await items(`limit=1000&datetime=${datetime}`, 'comps')), datetime).toEqual(expected);
    }
    expect(idsOf(await items('limit=5&datetime=2025-01-01/..'))).toEqual(idsOf(await items('limit=5')));
  });
});

test('any query gets features or an error that names a parameter', async () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom(
      "county = '33019'",
      "'",
      '1,2,3,4',
      '-72.2,43,-72,43.2',
      '2025-01-01/..',
      '\0',
      '%',
      '9'.repeat(400),
    ),
    fc.array(fc.double(), { maxLength: 7 }).map(String),
  );
  const name = fc.constantFrom(
    'limit',
    'bbox',
    'datetime',
    'filter',
    'crs',
    'bbox-crs',
    'cursor',
    'f',
    '',
    '__proto__',
  );
  const collection = fc.constantFrom(
    'parcels',
    'comps',
    'counties',
    'zips',
    'roads',
    'flood',
    'toString',
    '__proto__',
  );
  await fc.assert(
    fc.asyncProperty(collection, fc.array(fc.tuple(name, value), { maxLength: 4 }), async (which, pairs) => {
      const query = pairs.map(pair => pair.map(part => encodeURIComponent(part)).join('=')).join('&');
      const { status, json, headers } = await items(query, which);
      expect([200, 400, 404, 422], query).toContain(status);
      if (status === 200) expect(json.features.length).toBeLessThanOrEqual(1_000);
      else expect(json, query).toMatchObject({ code: expect.any(String), description: expect.any(String) });
      if (status === 400) expect(Object.keys(json.details!).length).toBeGreaterThan(0);
      expect(headers.get('content-type')).toMatch(/json/);
    }),
    { numRuns: runs(400) },
  );
});

describe('accounts', () => {
  test('another company pays for a page that it gets from a link, and no filter reads its lists', async () => {
    const other = await newCaller(db);
    const first = await items('limit=20');
    const next = first.json.links.find(({ rel }) => rel === 'next')!.href;
    const headers = { Authorization: `Bearer ${other.key}` };
    const theirs = await get(next, { headers });
    expect({ status: theirs.status, tokens: theirs.tokens }).toEqual({ status: 200, tokens: 2 });
    expect(await usageOf(db, other.accountId)).toMatchObject({ tokens: 2, calls: 1 });
    for (const name of ['list_id', 'do_not_mail', 'company_id'])
      expect((await items(`filter=${name} = '11111111-1111-4111-8111-111111111111'`)).status).toBe(400);
  });

  test('a client over its rate gets 429 with the time to wait, and pays nothing', async () => {
    const slow = await newCaller(db, { ratePerMinute: 1, rateBurst: 2 });
    const headers = { Authorization: `Bearer ${slow.key}` };
    const replies: Reply[] = [];
    for (let at = 0; at < 4; at++)
      replies.push(await get('/collections/counties/items?limit=1', { headers }));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
    expect(replies[3]).toMatchObject({ tokens: 0, json: { code: 'rate_limited' } });
    expect(Number(replies[3]!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await usageOf(db, slow.accountId)).toMatchObject({ tokens: 2 });
  });

  test('a tag is of one page in one reference system, for a compressed response too', async () => {
    const path = '/collections/parcels/items?limit=50';
    const { headers } = await get(path);
    const tag = headers.get('etag')!;
    const asked = async (query: string, given = tag) =>
      (await get(path + query, { headers: { Authorization: `Bearer ${key}`, 'If-None-Match': given } }))
        .status;
    expect(await asked('')).toBe(304);
    expect(await asked('', tag.replace(/^W\//, ''))).toBe(304);
    expect(await asked('', `"x", ${tag}`)).toBe(304);
    expect(await asked('', '"x"')).toBe(200);
    expect(await asked('&crs=http://www.opengis.net/def/crs/EPSG/0/4326')).toBe(200);
    const [id] = idsOf(await get(path));
    const own = (await get(`/collections/parcels/items/${id}`)).headers.get('etag')!;
    const again = { Authorization: `Bearer ${key}`, 'If-None-Match': own };
    const unchanged = await get(`/collections/parcels/items/${id}`, { headers: again });
    expect({ status: unchanged.status, tokens: unchanged.tokens }).toEqual({ status: 304, tokens: 0 });
  });
});
