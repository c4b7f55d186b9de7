import { beforeAll, describe, expect, test } from 'vitest';
import { compsQuery, findComps } from '../../api/v1/market/list-comps.ts';
import { COMPUTE_HERE } from '../../shared/geo/shape-work.ts';
import { areasOf } from '../../shared/market/comps-area.ts';
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
       id, feed_id, source, source_id, status, zip, fips, location, lot_acres, price, listed_date, row_hash, created_run, changed_run
     )
     select gen_random_uuid(), (select id from feeds), 'test', n::text, case n % 4 when 0 then 'OFF_MARKET' when 1 then 'SOLD' else 'ACTIVE' end,
       lpad((n % 200)::text, 5, '0'), 1001 + 2 * (n % 40),
       point(-900000000 + (n * 7919) % 100000000, 300000000 + (n * 104729) % 100000000),
       n % 50, 1000 + n, '2025-01-01', gen_random_uuid(), 1, 1
     from generate_series(1, 20000) as n`,
  );
  await db.pool.query('vacuum analyze listings');
});

/** The plans of what the endpoint runs. */
async function plansOf(parameters: Record<string, unknown>): Promise<string> {
  const query = compsQuery.parse(parameters);
  const plans: string[] = [];
  const explain = async ({ text, values }: BoundStatement) => {
    const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
    plans.push(rows.map(row => row['QUERY PLAN']).join('\n'));
    return (await db.pool.query(text, values)).rows;
  };
  const database = {
    run: (name: string, values: Values, fragments?: Fragments) => explain(statement(name, values, fragments)),
  } as unknown as Db;
  const page = { size: 100, number: 1, offset: 0, asOf: new Date(), link: () => '' };
  const { count } = await findComps(query, await areasOf(query, COMPUTE_HERE), page, database, COMPUTE_HERE);
  expect(count).toBeGreaterThan(0);
  return plans.join('\n\n');
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
