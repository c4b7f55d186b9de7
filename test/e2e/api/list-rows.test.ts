import { beforeAll, describe, expect, test } from 'vitest';
import type { ListRow, ParcelList } from '../../../api/v1/lists/list-schema.ts';
import { newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { listsOf } from '../../support/lists.ts';
import { insertEstimates, insertParcels, retireParcels } from '../../support/parcels.ts';

const db = await createTestDatabase({}, { regions: true });
const api = await startTestApi(db, { env: { APP_URL: 'https://app.example.org' } });

const S = 33_019e8;
const H = 23_009e8;
const ADA = '11111111-1111-1111-1111-111111111111';
const BEA = '22222222-2222-2222-2222-222222222222';

beforeAll(async () => {
  await insertParcels(db.pool, [
    { property_id: S + 1, owner_key: ADA, acres: 5, apn: '1-1', owner_name: 'ADA ONE', mail_zip: '03280' },
    { property_id: S + 2, owner_key: ADA, acres: 9, apn: '1-2', market_total_value: 8_000 },
    { property_id: H + 1, owner_key: ADA, acres: 2, assessed_total_value: 5_050 },
    { property_id: S + 3, owner_key: BEA, acres: 7, calculated_acres: 20, apn: '12-3' },
    { property_id: S + 4, acres: 6, apn: '12 3' },
    { property_id: S + 5, owner_key: BEA, acres: 1, apn: '1-5' },
  ]);
  await insertEstimates(
    db.pool,
    new Map([
      [S + 1, [10_049, 2_009]],
      [S + 2, [20_000, 2_222]],
      [S + 3, [30_000, 4_285]],
      [S + 4, [40_000, 6_666]],
    ]),
  );
});

const caller = async (company?: string) => {
  const made = await newCaller(db, company === undefined ? {} : { company });
  return { ...made, ...listsOf(api, made.key) };
};

describe('reading rows', () => {
  test('costs a token the first time for the whole company, and again if the parcel has changed', async () => {
    const me = await caller('Pine Hill');
    const colleague = await caller('Pine Hill');
    const { id } = await me.make();
    await me.add(id, { property_ids: [S + 1, S + 2, S + 3] });
    const counted = (await me.send('GET', `${id}/`)).json as ParcelList;
    expect(counted.counts).toMatchObject([{ status: 'new', rows: 3, parcels: 3 }]);
    const head = await me.send('HEAD', `${id}/rows/`);
    expect([head.status, head.headers.get('x-tokens-used')]).toEqual([200, '0']);
    const quoted = async () => (await me.send('GET', `${id}/rows/?quote=true`)).json;
    expect(await quoted()).toEqual({ tokens: 3, at_most: 3 });
    expect((await me.rows(id, '?page_size=2')).tokens).toBe(2);
    expect((await me.rows(id, '?page_size=2')).tokens).toBe(0);
    expect(await quoted()).toEqual({ tokens: 1, at_most: 1 });
    expect((await colleague.rows(id)).tokens).toBe(1);
    await db.pool.query('update parcels set changed_run = changed_run + 1 where property_id = $1', [S + 2]);
    expect((await me.rows(id)).tokens).toBe(1);
    expect((await me.rows(id)).tokens).toBe(0);
    await db.pool.query(
      "update given_rows set given_at = now() - interval '31 days' where property_id = $1",
      [S + 3],
    );
    expect((await me.rows(id)).tokens).toBe(1);
    expect(await usageOf(db, me.accountId)).toMatchObject({ tokens: 4, calls: 3 });
  });

  test('is charged once, no matter how many calls come at once', async () => {
    const me = await caller('Deep Well');
    const colleague = await caller('Deep Well');
    const { id } = await me.make();
    await me.add(id, { filter: { county: '33019' } });
    const asked = await Promise.all(
      Array.from({ length: 12 }, (_, i) => (i % 2 ? me : colleague).rows(id, i % 3 ? '' : '?page_size=3')),
    );
    expect(asked.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(5);
    const [mine, theirs] = [await usageOf(db, me.accountId), await usageOf(db, colleague.accountId)];
    expect(mine.tokens + theirs.tokens).toBe(5);
  });

  test('is refused and marks nothing if there are too few tokens', async () => {
    const me = await newCaller(db, { tokensIncluded: 2, overageAllowed: false });
    const { make, add, send, rows } = listsOf(api, me.key);
    const { id } = await make();
    await add(id, { property_ids: [S + 1, S + 2, S + 3] });
    expect((await send('GET', `${id}/rows/`)).status).toBe(402);
    expect((await rows(id, '?page_size=2')).tokens).toBe(2);
    expect((await rows(id, '?page_size=2')).tokens).toBe(0);
  });
});

test('a row has its parcel, and its offer or the reason why there is none', async () => {
  const { make, add, rows, send } = await caller();
  const { id } = await make({ offer: { percent: 30 } });
  await add(id, { filter: { counties: ['33019', '23009'] } });
  const offers = async (offer: object) => {
    await send('PATCH', `${id}/`, { offer });
    const { results } = await rows(id);
    return Object.fromEntries(results.map(row => [row.property_id, row.offer ?? row.needs_review.join(' ')]));
  };
  expect((await rows(id)).results[1]).toMatchObject({
    property_id: S + 1,
    url: `https://app.example.org/data?parcel=${S + 1}`,
    owner_name: 'ADA ONE',
    mail_zip: '03280',
    status: 'new',
    status_at: null,
    do_not_mail: false,
    note: '',
    tags: [],
    value: 10_049,
    offer: 3_000,
    needs_review: [],
    owner_parcels: 3,
    owner_acres: 16,
    assemblage_id: null,
  });
  expect(await offers({ percent: 30 })).toEqual({
    [H + 1]: 'no_value',
    [S + 1]: 3_000,
    [S + 2]: 6_000,
    [S + 3]: 'acres_mismatch',
    [S + 4]: 12_000,
    [S + 5]: 'no_value',
  });
  await db.pool.query('update valuations set low_price = high_price / 11 where property_id = $1', [S + 1]);
  await db.pool.query('update valuations set out_of_support = true where property_id = $1', [S + 2]);
  expect(await offers({ percent: 50, of: 'value_low', round_to: 1 })).toMatchObject({
    [S + 1]: 'too_wide',
    [S + 2]: 'out_of_support',
    [S + 4]: 20_000,
  });
  // Halves up; what the roll says needs no estimate.
  expect(await offers({ percent: 10, of: 'assessed_value', round_to: 10 })).toMatchObject({
    [H + 1]: 510,
    [S + 2]: 'no_value',
  });
  expect(await offers({ percent: 50, of: 'market_value' })).toMatchObject({ [S + 2]: 4_000 });
  await db.pool.query('update valuations set out_of_support = false, low_price = high_price');
});

test('one row per owner is the largest parcel, with what the owner has on the list', async () => {
  const { make, add, rows, send } = await caller();
  const { id } = await make({ one_per_owner: true });
  await add(id, { filter: { counties: ['33019', '23009'] } });
  const { results, count } = await rows(id);
  expect(count).toBe(3);
  expect(results.map(row => [row.property_id, row.owner_parcels, row.owner_acres])).toEqual([
    [S + 2, 3, 16],
    [S + 3, 2, 8],
    [S + 4, 1, 6],
  ]);
  // What is done with an owner's row holds for all of theirs.
  const mailed = await send('PATCH', `${id}/rows/`, { property_ids: [S + 2, 5], status: 'mailed' });
  expect(mailed.json).toEqual({ changed: 3, without_address: [] });
  expect(((await send('GET', `${id}/`)).json as ParcelList).counts).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ status: 'mailed', rows: 1, parcels: 3 }),
      expect.objectContaining({ status: 'new', rows: 2, parcels: 3 }),
    ]),
  );
  expect((await send('DELETE', `${id}/rows/?property_ids=${S + 3},8`)).json).toEqual({ removed: 2 });
  await send('PATCH', `${id}/`, { one_per_owner: false });
  expect((await rows(id, '?status=mailed')).results.map(row => row.property_id)).toEqual([
    H + 1,
    S + 1,
    S + 2,
  ]);
});

