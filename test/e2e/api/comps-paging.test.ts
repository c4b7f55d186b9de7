import { describe, expect, test } from 'vitest';
import { newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { COMPS, compsCaller } from '../../support/comps.ts';
import { createTestDatabase } from '../../support/database.ts';

const db = await createTestDatabase();
const api = await startTestApi(db);
const { key, accountId, seed, list, ids } = await compsCaller(db, api);

describe('paging', () => {
  test('next and previous are absolute, keep every parameter, and walk through everything', async () => {
    const all = await seed('10040', ...Array.from({ length: 7 }, () => ({ status: 'SOLD' as const })));
    const parameters = 'zip=10040&status=SOLD&status=ACTIVE&page_size=3&dist=7&order=-ppa';
    const first = await list(parameters);
    expect([first.count, first.previous]).toEqual([7, null]);
    const next = new URL(first.next!);
    expect(next.origin + next.pathname).toBe(api.url + COMPS);
    expect(next.searchParams.getAll('status')).toEqual(['SOLD', 'ACTIVE']);
    expect(Object.fromEntries(next.searchParams)).toMatchObject({
      ...{ zip: '10040', page_size: '3', dist: '7', order: '-ppa', page: '2' },
    });
    const second = await list(next.search.slice(1));
    const third = await list(new URL(second.next!).search.slice(1));
    expect([first, second, third].flatMap(page => page.results.map(comp => comp.id))).toEqual(all);
    expect(third.next).toBeNull();
    const back = await list(new URL(third.previous!).search.slice(1));
    expect(back.results).toEqual(second.results);
    expect(await ids(`${parameters}&page=3`)).toEqual(all.slice(6));
  });

  test('a walk skips and repeats nothing while comps come and go, and keeps its count', async () => {
    const all = await seed('10041', ...Array.from({ length: 6 }, (_, n) => ({ price: 1_000 * (n + 1) })));
    const first = await list('zip=10041&order=price&page_size=2');
    await seed('10041', { price: 500 }, { price: 550 });
    await db.pool.query("update listings set status = 'OFF_MARKET' where id = $1", [all[0]]);
    const second = await list(new URL(first.next!).search.slice(1));
    expect(second.results.map(comp => comp.id)).toEqual(all.slice(2, 4));
    expect(second.count).toBe(6);
    expect(await ids(new URL(second.next!).search.slice(1))).toEqual(all.slice(4));
  });

  test('a page past the end is empty and free', async () => {
    expect(await list('zip=10040&page=9')).toMatchObject({ count: 7, next: null, results: [] });
  });

  test('the usual page has 100 comps, the largest 500', async () => {
    await seed('10042', ...Array.from({ length: 101 }, () => ({})));
    expect((await list('zip=10042')).results).toHaveLength(100);
    expect((await list('zip=10042&page_size=500')).results).toHaveLength(101);
  });
});

test('a comp costs a token, an empty answer nothing', async () => {
  await seed('10020', {}, {}, {}, {});
  const before = await usageOf(db, accountId);
  await list('zip=10020');
  await list('zip=99999');
  await api.call(`${COMPS}?zip=10020`, { key, method: 'HEAD' });
  const after = await usageOf(db, accountId);
  expect(after.tokens - before.tokens).toBe(4);
  const { rows } = await db.pool.query('select distinct endpoint from usage_daily where account_id = $1', [
    accountId,
  ]);
  expect(rows).toEqual([{ endpoint: 'public_comps' }]);
});

test('an account with fewer tokens than comps gets none of them', async () => {
  const poor = await newCaller(db, { tokensIncluded: 3 });
  const reply = await api.call(`${COMPS}?zip=10020`, { key: poor.key });
  const message =
    'The call needs 4 tokens, and 3 are left in this period. Overage is switched off for the account.';
  expect([reply.status, reply.json]).toMatchObject([
    402,
    { error: { code: 'usage_limit_exceeded', message } },
  ]);
  expect((await api.call(`${COMPS}?zip=10020&page_size=3`, { key: poor.key })).status).toBe(200);
});
