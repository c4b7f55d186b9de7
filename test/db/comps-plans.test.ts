import { beforeAll, describe, expect, test } from 'vitest';
import type { Page } from '../../api/http/paging.ts';
import { compsQuery, findComps } from '../../api/v1/market/list-comps.ts';
import { COMPUTE_HERE } from '../../shared/geo/shape-work.ts';
import { areasOf } from '../../shared/market/comps-area.ts';
import type { CompsFilter } from '../../shared/market/select-comps.ts';
import type { Db } from '../../shared/platform/db.ts';
import type { BoundStatement, Values } from '../../shared/platform/named-parameters.ts';
import { type Fragments, statement } from '../../shared/platform/statements.ts';
import { createTestDatabase } from '../support/database.ts';

const db = await createTestDatabase();

/** Enough for an index to pay: 20,000 listings in 40 counties and 200 ZIPs, over 10 by 10 degrees. */
beforeAll(async () => {
  await db.pool.query("insert into feeds (name, kind, definition) values ('test', 'listings', '{}')");
  await db.pool.query(
    `insert into listings (
       id, feed_id, source, source_id, status, zip, fips, location, lot_acres, price, listed_date, sold_date, row_hash, created_run, changed_run
     )
     select gen_random_uuid(), (select id from feeds), 'test', n::text, case n % 4 when 0 then 'OFF_MARKET' when 1 then 'SOLD' else 'ACTIVE' end,
       lpad((n % 200)::text, 5, '0'), 1001 + 2 * (n % 40),
       point(-900000000 + (n * 7919) % 100000000, 300000000 + (n * 104729) % 100000000),
       n % 50, 1000 + n, '2025-01-01', case n % 4 when 1 then date '2025-06-01' end, gen_random_uuid(), 1, 1
     from generate_series(1, 20000) as n`,
  );
  await db.pool.query('vacuum analyze listings');
});

/** The plans of what the endpoint runs. */
async function plansOf(parameters: Record<string, unknown>): Promise<string> {
  const { count, plans } = await explain(compsQuery.parse(parameters), FIRST);
  expect(count).toBeGreaterThan(0);
  return plans;
}

const FIRST: Page = { size: 100, number: 1, offset: 0, asOf: new Date(), link: () => '' };

async function explain(query: CompsFilter, page: Page) {
  const plans: string[] = [];
  const run = async ({ text, values }: BoundStatement) => {
    const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
    plans.push(rows.map(row => row['QUERY PLAN']).join('\n'));
    return (await db.pool.query(text, values)).rows;
  };
  const database = {
    run: (name: string, values: Values, fragments?: Fragments) => run(statement(name, values, fragments)),
  } as unknown as Db;
  const areas = await areasOf(query, COMPUTE_HERE);
  const found = await findComps(query, areas, page, database, COMPUTE_HERE);
  return { ...found, plans: plans.join('\n\n') };
}

describe('comps are found through an index, whatever else is requested', () => {
  const more = { order: '-ppa', status: ['SOLD', 'ACTIVE'], acres_min: '1', dom_max: '9999' };
  const polygon = '{"type":"Polygon","coordinates":[[[-85,35],[-84.5,35.2],[-84,36],[-84.6,35.8],[-85,35]]]}';

  test.each([
    ['a county', { fips: '01005' }, ['listings_county']],
    ['a ZIP', { zip: '00007' }, ['listings_zip']],
    ['a circle', { point: ['-85', '35'], dist: '50000' }, ['listings_location', 'listings_pkey']],
    ['a polygon and its outline', { polygon }, ['listings_location', 'listings_pkey']],
  ])('%s', async (_name, scope, indexes) => {
    for (const parameters of [scope, { ...scope, ...more }]) {
      const plans = await plansOf(parameters);
      for (const index of indexes) expect(plans).toContain(index);
      expect(plans).not.toContain('Seq Scan on listings');
    }
  });

  test('a page is sorted no further than it is shown', async () => {
    expect(await plansOf({ fips: '01005', order: 'price' })).toMatch(/Limit[\s\S]*Sort/);
  });
});

const pageAfter = (place: [number, string] | undefined, size: number): Page => ({
  ...FIRST,
  size,
  count: 0,
  ...(place && { cursorPosition: { place, direction: 'next' } }),
});

test('a page of all comps reads no more of them than it has', async () => {
  const place: [number, string] = [0, '40000000-0000-4000-8000-000000000000'];
  for (const page of [pageAfter(undefined, 10), pageAfter(place, 10)])
    expect((await explain({}, page)).plans).toMatch(/Limit[^\n]*\n[^\n]*Index Scan using listings_pkey/);
});

test.each<[string, CompsFilter]>([
  ['all comps', {}],
  ['all sales in a period', { sold_from: '2025-01-01', sold_to: '2025-12-31' }],
])('the pages of %s have each once, in order of id', async (_name, query) => {
  const { rows: stored } = await db.pool.query<{ id: string }>(
    `select id from listings where status <> 'OFF_MARKET' and ($1 or status = 'SOLD') order by id`,
    [query.sold_from === undefined],
  );
  const ids: string[] = [];
  let place: [number, string] | undefined;
  do {
    const { rows } = await explain(query, pageAfter(place, 999));
    const shown = rows.slice(0, 999);
    ids.push(...shown.map(({ id }) => id));
    place = rows.length > shown.length ? [0, shown.at(-1)!.id] : undefined;
  } while (place !== undefined);
  expect(ids).toEqual(stored.map(({ id }) => id));
});