test('rows are paged in both directions, by status and tag', async () => {
  const { make, add, send } = await caller();
  const { id } = await make();
  await add(id, { filter: { county: '33019' } });
  await send('PATCH', `${id}/rows/`, {
    property_ids: [S + 1, S + 2, S + 4],
    tags: ['a', ' a ', 'b'],
    note: 'two\nlines',
  });
  const walk = async (first: string) => {
    const seen: number[][] = [];
    const back: number[][] = [];
    type Reply = { results: ListRow[]; next: string | null; previous: string | null; count: number };
    const idsOf = ({ results }: Reply) => results.map(row => row.property_id - S);
    const read = async (path: string) => (await send('GET', path)).json as Reply;
    let page = await read(`${id}/rows/${first}`);
    seen.push(idsOf(page));
    while (page.next !== null) {
      page = await read(page.next.slice(page.next.indexOf(id)));
      seen.push(idsOf(page));
    }
    while (page.previous !== null) {
      page = await read(page.previous.slice(page.previous.indexOf(id)));
      back.unshift(idsOf(page));
    }
    expect(back).toEqual(seen.slice(0, -1));
    return seen;
  };
  expect(await walk('?page_size=2')).toEqual([[1, 2], [3, 4], [5]]);
  expect(await walk('?page_size=2&tag=b')).toEqual([[1, 2], [4]]);
  expect(await walk('?page_size=2&status=mailed')).toEqual([[]]);
  expect(await walk('?tag=c')).toEqual([[]]);
});

