import { describe, expect, test } from 'vitest';
import type { Change } from '../../../api/v1/changes/list-changes.ts';
import { SCOPES } from '../../../shared/accounts/tiers.ts';
import { openChanges, recordChanges } from '../../../workers/changes/record-changes.ts';
import { expireRecords } from '../../../workers/housekeeping/expire-records-job.ts';
import { newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase, lockWaits } from '../../support/database.ts';
import { commandsOn } from '../../support/plat.ts';
import { TestDb } from '../../support/test-db.ts';
import { askTool } from '../../support/tool-call.ts';

const db = await createTestDatabase({}, { regions: true });
let ahead = 0;
const api = await startTestApi(db, { now: () => new Date(Date.now() + ahead) });
const { key, accountId } = await newCaller(db, {}, { scopes: [...SCOPES] });
const { plat, json, refused } = commandsOn(db);

type Page = { results: Change[]; next_cursor: string; has_more: boolean };

const PATH = '/api/public/v1/changes/';

async function page(query: string, tokens?: number): Promise<Page> {
  const { status, json, headers } = await api.call(`${PATH}?${query}`, { key });
  expect([status, json]).toMatchObject([200, {}]);
  if (tokens !== undefined) expect(headers.get('x-tokens-used')).toBe(String(tokens));
  return json as Page;
}

const fault = async (query: string) => {
  const { status, json } = await api.call(`${PATH}?${query}`, { key });
  const { code, details } = (json as { error: { code: string; details: Record<string, string[]> } }).error;
  return { status, code, details };
};

/** What a worker does: stages changes in its transaction, and numbers them last of all. */
async function write(client: TestDb, fips: number, count: number, type = 'parcel.changed'): Promise<void> {
  await openChanges(client);
  await client.query(
    `insert into pending_changes (type, fips, property_id, fields)
     select $1, $2::int, $2::bigint * 100000000 + n, '{"acres": [1, 2]}' from generate_series(1, $3::int) n`,
    [type, fips, count],
  );
  await recordChanges(client, 7);
}
const change = (fips: number, count: number, type?: string) =>
  db.pool.transaction(client => write(client, fips, count, type));

const clear = () => db.pool.query('truncate changes');

describe('pages', () => {
  test('start with the oldest change, follow one another, and end at the last; later changes continue from there', async () => {
    await clear();
    await change(33_019, 25);
    const first = await page('limit=10', 1);
    expect(first.results[0]).toEqual({
      seq: expect.any(Number),
      type: 'parcel.changed',
      at: expect.any(String),
      run_id: 7,
      fips: '33019',
      property_id: 3301900000001,
      fields: { acres: [1, 2] },
    });
    const second = await page(`limit=11&cursor=${first.next_cursor}`, 2);
    const third = await page(`cursor=${second.next_cursor}`, 1);
    expect([first, second, third].map(({ results, has_more }) => [results.length, has_more])).toEqual([
      [10, true],
      [11, true],
      [4, false],
    ]);
    const all = [first, second, third].flatMap(({ results }) => results.map(({ seq }) => seq));
    expect(all).toEqual([...new Set(all)].sort((a, b) => a - b));
    expect(await page(`cursor=${third.next_cursor}`, 0)).toMatchObject({ results: [], has_more: false });
    await change(33_019, 2);
    expect((await page(`cursor=${third.next_cursor}`, 1)).results).toHaveLength(2);
    // The same cursor says the same again.
    expect(await page(`limit=10`)).toMatchObject({ results: first.results, has_more: true });
  });

  test('can be limited to a county and to types', async () => {
    await clear();
    await change(33_019, 3);
    await change(33_005, 2, 'parcel.new');
    await change(33_019, 1, 'parcel.retired');
    const types = async (query: string) =>
      (await page(query)).results.map(({ fips, type }) => `${fips} ${type}`);
    expect(await types('fips=33005')).toEqual(Array(2).fill('33005 parcel.new'));
    expect(await types('types=parcel.new,parcel.retired')).toEqual([
      '33005 parcel.new',
      '33005 parcel.new',
      '33019 parcel.retired',
    ]);
    expect(await types('types=parcel.new&types=parcel.retired&fips=33019')).toEqual(['33019 parcel.retired']);
  });

  test('starting at from=now are empty and free; later changes follow', async () => {
    await change(33_019, 3);
    const start = await page('from=now&fips=33019', 0);
    expect(start).toMatchObject({ results: [], has_more: false });
    await change(33_005, 2);
    const quiet = await page(`fips=33019&cursor=${start.next_cursor}`, 0);
    expect(quiet).toMatchObject({ results: [], has_more: false });
    await change(33_019, 1);
    expect((await page(`fips=33019&cursor=${quiet.next_cursor}`, 1)).results).toHaveLength(1);
  });

  test('a search for few changes among many stops early, and continues', async () => {
    await clear();
    await change(33_019, 100_000);
    await change(33_019, 1, 'parcel.new');
    const first = await page('types=parcel.new', 0);
    expect(first).toMatchObject({ results: [], has_more: true });
    const second = await page(`types=parcel.new&cursor=${first.next_cursor}`, 1);
    expect(second).toMatchObject({ results: [{ type: 'parcel.new' }], has_more: false });
    await clear();
  });

  test('are charged per started ten', async () => {
    const { tokens } = await usageOf(db, accountId);
    await change(33_019, 21);
    await page('limit=21', 3);
    expect((await usageOf(db, accountId)).tokens).toBe(tokens + 3);
  });
});

