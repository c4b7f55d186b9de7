import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Deal } from '../../../api/v1/deals/deal-schema.ts';
import { enqueue } from '../../../shared/platform/queue/jobs.ts';
import { gradeDealsDailyJob } from '../../../workers/deals/grade-deals-daily-job.ts';
import { gradeDealsJob } from '../../../workers/deals/grade-deals-job.ts';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { dealCalls, doDealJobs, listingId } from '../../support/deals.ts';
import { insertListings } from '../../support/listings.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const { added, change, list } = dealCalls(api);

describe('a price set by hand is enough without a listing', () => {
  const unlisted = async () =>
    (
      await db.pool.query<{ id: number; acres: number }>(
        "select property_id as id, effective_acres as acres from parcels where fips = 33019 and apn = '000015 000012 000000'",
      )
    ).rows[0]!;
  const read = async (key: string) => (await list(key, '?explain=true'))[0]!;

  test('POST and PATCH derive advantage, grade, and advice from it, and count days since it was first set', async () => {
    const { key } = await newCaller(db);
    const { id: property_id, acres } = await unlisted();
    const { id, price } = await added(key, { property_id, price: 30_000.5, purchase_price: '5000' });
    expect(price).toBe(30_000.5);
    await doDealJobs(db.pool);
    const { rows } = await db.pool.query<{ advantage: number }>(
      `select round(100.0 * count(*) filter (where price / lot_acres > $1) / count(*))::int as advantage
       from listings where fips = 33019 and status = 'ACTIVE' and price > 0 and lot_acres > 0`,
      [30_000.5 / acres],
    );
    const deal = await read(key);
    expect(deal).toMatchObject({
      fetch_status: 'not_found',
      price: 30_000.5,
      acreage: acres,
      days_on_market: 0,
      traction_score: 0,
      price_advantage: rows[0]!.advantage,
      expected_profit: '25000.50',
      listing_grade: expect.stringMatching(/^[A-F]/),
      suggested_action: expect.stringMatching(/^(drop|hold)$/),
      advice: {
        text: expect.stringContaining('$25,000.50'),
        like_advantage: expect.any(Number),
        profit_now: '25000.50',
        valuation_counts: false,
      },
    });
    await db.pool.query('update deals set own_price_since = own_price_since - 10 where id = $1', [id]);
    await enqueue(db.pool, gradeDealsDailyJob, {});
    for (let round = 0; round < 2; round++) await doDealJobs(db.pool);
    expect((await read(key)).days_on_market).toBe(10);
    const changed = (await change(key, id, { price: 20_000 })).json as Deal;
    expect(changed).toMatchObject({ price: 20_000, suggested_action: '', advice: null });
    await doDealJobs(db.pool);
    expect(await read(key)).toMatchObject({ price: 20_000, days_on_market: 10, expected_profit: '15000.00' });
    await change(key, id, { price: null });
    await doDealJobs(db.pool);
    expect(await read(key)).toMatchObject({
      price: null,
      days_on_market: null,
      price_advantage: null,
      listing_grade: '',
      suggested_action: '',
      advice: null,
      expected_profit: '-5000.00',
    });
  });

  test('a live listing that is found later takes over; beside it a price stands until the listing has another', async () => {
    const { key } = await newCaller(db);
    const { id: property_id, acres } = await unlisted();
    const { id } = await added(key, { property_id, price: '30000' });
    await doDealJobs(db.pool);
    const listing = { id: randomUUID(), fips: 33_019, apn: '15-12', lotAcres: acres, price: 41_000 };
    await insertListings(db.pool, [{ ...listing, daysOnMarket: 77 }]);
    await enqueue(db.pool, gradeDealsJob, { fips: 33_019 });
    await doDealJobs(db.pool);
    expect(await read(key)).toMatchObject({ fetch_status: 'found', price: 41_000, days_on_market: 77 });
    await change(key, id, { price: '39000' });
    await doDealJobs(db.pool);
    expect(await read(key)).toMatchObject({ price: 39_000, days_on_market: 77 });
    await db.pool.query('update listings set price = 40000 where id = $1', [listing.id]);
    await enqueue(db.pool, gradeDealsJob, { fips: 33_019 });
    await doDealJobs(db.pool);
    expect(await read(key)).toMatchObject({ price: 40_000 });
    await db.pool.query('delete from listings where id = $1', [listing.id]);
  });

  test('beside a comp that is named it stands at once', async () => {
    const { key } = await newCaller(db);
    await added(key, { listing_id: listingId(2), price: '21000' });
    await doDealJobs(db.pool);
    expect(await read(key)).toMatchObject({ fetch_status: 'found', price: 21_000, days_on_market: 161 });
  });
});