test("a parcel that leaves the roll stays on the list, can't be added, and gets no offer", async () => {
  await insertParcels(db.pool, [{ property_id: S + 50, owner_key: ADA, acres: 500 }]);
  await insertEstimates(db.pool, new Map([[S + 50, [10_000, 20]]]));
  const { make, add, rows } = await caller();
  const { id } = await make({ one_per_owner: true, offer: { percent: 10 } });
  await add(id, { property_ids: [S + 1, S + 50] });
  expect((await rows(id)).results.map(row => row.property_id)).toEqual([S + 50]);
  await retireParcels(db.pool, [S + 50]);
  expect((await rows(id)).results).toMatchObject([
    { property_id: S + 1, needs_review: [] },
    { property_id: S + 50, offer: null, needs_review: ['left_the_roll'], owner_parcels: 1 },
  ]);
  expect(await add((await make()).id, { property_ids: [S + 50] })).toMatchObject({
    not_found: [`${S + 50}`],
  });
});

test('a parcel without a ZIP code belongs to the owner at the same address', async () => {
  const OAK = '55555555-5555-5555-5555-555555555551';
  const PLACE = '55555555-5555-5555-5555-555555555552';
  const base = { place_key: PLACE, acres: 1 };
  await insertParcels(db.pool, [
    { property_id: S + 61, owner_key: OAK, out_of_zip_owner: true, ...base },
    { property_id: S + 62, owner_key: PLACE, ...base, acres: 2 },
  ]);
  const { make, add, rows, send } = await caller();
  const { id } = await make({ one_per_owner: true });
  await add(id, { property_ids: [S + 61, S + 62] });
  expect((await rows(id)).results).toMatchObject([{ property_id: S + 62, owner_parcels: 2 }]);
  await send('PATCH', `${id}/rows/`, { property_ids: [S + 62], do_not_mail: true });
  expect((await rows(id)).results).toMatchObject([{ do_not_mail: true }]);
  // A second ZIP at the place: whose the parcel is is unknown; who was marked stays marked.
  await insertParcels(db.pool, [{ property_id: S + 63, owner_key: BEA, ...base }]);
  expect((await rows(id)).results).toMatchObject([
    { property_id: S + 61, do_not_mail: true, owner_parcels: 1 },
    { property_id: S + 62, do_not_mail: true, owner_parcels: 1 },
  ]);
});
