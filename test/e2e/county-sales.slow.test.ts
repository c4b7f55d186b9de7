import { expect, test } from 'vitest';
import type { CountyQuality } from '../../api/v1/feeds/get-county-quality.ts';
import { SALE_FLAGS } from '../../shared/model/sale-flags.ts';
import { newCaller, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { insertListings } from '../support/listings.ts';
import { valueMarket } from '../support/valuations.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const { pool } = db;
const api = await startTestApi(db, { pages: true });
const { key } = await newCaller(db);
const SULLIVAN = 33_019;
const PAGE = '/coverage/33019';
const AS_OF = '2025-09-28';

async function salesOf(): Promise<CountyQuality['sales']> {
  const { status, json } = await api.call('/api/public/v1/coverage/33019/quality/', { key });
  expect(status).toBe(200);
  return (json as CountyQuality).sales;
}
/** The number of all sales: each one is either used or flagged as unused. */
const allOf = ({ used, flagged }: CountyQuality['sales']) =>
  flagged.reduce((sum, one) => sum + (one.used ? 0 : one.sales), used!);
const countOf = ({ flagged }: CountyQuality['sales'], flag: string) =>
  flagged.find(one => one.flag === flag)?.sales ?? 0;
const value = () => valueMarket(pool, { fips: SULLIVAN, asOf: AS_OF });

async function ids(where: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from listings where fips = 33019 and sold_date is not null and ${where} order by sold_date desc, id`,
  );
  return rows.map(({ id }) => id);
}

async function flagsOf(listings: readonly string[]): Promise<(string | undefined)[]> {
  const { rows } = await pool.query<{ listing_id: string; flag: string }>(
    'select listing_id, flag from flagged_sales where listing_id = any ($1)',
    [listings],
  );
  return listings.map(id => rows.find(row => row.listing_id === id)?.flag);
}

async function signIn(operator: boolean, pro = true) {
  const user = await newUser(db, { operator, pro });
  const person = visitor(api);
  await person.signIn(user);
  return { ...person, email: user.email };
}

/** Inserts sales of 2-acre parcels in the middle of the town. */
async function insertSales(sales: readonly { apn: string; price: number; day: string }[]): Promise<string[]> {
  const { rows } = await pool.query<{ lon: number; lat: number }>(
    'select avg(location[0]) as lon, avg(location[1]) as lat from parcel_filters where fips = 33019',
  );
  const place: [number, number] = [Math.round(rows[0]!.lon), Math.round(rows[0]!.lat)];
  const listings = sales.map(({ apn, price, day }, i) => ({
    id: `00000000-0000-4000-8000-00000000000${i + 1}`,
    status: 'SOLD' as const,
    apn,
    price,
    soldDate: day,
    lotAcres: 2,
    location: place,
  }));
  await insertListings(pool, listings);
  return listings.map(({ id }) => id);
}

test("the sample's flags match its roll and its listings", async () => {
  const sales = await salesOf();
  const { rows } = await pool.query<{ unqualified: number; several: number; sold: number }>(
    `select
       (select count(*)::int from parcels p
        join parcel_filters f on f.fips = p.fips and f.property_id = p.property_id
        where p.fips = 33019 and p.retired_at is null and f.vacant and p.last_sale_price >= 1000
          and p.last_sale_date is not null
          and not exists (select true from listings l where l.source_id = '33019/' || p.source_key || '/' || p.last_sale_date)
       ) as unqualified,
       (select count(*)::int from listings where fips = 33019 and sale_type = 'Deed over several parcels') as several,
       (select count(*)::int from listings where fips = 33019 and status = 'SOLD' and sold_date <= '${AS_OF}') as sold`,
  );
  const { unqualified, several, sold } = rows[0]!;
  const listed = unqualified + several;
  expect(unqualified).toBeGreaterThan(10);
  const of = (...flags: string[]) => flags.reduce((sum, flag) => sum + countOf(sales, flag), 0);
  expect(of('unqualified', 'family', 'forced', 'bundle', 'orphan_deed')).toBe(listed);
  expect(of('bundle', 'orphan_deed')).toBe(several);
  expect(sales.used! + of('outlier', 'duplicate', 'two_dates', 'incomplete')).toBe(sold);
  for (const { flag, used } of sales.flagged) expect(used).toBe(SALE_FLAGS[flag].isUsed);
});

test('the page shows counts to everyone, sales to subscribers, and buttons to operators', async () => {
  const [free, subscriber, operator] = await Promise.all([signIn(false, false), signIn(false), signIn(true)]);
  const [first] = await ids("status = 'SOLD'");
  const [pageOfFree, page, admin] = await Promise.all(
    [free, subscriber, operator].map(async person => (await person.open(PAGE)).text),
  );
  for (const text of [pageOfFree, page, admin]) expect(text).toContain('data-flag="unqualified"');
  expect(pageOfFree).not.toContain('name="apn"');
  expect(page).toContain('name="apn"');
  expect(page).not.toContain('value="leave_out"');
  expect(admin).toContain('value="leave_out"');
  expect(admin).toContain(`value="${first}"`);
  const refused = await subscriber.submit(PAGE, { do: 'leave_out', id: first! });
  expect(refused.status).toBe(403);
  expect((await pool.query('select from sale_overrides')).rowCount).toBe(0);
});

test('after an operator excludes a sale, the next valuation does not use it', async () => {
  const ana = await signIn(true);
  const [id] = await ids("status = 'SOLD'");
  const before = await salesOf();
  expect((await ana.submit(PAGE, { do: 'leave_out', id: id! })).status).toBe(200);
  const { rowCount: jobs } = await pool.query(
    "select from jobs where name = 'valuation.county' and status = 'queued' and payload = '{\"fips\": 33019}'",
  );
  expect(jobs).toBe(1);
  await value();
  const after = await salesOf();
  expect(countOf(after, 'left_out')).toBe(1);
  const { rowCount } = await pool.query(
    "select from valuations where fips = 33019 and position(decode(replace($1, '-', ''), 'hex') in comps) > 0",
    [id],
  );
  expect(rowCount).toBe(0);
  expect((await ana.open(PAGE)).text).toContain(`data-override="${id}"`);

  expect((await ana.submit(PAGE, { do: 'undo', id: id! })).status).toBe(200);
  await value();
  expect(await salesOf()).toEqual(before);
  const { rows: audit } = await pool.query(
    "select actor, action, before, after from audit where entity = 'sale_overrides' and entity_id = $1 order by id",
    [id],
  );
  expect(audit).toMatchObject([
    { actor: ana.email, action: 'insert', before: null, after: { used: false, decided_by: ana.email } },
    { actor: ana.email, action: 'delete', before: { used: false }, after: null },
  ]);
});

test('an operator can include a sale of several parcels and a sale that never became a listing', async () => {
  const ana = await signIn(true);
  const before = await salesOf();
  const { rows } = await pool.query<{ source_id: string }>(
    `select source_id from flagged_sales where fips = 33019 and flag = 'unqualified' and listing_id is null and acres > 0.5
     order by sold_date desc, source_id limit 1`,
  );
  const chosen = [rows[0]!.source_id, ...(await ids("status = 'OFF_MARKET'")).slice(0, 1)];
  for (const id of chosen) expect((await ana.submit(PAGE, { do: 'use', id })).status).toBe(200);
  await value();
  expect(allOf(await salesOf())).toBe(allOf(before));
  // Comps and statistics don't change.
  const stored = await ids("status = 'OFF_MARKET' and id in (select id from sale_overrides)");
  expect(stored).toHaveLength(chosen.length);
  expect(await flagsOf(stored)).toEqual(stored.map(() => undefined));
  for (const id of stored) expect((await ana.submit(PAGE, { do: 'undo', id })).status).toBe(200);
  await value();
  expect((await salesOf()).used).toBe(before.used);
  expect(allOf(await salesOf())).toBe(allOf(before));
});

test('a decision about a sale in another county, or one that does not exist, is refused', async () => {
  const ana = await signIn(true);
  const [id] = await ids("status = 'SOLD'");
  const refusals = [
    await ana.submit('/coverage/33005', { do: 'use', id: id! }),
    await ana.submit(PAGE, { do: 'use', id: '33019/none/2020-01-01' }),
    await ana.submit(PAGE, { do: 'undo', id: id! }),
    await ana.submit(PAGE, { do: 'use', id: '' }),
  ];
  expect(refusals.every(({ status }) => status === 400 || status === 404)).toBe(true);
  expect((await pool.query('select from sale_overrides')).rowCount).toBe(0);
});

test('deeds with two dates, resales, and outliers are flagged, and can be found by parcel number', async () => {
  const ana = await signIn(true);
  const before = await salesOf();
  const added = await insertSales([
    { apn: 'X 1-1', price: 40_000, day: '2025-05-01' },
    { apn: 'x-11', price: 40_000, day: '2025-05-20' },
    { apn: 'X22', price: 30_000, day: '2025-06-01' },
    { apn: 'X22', price: 45_000, day: '2025-07-01' },
    { apn: 'X33', price: 90_000_000, day: '2025-07-01' },
  ]);
  await value();
  expect(await flagsOf(added)).toEqual([undefined, 'two_dates', 'resale', undefined, 'outlier']);
  expect(allOf(await salesOf())).toBe(allOf(before) + added.length);
  const [, second, early, , absurd] = added;
  const { text } = await ana.open(`${PAGE}?apn=x11`);
  expect(text).toContain(second!);
  expect(text).not.toContain(early!);

  expect((await ana.submit(PAGE, { do: 'use', id: absurd! })).status).toBe(200);
  await value();
  expect(await flagsOf([absurd!])).toEqual([undefined]);
  const { rowCount } = await pool.query(
    "select from valuations where fips = 33019 and position(decode(replace($1, '-', ''), 'hex') in comps) > 0",
    [absurd],
  );
  expect(rowCount).toBeGreaterThan(0);
});
