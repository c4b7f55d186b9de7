import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Deal } from '../../api/v1/deals/deal-schema.ts';
import { DEAL_STAGES, type DealStage, fromCents, toCents } from '../../shared/deals/deal-terms.ts';
import { uuidV5 } from '../../shared/model/uuid.ts';
import { enqueue } from '../../shared/platform/queue/jobs.ts';
import { gradeDealsJob } from '../../workers/deals/grade-deals-job.ts';
import { newCaller, posting, startTestApi, type TestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { doDealJobs } from '../support/deals.ts';
import { insertListings } from '../support/listings.ts';
import { runs } from '../support/runs.ts';

const PATH = '/api/public/v1/deal-flow/listings/';
const FIPS = 33_019;
const LISTINGS = 8;
const idOf = (n: number) => uuidV5(`model listing ${n}`);

const db = await createTestDatabase();

/** What a person and the market have said, and what follows from it; read as plainly as it is defined. */
type Listing = { cents: bigint; acres: number; active: boolean };
type Card = {
  id: string;
  listing: number;
  spendCents: bigint;
  /** Set by hand: `alone` where no live listing was there. */
  own: { cents: bigint; over: bigint | null; alone: boolean } | null;
  /** What the last look found; null before the first. */
  seen: { cents: bigint; live: boolean; advantage: number | null } | null;
};
type Model = { listings: Listing[]; lanes: Record<string, Card[]> };
type Real = { api: TestApi; key: string };

const cards = ({ lanes }: Model) => Object.values(lanes).flat();
const stageOf = ({ lanes }: Model, card: Card) =>
  Object.keys(lanes).find(stage => lanes[stage]!.includes(card))!;

function look(model: Model, card: Card): void {
  const listing = model.listings[card.listing]!;
  if (!listing.active) {
    if (card.seen !== null) card.seen.live = false;
    else card.seen = { cents: 0n, live: false, advantage: null };
    if (card.own?.alone) card.seen.advantage = advantageOf(model, card, card.own.cents);
    return;
  }
  if (card.own !== null && card.own.over !== listing.cents) card.own = null;
  if (card.own !== null) card.own.alone = false;
  const advantage = advantageOf(model, card, card.own?.cents ?? listing.cents);
  card.seen = { cents: listing.cents, live: true, advantage };
}

function advantageOf(model: Model, card: Card, cents: bigint): number | null {
  const listing = model.listings[card.listing]!;
  const others = model.listings.filter((other, n) => other.active && n !== card.listing);
  const ppa = Number(cents) / 100 / listing.acres;
  const dearer = others.filter(other => Number(other.cents) / 100 / other.acres > ppa).length;
  return others.length === 0 ? null : Math.round((100 * dearer) / others.length);
}

async function call(real: Real, path: string, method: string, body?: object) {
  const reply = await real.api.call(PATH + path, {
    ...(body === undefined ? { key: real.key } : posting(real.key, JSON.stringify(body))),
    method,
  });
  return { status: reply.status, deal: reply.json as Deal };
}

async function agree(model: Model, real: Real): Promise<void> {
  const deals = (await real.api.call(PATH, { key: real.key })).json as Deal[];
  const wanted = [...DEAL_STAGES, ''].flatMap(status =>
    model.lanes[status]!.map((card, position) => {
      const found = card.seen?.live === true;
      const price =
        card.own?.cents ?? (card.seen === null || card.seen.cents === 0n ? null : card.seen.cents);
      return {
        id: card.id,
        status,
        position,
        fetch_status: card.seen === null ? 'waiting' : found ? 'found' : 'ended',
        price: price === null ? null : Number(price) / 100,
        price_advantage: card.seen?.advantage ?? null,
        expected_profit: fromCents((price ?? 0n) - card.spendCents),
        advised: (found || card.own?.alone === true) && status === 'listed',
      };
    }),
  );
  expect(
    deals.map(deal => ({
      id: deal.id,
      status: deal.status,
      position: deal.position,
      fetch_status: deal.fetch_status,
      price: deal.price,
      price_advantage: deal.price_advantage,
      expected_profit: deal.expected_profit,
      advised: deal.suggested_action !== '',
    })),
  ).toEqual(wanted);
}

/** Jobs are done after every change, as workers would within a second. */
async function settle(model: Model, real: Real, touched: Card[]): Promise<void> {
  await doDealJobs(db.pool);
  for (const card of touched) look(model, card);
  await agree(model, real);
}

type Step = { describe: string; run(model: Model, real: Real): Promise<void> };
const step = (describe: string, run: Step['run']): fc.AsyncCommand<Model, Real> => ({
  check: () => true,
  run,
  toString: () => describe,
});

const cents = fc.bigInt({ min: 1n, max: 9_999_999n });
const stages = fc.constantFrom<DealStage>(...DEAL_STAGES, '');
const pick = (model: Model, n: number): Card | undefined =>
  cards(model)[n % Math.max(1, cards(model).length)];

const commands = [
  fc.tuple(fc.nat(LISTINGS - 1), stages, cents).map(([listing, status, spend]) =>
    step(`add ${listing} to ${status} for ${spend}`, async (model, real) => {
      const body = { listing_id: idOf(listing), status, purchase_price: fromCents(spend) };
      const { status: code, deal } = await call(real, '', 'POST', body);
      expect(code).toBe(201);
      const card: Card = { id: deal.id, listing, spendCents: spend, own: null, seen: null };
      model.lanes[status]!.push(card);
      await agree(model, real);
      await settle(model, real, [card]);
    }),
  ),
  fc.tuple(fc.nat(), stages, fc.option(fc.nat(12), { nil: undefined })).map(([n, status, position]) =>
    step(`move ${n} to ${status} at ${position}`, async (model, real) => {
      const card = pick(model, n);
      if (card === undefined) return;
      const from = stageOf(model, card);
      expect((await call(real, `${card.id}/`, 'PATCH', { status, position })).status).toBe(200);
      if (position !== undefined || from !== status) {
        model.lanes[from]!.splice(model.lanes[from]!.indexOf(card), 1);
        model.lanes[status]!.splice(Math.min(position ?? 1e9, model.lanes[status]!.length), 0, card);
      }
      await settle(model, real, from === status ? [] : [card]);
    }),
  ),
  fc.tuple(fc.nat(), cents).map(([n, spend]) =>
    step(`spend ${spend} on ${n}`, async (model, real) => {
      const card = pick(model, n);
      if (card === undefined) return;
      await call(real, `${card.id}/`, 'PATCH', { purchase_price: fromCents(spend) });
      card.spendCents = spend;
      await settle(model, real, [card]);
    }),
  ),
  fc.tuple(fc.nat(), cents).map(([n, price]) =>
    step(`ask ${price} for ${n}`, async (model, real) => {
      const card = pick(model, n);
      if (!card?.seen) return;
      await call(real, `${card.id}/`, 'PATCH', { price: fromCents(price) });
      const { cents: listed, live } = card.seen;
      card.own = { cents: price, over: listed === 0n ? null : listed, alone: !live };
      await settle(model, real, [card]);
    }),
  ),
  fc.nat().map(n =>
    step(`take the price of ${n} back`, async (model, real) => {
      const card = pick(model, n);
      if (!card?.seen) return;
      await call(real, `${card.id}/`, 'PATCH', { price: null });
      if (card.own?.alone) card.seen.advantage = null;
      card.own = null;
      await settle(model, real, [card]);
    }),
  ),
  fc.nat().map(n =>
    step(`remove ${n}`, async (model, real) => {
      const card = pick(model, n);
      if (card === undefined) return;
      expect((await call(real, `${card.id}/`, 'DELETE')).status).toBe(204);
      const lane = model.lanes[stageOf(model, card)]!;
      lane.splice(lane.indexOf(card), 1);
      expect((await call(real, `${card.id}/`, 'GET')).status).toBe(404);
      await settle(model, real, []);
    }),
  ),
  fc.tuple(fc.nat(LISTINGS - 1), cents, fc.boolean()).map(([n, price, active]) =>
    step(`listing ${n} ${active ? `asks ${price}` : 'is gone'}`, async (model, real) => {
      Object.assign(model.listings[n]!, active ? { cents: price, active } : { active });
      await db.pool.query('update listings set status = $2, price = coalesce($3, price) where id = $1', [
        idOf(n),
        active ? 'ACTIVE' : 'OFF_MARKET',
        active ? fromCents(price) : null,
      ]);
      await enqueue(db.pool, gradeDealsJob, { fips: FIPS });
      // An ingestion grades what is listed, and what was never found.
      const due = cards(model).filter(
        ({ id, seen }) =>
          model.lanes.listed!.some(card => card.id === id) || seen === null || seen.cents === 0n,
      );
      await settle(model, real, due);
    }),
  ),
  fc.constant(
    step('another process of the API', async (model, real) => {
      await real.api.stop();
      real.api = await startTestApi(db);
      await agree(model, real);
    }),
  ),
];

test('the board is what a plain model says after any adds, moves, edits, removals, ingestions and restarts', async () => {
  await db.pool.query(
    "insert into regions (id, type, code, name, state, county_name, fips) values (gen_random_uuid(), 'county', '33019', 'Sullivan', 'NH', 'Sullivan', 33019)",
  );
  const first = Array.from({ length: LISTINGS }, (_, n) => ({
    cents: BigInt(100_000 * (n + 2)),
    acres: 1 + n / 3,
    active: true,
  }));
  await insertListings(
    db.pool,
    first.map(({ cents: price, acres }, n) => ({
      id: idOf(n),
      fips: FIPS,
      lotAcres: acres,
      price: Number(price) / 100,
      county: 'Sullivan',
      state: 'NH',
      address: `${n} MAIN ST`,
      listedDate: '2026-01-01',
    })),
  );
  let api = await startTestApi(db);
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 25 }), async steps => {
      const { key } = await newCaller(db);
      await db.pool.query("update listings set status = 'ACTIVE', price = (lot_acres - 1) * 3000 + 2000");
      const listings = first.map(listing => ({
        ...listing,
        cents: toCents(((listing.acres - 1) * 3_000 + 2_000).toFixed(2)),
      }));
      const lanes = Object.fromEntries([...DEAL_STAGES, ''].map(stage => [stage, [] as Card[]]));
      const real: Real = { api, key };
      await db.pool.query('delete from deals');
      await fc.asyncModelRun(() => ({ model: { listings, lanes }, real }), steps);
      api = real.api;
    }),
    { numRuns: runs(8) },
  );
});
