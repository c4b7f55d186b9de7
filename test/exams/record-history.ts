import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openChanges, recordChanges } from '../../workers/changes/record-changes.ts';
import { createRandom, type Random } from '../bench/generate/random.ts';
import { newCaller, usageOf } from '../support/api.ts';
import type { TestDatabase } from '../support/database.ts';
import { FULL } from '../support/filter-parcels.ts';
import { type AccountInput, type AccountOutput, ALLOTMENT } from './account-model.ts';
import type { ChangeRead, ChangeWrite } from './change-reads.ts';
import type { FragileApi } from './fragile-api.ts';
import type { Op } from './linearizable.ts';

const CLIENTS = 8;
const FAULTS = 8;
/** Pause between a client's calls, on average half as long, so that a history stays small enough to check. */
const MAX_PAUSE_MS = 250;
const BACK_OFF_MS = 2_000;
const KEYS = 12;
/** After this long, a client stops waiting and doesn't know the result. */
const PATIENCE_MS = 3_000;
const V1 = '/api/public/v1';

type AccountOp = Op<AccountInput, AccountOutput>;

export type History = {
  calls: AccountOp[];
  reads: ChangeRead[];
  writes: ChangeWrite[];
  faults: string[];
};

/**
 * Lets clients call the API while its processes and their network fail, until the account has no tokens left,
 * and records what they saw.
 */
export async function recordHistory(
  db: TestDatabase,
  apis: readonly FragileApi[],
  seed: number,
): Promise<History> {
  const random = createRandom(seed);
  const often = { ratePerMinute: 1e6, rateBurst: 1e6 };
  const spender = await newCaller(db, { ...often, tokensIncluded: ALLOTMENT });
  const reader = await newCaller(db, { ...often, tokensIncluded: 1e6 });
  const [before] = await db.pool.run<{ head: number }>('changes/get_head');
  let isOver = false;
  const calls: AccountOp[] = [];
  const reads: ChangeRead[] = [];
  const readers = Array.from({ length: CLIENTS }, (_, client) =>
    changeReader(reader.key, client, before!.head, reads),
  );
  const clients = readers.map(async (readChanges, client) => {
    const own = createRandom(1_000 * seed + client);
    while (!isOver || !calls.some(call => call.output?.status === 402)) {
      await sleep(MAX_PAUSE_MS * own());
      const { url } = pick(own, apis);
      if (own() < 0.25) {
        await readChanges(url);
        continue;
      }
      const call = await callAccount(url, spender.key, inputOf(own));
      calls.push(call);
      // As clients do, and so that few results are unknown.
      if (call.end === undefined) await sleep(BACK_OFF_MS * own());
    }
  });
  const over = () => isOver;
  const [faults, , ...written] = await Promise.all([
    disturb(apis, random).finally(() => {
      isOver = true;
    }),
    Promise.all(clients),
    writeChanges(db, 33_019, over),
    writeChanges(db, 1_001, over),
  ]);
  await Promise.all(
    readers.map(async readChanges => {
      while (await readChanges(apis[0]!.url));
    }),
  );
  const { tokens } = await usageOf(db, spender.accountId);
  calls.push({
    ...span(performance.now()),
    input: { call: 'usage' },
    output: { status: 200, tokens: 0, answer: String(tokens) },
  });
  return { calls, reads, writes: written.flat(), faults };
}

const pick = <T>(random: Random, all: readonly T[]): T => all[Math.floor(all.length * random())]!;
const span = (start: number) => ({ start, end: performance.now() });

async function disturb(apis: readonly FragileApi[], random: Random): Promise<string[]> {
  const faults: string[] = [];
  while (faults.length < FAULTS) {
    await sleep(MAX_PAUSE_MS * 4 * random());
    faults.push(await pick(random, apis).fail(random));
  }
  return faults;
}

/** Writes changes as workers do, and a figure that the filter returns. */
async function writeChanges(db: TestDatabase, fips: number, isOver: () => boolean): Promise<ChangeWrite[]> {
  const writes: ChangeWrite[] = [];
  while (!isOver()) {
    await sleep(MAX_PAUSE_MS);
    await db.pool.transaction(async tx => {
      await openChanges(tx);
      const name = `Owner ${writes.length}`;
      await tx.query('update parcels set owner_name_2 = $1 where property_id = $2 and fips = $3', [
        name,
        FULL.property_id,
        fips,
      ]);
      await tx.query(
        `insert into pending_changes (type, fips, property_id, fields)
         select 'parcel.changed', $1::int, $1::bigint * 100000000 + n, '{"acres": [1, 2]}' from generate_series(1, 3) n`,
        [fips],
      );
      await recordChanges(tx);
    });
    const [{ head } = { head: 0 }] = await db.pool.run<{ head: number }>('changes/get_head');
    writes.push({ end: performance.now(), head });
  }
  return writes;
}

function inputOf(random: Random): AccountInput {
  const chance = random();
  if (chance < 0.2) return { call: 'usage' };
  if (chance < 0.6) return { call: 'stats' };
  const body = random() < 0.9 ? '{"county":"33019"}' : '{"county":"33019","acres_min":1}';
  return { call: 'filter', key: `search-${Math.floor(KEYS * random())}`, body };
}

/** What the history knows of a call. A 503 may have been charged, like a call without a response. */
async function callAccount(url: string, key: string, input: AccountInput): Promise<AccountOp> {
  const start = performance.now();
  const reply = await send(url, key, input).catch(() => undefined);
  if (reply === undefined || reply.status === 503) return { start, input };
  const tokens = Number(reply.headers.get('x-tokens-used') ?? 0);
  const answer =
    input.call === 'usage' && reply.status === 200
      ? String(JSON.parse(reply.text)[0].tokens_used)
      : hash('md5', reply.text);
  return { ...span(start), input, output: { status: reply.status, tokens, answer } };
}

function send(url: string, key: string, input: AccountInput) {
  if (input.call === 'stats') return fetchText(`${url}${V1}/markets-stats/33019/stats/`, key);
  if (input.call === 'usage') return fetchText(`${url}${V1}/usage/`, key);
  return fetchText(`${url}${V1}/properties/filter/`, key, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': input.key },
    body: input.body,
  });
}

async function fetchText(
  url: string,
  key: string,
  init: RequestInit & { headers?: Record<string, string> } = {},
) {
  const headers = { ...init.headers, Authorization: `Bearer ${key}` };
  const response = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(PATIENCE_MS) });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** A client that reads changes page by page. Reads return false once there are no more. */
function changeReader(key: string, client: number, after: number, reads: ChangeRead[]) {
  let query = `after=${after}`;
  return async (url: string): Promise<boolean> => {
    const start = performance.now();
    const reply = await fetchText(`${url}${V1}/changes/?limit=20&${query}`, key).catch(() => undefined);
    if (reply?.status !== 200) return true;
    const page = JSON.parse(reply.text);
    query = `cursor=${page.next_cursor}`;
    const changes = page.results.map((change: { seq: number }) => ({
      seq: change.seq,
      text: JSON.stringify(change),
    }));
    reads.push({ client, ...span(start), changes, hasMore: page.has_more });
    return page.has_more;
  };
}