test('advice compares lots of the size, and never goes below a valuation of the same land', async () => {
  const { key } = await newCaller(db);
  const { id } = await added(key, { listing_id: listingId(36), purchase_price: '9500', agent_fee: '1800' });
  await doDealJobs(db.pool);
  const [{ property_id: parcel }] = (await list(key)) as [Deal];
  const advised = async (valuation: string) => {
    await db.pool.query(`update valuations set ${valuation} where property_id = $1`, [parcel]);
    await change(key, id, { misc_costs: null });
    await doDealJobs(db.pool);
    return (await list(key, '?explain=true'))[0]!;
  };
  const range = (low: number, high: number) =>
    `mean_adjusted_price = 59163, low_price = ${low}, high_price = ${high}, out_of_support = false`;

  const alone = await advised('out_of_support = true');
  expect(alone).toMatchObject({
    suggested_action: 'drop',
    price: 34_900,
    advice: { valuation_counts: false, like_listings: 12, profit_now: '23600.00' },
  });
  const price = Number(alone.suggested_action_price);
  // Tracts of 40 acres ask so little per acre that it would be $12,000 among them.
  expect(price).toBeGreaterThan(12_000);
  expect(alone.advice).toMatchObject({ profit_then: `${price - 11_300}.00` });

  // What a person answers to it stands until another action is advised, and ends with a price of theirs.
  const answered = await change(key, id, { advice_held_until: '2030-01-31', advice_dismissed: true });
  expect(answered.json).toMatchObject({ advice_held_until: '2030-01-31', advice_dismissed: true });
  expect(await advised('out_of_support = true')).toMatchObject({ advice_dismissed: true });
  await change(key, id, { price: 34_800 });
  expect(await advised('out_of_support = true')).toMatchObject({
    advice_held_until: null,
    advice_dismissed: false,
  });
  await change(key, id, { price: null });
  const early = await change(key, id, { advice_dismissed: true });
  expect([early.status, (early.json as { error: { details: object } }).error.details]).toEqual([
    400,
    { advice_dismissed: [expect.any(String)] },
  ]);
  await doDealJobs(db.pool);
  await change(key, id, { advice_dismissed: true });

  const counted = await advised(range(price + 50, 165_000));
  expect(counted).toMatchObject({
    suggested_action_price: `${price + 100}.00`,
    advice: { valuation_counts: true, text: expect.stringMatching(/\b41% .*\$59,163/) },
  });
  expect(await advised(range(34_850, 165_000))).toMatchObject({
    suggested_action: 'hold',
    advice_dismissed: false,
    suggested_action_price: null,
    advice: { profit_then: '23600.00' },
    figures: { reason: 'no_lower_price' },
  });
  expect((await advised(range(0, price - 50))).suggested_action_price).toBe(`${price - 100}.00`);

  await db.pool.query('update parcels set acres = 2.04 where fips = 33019 and property_id = $1', [parcel]);
  const other = await advised(range(34_850, 165_000));
  expect(other).toMatchObject({ suggested_action: 'drop', advice: { valuation_counts: false } });
  expect(other.advice!.text).toMatch(/listing .*\b2\.56 acres.*parcel .*2\.04 acres/);
});
