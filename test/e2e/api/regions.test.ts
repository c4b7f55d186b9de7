import { beforeAll, describe, expect, test } from 'vitest';
import { allCounties } from '../../../shared/regions/counties.ts';
import { newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { SULLIVAN } from '../../support/regions.ts';

const db = await createTestDatabase({}, { regions: true });
const api = await startTestApi(db);

const PATH = '/api/public/v1/regions/';
type Region = { id: string; type: string; name: string; state: string; county_name: string; fips: string };
type PageOfRegions = { count: number; next: string | null; previous: string | null; results: Region[] };

let key: string;
let accountId: string;
beforeAll(async () => {
  ({ key, accountId } = await newCaller(db));
});

async function find(parameters: Record<string, string>): Promise<PageOfRegions> {
  const reply = await api.call(`${PATH}?${new URLSearchParams(parameters)}`, { key });
  expect(reply.status, reply.text).toBe(200);
  return reply.json as PageOfRegions;
}
const names = async (parameters: Record<string, string>) =>
  (await find(parameters)).results.map(({ name, state }) => `${name} ${state}`);

test('a county is found by its name, at no charge', async () => {
  expect(await find({ q: 'sullivan', state: 'NH', type: 'county' })).toEqual({
    count: 1,
    next: null,
    previous: null,
    results: [SULLIVAN],
  });
  expect(await usageOf(db, accountId)).toEqual({ tokens: 0, calls: 0, daily: 0 });
});

test('a ZIP is found by its first digits and by its county, after the counties, with an empty fips', async () => {
  expect((await find({ q: '03280' })).results).toMatchObject([
    { type: 'zip', name: '03280', state: 'NH', county_name: 'Sullivan', fips: '' },
  ]);
  const { results } = await find({ q: 'Sullivan', state: 'NH' });
  expect(results[0]).toMatchObject({ type: 'county', fips: '33019' });
  expect(results.slice(1).every(region => region.type === 'zip')).toBe(true);
  expect(results.map(region => region.name)).toContain('03280');
});

test('a county is found by the first digits of its FIPS code', async () => {
  expect(await names({ q: '3301', type: 'county' })).toEqual([
    'Hillsborough NH',
    'Merrimack NH',
    'Rockingham NH',
    'Strafford NH',
    'Sullivan NH',
  ]);
});

describe('words', () => {
  test.each([
    ['SULLIVAN', 'Sullivan NH'],
    ['sullivan county', 'Sullivan NH'],
    ['county sullivan', 'Sullivan NH'],
    ['dona ana', 'Doña Ana NM'],
    ['Doña', 'Doña Ana NM'],
    ['DOÑA', 'Doña Ana NM'],
    ['dade', 'Miami-Dade FL'],
    ["prince george's", "Prince George's MD"],
    ['prince georges', "Prince George's MD"],
    ['st louis', 'St. Louis MO'],
    ['  st.  louis ', 'St. Louis MO'],
  ])('%s finds %s', async (q, expected) => {
    expect(await names({ q, type: 'county' })).toContain(expected);
  });

  test.each([
    'ullivan',
    'sullivan sussex',
    '%',
    '_',
    'Sull%van',
    'sulliv_n',
    'Sullivan%',
    'sullivan\\',
    '\\',
    '"',
    "'; --",
  ])('%s finds nothing that only looks alike', async q => {
    const page = await find({ q, type: 'county' });
    // Apostrophes, dashes and blanks are no words: what is left of the last one matches nothing either.
    expect(page).toMatchObject({ count: 0, next: null, previous: null, results: [] });
  });

  test('every county is found by its own name, and by its FIPS code', async () => {
    for (const { fips, name, state } of allCounties().filter((_, index) => index % 60 === 0)) {
      expect(await names({ q: name, state, type: 'county' }), name).toContain(`${name} ${state}`);
      const code = String(fips).padStart(5, '0');
      expect((await find({ q: code, type: 'county' })).results, code).toMatchObject([{ fips: code }]);
    }
  });
});

test('without parameters all regions are listed, and paging forward and back reaches each one once', async () => {
  const { count } = await find({});
  const { rows } = await db.pool.query<{ count: number }>('select count(*)::int as count from regions');
  expect(count).toBe(rows[0]!.count);

  const pages: PageOfRegions[] = [await find({ state: 'NH', page_size: '40' })];
  for (let at = pages[0]!; at.next !== null; pages.push(at)) at = await follow(at.next);
  const walked = pages.flatMap(page => page.results);
  expect(walked).toHaveLength(pages[0]!.count);
  expect(new Set(walked.map(region => region.id)).size).toBe(walked.length);
  const back: Region[][] = [];
  for (let at = pages.at(-1)!; ; at = await follow(at.previous!)) {
    back.unshift(at.results);
    if (at.previous === null) break;
  }
  expect(back.flat()).toEqual(walked);
  expect((await find({ state: 'NH', page_size: '40', page: '2' })).results).toEqual(pages[1]!.results);
  expect((await find({ state: 'NH', page: '999' })).results).toEqual([]);
});

async function follow(url: string): Promise<PageOfRegions> {
  const reply = await api.call(url.slice(api.url.length), { key });
  expect(reply.status, reply.text).toBe(200);
  return reply.json as PageOfRegions;
}

test.each([
  ['type=town', 'type'],
  ['state=XX', 'state'],
  [`q=${'x'.repeat(101)}`, 'q'],
  ['q=a%00b', 'q'],
  ['q=a&q=b', 'q'],
  ['page_size=101', 'page_size'],
  ['page=0', 'page'],
  ['cursor=abc', 'cursor'],
  ['colour=red', 'colour'],
])('%s is refused and names %s', async (parameters, field) => {
  const reply = await api.call(`${PATH}?${parameters}`, { key });
  expect(reply.status).toBe(400);
  expect(reply.json).toMatchObject({
    error: { code: 'validation_error', details: { [field]: [expect.any(String)] } },
  });
});

test('words are found through an index', async () => {
  const client = await db.pool.connect();
  try {
    // Whether the words can be found by it: in a table of this size the planner may read them all as well.
    await client.query('begin; set local enable_seqscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      "explain select id from regions where search_words like '% sull%'",
    );
    expect(rows.map(row => row['QUERY PLAN']).join('\n')).toContain('regions_search_words');
    await client.query('rollback');
  } finally {
    client.release();
  }
});
