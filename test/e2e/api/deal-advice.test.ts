import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { DealEvent } from '../../../api/v1/deals/deal-history.ts';
import type { Deal } from '../../../api/v1/deals/deal-schema.ts';
import { enqueue } from '../../../shared/platform/queue/jobs.ts';
import { gradeDealsDailyJob } from '../../../workers/deals/grade-deals-daily-job.ts';
import { gradeDealsJob } from '../../../workers/deals/grade-deals-job.ts';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { dealCalls, doDealJobs, listingId } from '../../support/deals.ts';
import { insertListings } from '../../support/listings.ts';
import { listsOf } from '../../support/lists.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const { PATH, added, change, list } = dealCalls(api);

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
      suggested_action: 'hold',
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

describe('advice on a lot of 2.56 acres at $34,900', async () => {
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
  const range = (low: number, mean: number, high: number) =>
    `mean_adjusted_price = ${mean}, low_price = ${low}, high_price = ${high}, out_of_support = false`;
  const parcelIs = (facts: string) =>
    db.pool.query(`update parcels set ${facts} where fips = 33019 and property_id = $1`, [parcel]);

  test('includes no price if the valuation does not count', async () => {
    const alone = await advised('out_of_support = true');
    expect(alone).toMatchObject({
      suggested_action: 'hold',
      suggested_action_price: null,
      price: 34_900,
      advice: {
        action: 'hold',
        price: null,
        valuation_counts: false,
        valuation_problems: ['out_of_support'],
        like_listings: 12,
        profit_now: '23600.00',
        profit_then: '23600.00',
      },
      figures: { reason: 'no_valuation', valuation_problems: ['out_of_support'] },
    });
    expect((await advised(range(5_000, 20_000, 60_000))).advice).toMatchObject({
      action: 'hold',
      valuation_problems: ['too_wide'],
    });
  });

  test('is to hold, drop, or raise depending on the estimate and its range, never to a price below the estimate', async () => {
    expect(await advised(range(30_000, 59_163, 165_000))).toMatchObject({
      suggested_action: 'hold',
      suggested_action_price: null,
      advice: {
        action: 'hold',
        price: null,
        valuation_counts: true,
        valuation_problems: [],
        text: expect.stringMatching(/\b41% .*\$59,163/),
      },
      figures: { reason: 'not_above_estimate' },
    });
    expect(await advised(range(35_000, 59_163, 165_000))).toMatchObject({
      suggested_action: 'hold',
      suggested_action_price: null,
      advice: { action: 'raise', price: '59200.00', profit_now: '23600.00', profit_then: '47900.00' },
      figures: { reason: 'below_value' },
    });
    expect(await advised(range(15_000, 29_930, 60_000))).toMatchObject({
      suggested_action: 'drop',
      suggested_action_price: '30000.00',
      advice: { action: 'drop', price: '30000.00', profit_then: '18700.00' },
      figures: { reason: 'dearer_than_others' },
    });
    const cheap = await advised(range(5_000, 12_000, 40_000));
    const competitive = cheap.figures!.competitive_price!;
    expect(Number(competitive)).toBeGreaterThan(12_000);
    expect(cheap).toMatchObject({ suggested_action: 'drop', suggested_action_price: competitive });
    expect(await advised(range(15_000, 34_850, 60_000))).toMatchObject({
      suggested_action: 'hold',
      figures: { reason: 'no_lower_price' },
    });
  });

  test('compares prices per acre at the size of the lot, using the elasticity of the county', async () => {
    const { advice, figures } = await advised(range(15_000, 29_930, 60_000));
    const { rows } = await db.pool.query<{ ppa: number }>(
      `select price / lot_acres * (2.56 / lot_acres) ^ $1::float8 as ppa from listings
       where fips = 33019 and status = 'ACTIVE' and price > 0 and lot_acres between 2.56 / 3.0 and 3 * 2.56 and id <> $2`,
      [figures!.size_elasticity, listingId(36)],
    );
    const higher = rows.filter(({ ppa }) => Number(ppa) > 34_900 / 2.56).length;
    expect([advice!.like_listings, advice!.like_advantage]).toEqual([
      rows.length,
      Math.round((100 * higher) / rows.length),
    ]);
    const { rows: stored } = await db.pool.query<{ value: number }>(
      "select (estimates #>> '{effects,0,value}')::float8 as value from valuation_counties where fips = 33019",
    );
    // Between the county's own elasticity and the default of -0.5.
    const { value } = stored[0]!;
    expect(figures!.size_elasticity).toBeGreaterThan(Math.min(value, -0.5) - 1e-4);
    expect(figures!.size_elasticity).toBeLessThan(Math.max(value, -0.5) + 1e-4);
  });

  test('stays paused or dismissed until another action is advised or the user sets a price', async () => {
    await advised('out_of_support = true');
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
    // A raise is new advice, although its suggested_action is hold, too.
    expect(await advised(range(35_000, 59_163, 165_000))).toMatchObject({
      suggested_action: 'hold',
      advice: { action: 'raise' },
      advice_dismissed: false,
    });
  });

  test('is recorded as taken if the user follows a raise', async () => {
    await advised(range(35_000, 59_163, 165_000));
    await change(key, id, { price: '59200' });
    await doDealJobs(db.pool);
    const history = (await api.call(`${PATH}${id}/history/`, { key })).json as DealEvent[];
    expect(history.find(({ changes }) => changes.price !== undefined)).toMatchObject({
      cause: 'advice taken',
      changes: { price: ['34900.00', '59200.00'] },
    });
    expect((await list(key))[0]!.advice).toMatchObject({ action: expect.stringMatching(/hold|drop/) });
    await change(key, id, { price: null });
    await doDealJobs(db.pool);
  });

  test('reports exempt land, as lists do, and a parcel whose acreage differs from that of the listing', async () => {
    const lists = listsOf(api, key);
    const made = await lists.make({ offer: { percent: 50 } });
    await lists.add(made.id, { property_ids: [parcel!] });
    const reviewed = async () => (await lists.rows(made.id)).results[0]!.needs_review;
    const [before] = (
      await db.pool.query<{ acres: number; use: string }>(
        'select acres, land_use_code as use from parcels where fips = 33019 and property_id = $1',
        [parcel],
      )
    ).rows;
    expect((await advised(range(15_000, 29_930, 60_000))).advice!.valuation_problems).toEqual([]);
    expect(await reviewed()).toEqual([]);
    for (const [facts, problems] of [
      ["land_use_code = 'EXEMPT-MUNIC'", ['exempt', 'out_of_support']],
      ["land_use_code = 'AG EXEMPT'", []],
    ] as const) {
      await parcelIs(facts);
      const { advice } = await advised(range(15_000, 29_930, 60_000));
      expect(advice).toMatchObject({
        valuation_problems: problems,
        valuation_counts: problems.length === 0,
        action: problems.length === 0 ? 'drop' : 'hold',
      });
      expect(await reviewed()).toEqual(problems);
    }
    await db.pool.query('update parcels set land_use_code = $2 where fips = 33019 and property_id = $1', [
      parcel,
      before!.use,
    ]);
    await parcelIs('acres = 2.04');
    const other = await advised(range(15_000, 29_930, 60_000));
    expect(other.advice).toMatchObject({ action: 'hold', valuation_problems: ['other_acreage'] });
    expect(other.advice!.text).toMatch(/listing .*\b2\.56 acres.*parcel .*2\.04 acres/);
    await db.pool.query('update parcels set acres = $2 where fips = 33019 and property_id = $1', [
      parcel,
      before!.acres,
    ]);
  });

  test('has an action even if an older version computed it', async () => {
    await advised(range(15_000, 29_930, 60_000));
    await db.pool.query(
      `update deals set advice = advice - '{action,price,valuation_problems}'::text[],
         figures = figures - '{size_elasticity,valuation_problems}'::text[]
       where id = $1`,
      [id],
    );
    expect((await list(key, '?explain=true'))[0]).toMatchObject({
      advice: { action: 'drop', price: '30000.00', valuation_problems: [] },
      figures: { size_elasticity: null, valuation_problems: [] },
    });
  });
});
