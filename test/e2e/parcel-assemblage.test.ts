import { beforeAll, expect, test } from 'vitest';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { one } from '../support/ingest.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const { pool } = db;
const api = await startTestApi(db, { pages: true });
const browser = visitor(api);

/** Two lots of one owner in the sample that touch, of 269 and 25.97 acres. */
const [LARGE, SMALL] = [3301900001047, 3301900001053];
const ACRES = 294.97;

beforeAll(async () => {
  await browser.signIn(await newUser(db));
});

async function show(id: number): Promise<string> {
  const { status, text } = await browser.open(`/data?parcel=${id}`);
  expect(status, text.slice(0, 500)).toBe(200);
  return text;
}

const figure = (page: string, name: string): number | undefined => {
  const [, text] = new RegExp(`data-${name}="([^"]+)"`).exec(page) ?? [];
  return text === undefined ? undefined : Number(text);
};

const section = (page: string) => /<section id="assemblage">.*?<\/section>/s.exec(page)?.[0];

test('the page of a parcel has the other lots of its assemblage, and their figures together', async () => {
  await pool.query('update parcel_filters set buildable_acres = 100.5 where property_id = $1', [LARGE]);
  const page = await show(SMALL);
  // The other lot's buildable acres are unknown.
  expect(figure(page, 'buildable')).toBe(100.5);
  expect(section(page)).toContain(`href="/data?parcel=${LARGE}"`);
  expect(section(page)).not.toContain(`href="/data?parcel=${SMALL}"`);
  expect(page).toContain(`data-together="${LARGE} ${SMALL}"`);
  expect(page).toMatch(/<i class="swatch together"><\/i><span>[^<]+<\/span><b>1<\/b>/);
  const sums = await one<{ value: number; feet: number }>(
    pool,
    `select sum(v.mean_adjusted_price) as value,
       sum(coalesce(highway_frontage_ft, 0) + coalesce(road_frontage_ft, 0) + coalesce(local_frontage_ft, 0))::float8 as feet
     from parcel_filters f left join valuations v using (fips, property_id) where property_id = any ($1)`,
    [[LARGE, SMALL]],
  );
  expect(figure(page, 'parts')).toBeCloseTo(sums.value, 2);
  expect(figure(page, 'frontage')).toBeCloseTo(sums.feet, 1);
  const whole = await one<{ acres: number; price: number; low_price: number; high_price: number }>(
    pool,
    'select acres, price, low_price, high_price from assemblage_values where assemblage_id = $1',
    [LARGE],
  );
  expect(whole.acres).toBe(ACRES);
  expect(figure(page, 'whole')).toBeCloseTo(whole.price, 2);
  // More land than the largest lot, at no more per acre than the lots alone.
  const large = await one<{ price: number }>(
    pool,
    'select mean_adjusted_price as price from valuations where property_id = $1',
    [LARGE],
  );
  expect(whole.price).toBeGreaterThan(large.price);
  expect(whole.price).toBeLessThan(sums.value);
  expect(whole.low_price).toBeLessThan(whole.price);
  expect(whole.high_price).toBeGreaterThan(whole.price);
});

test('the value of another acreage is not shown, and a parcel that is alone has no section', async () => {
  await pool.query('update assemblage_values set acres = acres + 1 where assemblage_id = $1', [LARGE]);
  const page = await show(LARGE);
  expect(figure(page, 'whole')).toBeUndefined();
  expect(figure(page, 'parts')).toBeGreaterThan(0);
  const alone = await one<{ property_id: number }>(
    pool,
    `select property_id from parcel_filters where fips = 33019 and owner_key is not null
       and property_id not in (select property_id from assemblages) order by property_id limit 1`,
  );
  const other = await show(alone.property_id);
  expect(section(other)).toBeUndefined();
  expect(other).not.toContain('swatch together');
});

test('the page says so if the owner has too many parcels', async () => {
  await pool.query('update assemblages set assemblage_id = null where property_id = $1', [SMALL]);
  const page = await show(SMALL);
  expect(section(page)).toBeUndefined();
  expect(page).toContain('id="too-many"');
});