test('errors name their parameter', async () => {
  const { next_cursor } = await page('from=now&fips=33019');
  expect(await fault('types=parcel.old')).toMatchObject({
    status: 400,
    details: { types: [expect.stringContaining('parcel.new')] },
  });
  expect(await fault('fips=99999')).toMatchObject({ status: 400, details: { fips: [expect.any(String)] } });
  expect(await fault('limit=501')).toMatchObject({
    status: 400,
    details: { limit: [expect.stringMatching(/\b1\b.*\b500\b/)] },
  });
  expect(await fault('from=then')).toMatchObject({
    status: 400,
    details: { from: [expect.stringMatching(/\bnow\b/)] },
  });
  expect(await fault('cursor=abc')).toMatchObject({
    status: 400,
    details: { cursor: [expect.not.stringContaining('types')] },
  });
  for (const other of ['', 'fips=33005&', 'fips=33019&types=parcel.new&'])
    expect(await fault(`${other}cursor=${next_cursor}`)).toMatchObject({
      status: 400,
      details: { cursor: [expect.stringContaining('types')] },
    });
  expect(await fault(`from=now&fips=33019&cursor=${next_cursor}`)).toMatchObject({
    status: 400,
    details: { from: [expect.any(String)] },
  });
  expect(await fault('search_id=1')).toMatchObject({ status: 400 });
});

test('numbers are in commit order: a reader never sees a smaller one later', async () => {
  await clear();
  const [slow, quick] = await Promise.all([db.pool.connect(), db.pool.connect()]);
  try {
    await slow.query('begin');
    await write(new TestDb(slow), 33_019, 2);
    await quick.query('begin');
    let committed = false;
    const writing = write(new TestDb(quick), 33_005, 2)
      .then(() => quick.query('commit'))
      .then(() => {
        committed = true;
      });
    await expect.poll(() => lockWaits(db)).toBe(1);
    const before = await page('');
    expect(before).toMatchObject({ results: [], has_more: false });
    expect(committed).toBe(false);
    await slow.query('commit');
    await writing;
    const after = await page(`cursor=${before.next_cursor}`);
    expect(after.results.map(({ fips }) => fips)).toEqual(['33019', '33019', '33005', '33005']);

    // A number that was rolled back is missing, and nothing waits for it.
    await slow.query('begin');
    await write(new TestDb(slow), 33_019, 2);
    await slow.query('rollback');
    await change(33_005, 1);
    const last = await page(`cursor=${after.next_cursor}`);
    expect(last.results).toHaveLength(1);
    expect(last.results[0]!.seq).toBeGreaterThan(after.results.at(-1)!.seq + 1);
  } finally {
    slow.release();
    quick.release();
  }
});

test('a transaction without changes waits for none', async () => {
  const holder = await db.pool.connect();
  try {
    await holder.query('begin');
    await write(new TestDb(holder), 33_019, 1);
    await db.pool.transaction(async client => {
      await openChanges(client);
      await recordChanges(client);
    });
  } finally {
    await holder.query('rollback');
    holder.release();
  }
});

test('changes older than 400 days are deleted, and cursors before them get an error with where to start again', async () => {
  await clear();
  await change(33_019, 3);
  const { next_cursor } = await page('limit=1');
  await db.pool.query("update changes set at = now() - interval '402 days'");
  await change(33_019, 2);
  const kept = { SKIP_TRACE_KEEP_DAYS: 30, TRACE_AUDIT_YEARS: 5 };
  await expireRecords(db.pool, kept);
  expect((await page('')).results).toHaveLength(2);

  ahead = 399 * 86_400_000;
  expect((await page(`limit=5&cursor=${next_cursor}`)).results).toHaveLength(2);
  ahead = 401 * 86_400_000;
  expect(await fault(`limit=5&cursor=${next_cursor}`)).toEqual({
    status: 410,
    code: 'not_found',
    details: { resync_from: [`${api.url}${PATH}?limit=5&from=now`] },
  });
  ahead = 0;
  await expireRecords(db.pool, kept);
  expect((await page('')).results).toHaveLength(2);
});

describe('after a restore from an older dump', () => {
  const GONE = {
    status: 410,
    code: 'not_found',
    details: { resync_from: [`${api.url}${PATH}?fips=33019&from=now`] },
  };
  const newest = async () =>
    (await db.pool.query<{ seq: number }>('select coalesce(max(seq), 0) as seq from changes')).rows[0]!.seq;
  /** What a dump of that moment has: its changes, and its place in their numbers. */
  const restore = async (seq: number) => {
    await db.pool.query('delete from changes where seq > $1', [seq]);
    await db.pool.query("select setval(pg_get_serial_sequence('changes', 'seq'), $1)", [seq]);
  };

  test('a cursor or seq beyond the newest gets 410, costs nothing, and says where to continue', async () => {
    await clear();
    await change(33_019, 3);
    const dump = await newest();
    const atDump = await page('fips=33019');
    await change(33_019, 5);
    const [inside, last] = [await page('fips=33019&limit=5'), await page('fips=33019')];
    const quiet = await page('fips=33019&from=now');
    const after = await newest();
    await restore(dump);
    const { tokens } = await usageOf(db, accountId);
    for (const lost of [inside, last, quiet])
      expect(await fault(`fips=33019&cursor=${lost.next_cursor}`)).toEqual(GONE);
    expect(await fault(`fips=33019&after=${after}`)).toEqual(GONE);
    const given = { fips: '33019', cursor: last.next_cursor };
    const { tokens: cost, json: refusal } = await askTool(api.url, key, ['list_changes', given]);
    expect([cost, refusal]).toMatchObject([
      0,
      { error: { code: GONE.code, details: { resync_from: [expect.stringContaining('&from=now')] } } },
    ]);
    expect((await usageOf(db, accountId)).tokens).toBe(tokens);

    // What the dump has is read on.
    const kept = await page(`fips=33019&cursor=${atDump.next_cursor}`, 0);
    expect(kept).toMatchObject({ results: [], has_more: false });
    await change(33_019, 1);
    expect((await page(`fips=33019&cursor=${kept.next_cursor}`)).results).toHaveLength(1);
    expect(await fault(`fips=33019&cursor=${last.next_cursor}`)).toEqual(GONE);
  });

  test('even after new changes have reused its number', async () => {
    await clear();
    await change(33_019, 3);
    const dump = await newest();
    await change(33_019, 5);
    const [inside, quiet] = [await page('fips=33019&limit=5'), await page('fips=33019&from=now')];
    await restore(dump);
    await change(33_019, 9);
    await db.pool.query("update changes set at = at + interval '10 minutes' where seq > $1", [dump]);
    for (const lost of [inside, quiet])
      expect(await fault(`fips=33019&cursor=${lost.next_cursor}`)).toEqual(GONE);
  });

  test('a cursor still works if nothing has changed for 400 days', async () => {
    await clear();
    await change(33_019, 3);
    await db.pool.query("update changes set at = now() - interval '402 days'");
    const { next_cursor } = await page('fips=33019&from=now');
    await expireRecords(db.pool, { SKIP_TRACE_KEEP_DAYS: 30, TRACE_AUDIT_YEARS: 5 });
    expect(await page(`fips=33019&cursor=${next_cursor}`, 0)).toMatchObject({ results: [] });
  });
});

test('plat changes lists the newest changes, by county, by type, and since a time', async () => {
  await clear();
  await change(33_005, 2);
  await change(33_019, 3, 'parcel.new');
  const listed = async (...flags: string[]) =>
    ((await json('changes', ...flags)) as { property_id: number }[]).map(({ property_id }) => property_id);
  expect(await listed('--limit', '1')).toEqual([3301900000003]);
  expect(await listed('--county', '33005')).toEqual([3300500000002, 3300500000001]);
  expect(await listed('--type', 'parcel.new', '--county', '33005')).toEqual([]);
  expect(await listed('--since', '2100-01-01')).toEqual([]);
  const { out } = await plat('changes', '--county', '33005', '--limit', '1');
  expect(out).toContain('parcel.changed');
  expect(out).toContain('acres 1 -> 2');
  await refused(['changes', '--type', 'parcel.old'], /Allowed choices are county.loaded/);
});
