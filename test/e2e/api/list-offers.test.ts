import { beforeAll, expect, test } from 'vitest';
import type { ListRow, ParcelList } from '../../../api/v1/lists/list-schema.ts';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { listsOf } from '../../support/lists.ts';
import { insertEstimates, insertParcels } from '../../support/parcels.ts';

const db = await createTestDatabase({}, { regions: true });
const api = await startTestApi(db);

const S = 33_019e8;
const H = 23_009e8;
const ADA = '11111111-1111-1111-1111-111111111111';
const BEA = '22222222-2222-2222-2222-222222222222';

/** Ada has three parcels in two counties, one of them without an estimate. */
beforeAll(async () => {
  await insertParcels(db.pool, [
    { property_id: S + 1, owner_key: ADA, acres: 5 },
    { property_id: S + 2, owner_key: ADA, acres: 9 },
    { property_id: H + 1, owner_key: ADA, acres: 2 },
    { property_id: S + 3, owner_key: BEA, acres: 7 },
    { property_id: S + 4, acres: 6 },
  ]);
  await insertEstimates(
    db.pool,
    new Map([
      [S + 1, [10_000, 2_000]],
      [S + 2, [20_000, 2_222]],
      [S + 3, [30_000, 4_285]],
    ]),
  );
});

const caller = async (company?: string) => {
  const made = await newCaller(db, company === undefined ? {} : { company });
  return { ...made, ...listsOf(api, made.key) };
};

const ALL = { property_ids: [S + 1, S + 2, S + 3, S + 4, H + 1] };

/** A list of all parcels, with 30% offers. */
async function fullList(settings: object = {}) {
  const me = await caller();
  const { id } = await me.make({ offer: { percent: 30 }, ...settings });
  await me.add(id, ALL);
  const patch = (body: object) => me.send('PATCH', `${id}/rows/`, body as Record<string, unknown>);
  return {
    ...me,
    id,
    patch,
    async prices() {
      const { results } = await me.rows(id);
      return Object.fromEntries(results.map(row => [row.property_id, row]));
    },
    async counts() {
      const { counts } = (await me.send('GET', `${id}/`)).json as ParcelList;
      return counts!;
    },
  };
}

test('a row per owner has the sum for the owner, and says how many parcels have a price', async () => {
  const { prices, counts } = await fullList({
    one_per_owner: true,
    offer: { percent: 30, percent_high: 50 },
  });
  expect(await prices()).toMatchObject({
    [S + 2]: {
      offer: 9_000,
      offer_high: 15_000,
      offer_source: 'computed',
      offer_parcels: 2,
      owner_parcels: 3,
      needs_review: ['no_value'],
    },
    [S + 3]: { offer: 9_000, offer_high: 15_000, offer_parcels: 1, needs_review: [] },
    [S + 4]: { offer: null, offer_high: null, offer_source: null, offer_parcels: 0 },
  });
  expect(await counts()).toEqual([{ status: 'new', rows: 3, parcels: 5, do_not_mail: 0, without_offer: 1 }]);
});

test('a price is entered for a row, for rows with a status, and for several rows at once, and removed', async () => {
  const { prices, patch, counts } = await fullList();
  expect(await prices()).toMatchObject({ [S + 1]: { offer: 3_000 }, [S + 4]: { offer: null } });
  expect((await patch({ property_ids: [S + 4], offer: 12_345 })).json).toMatchObject({ changed: 1 });
  const entered = { offer: 12_345, offer_source: 'entered', offer_parcels: 1, needs_review: [] };
  expect((await prices())[S + 4]).toMatchObject(entered);
  const offers = [
    { property_id: S + 1, offer: 1_111 },
    { property_id: S + 4, offer: null },
    { property_id: S + 99, offer: 5 },
  ];
  expect((await patch({ offers })).json).toMatchObject({ changed: 2 });
  expect(await prices()).toMatchObject({
    [S + 1]: { offer: 1_111, offer_source: 'entered' },
    [S + 2]: { offer: 6_000, offer_source: 'computed' },
    [S + 4]: { offer: null, offer_source: null, needs_review: ['no_value'] },
  });
  expect(await counts()).toMatchObject([{ without_offer: 2 }]);
  await patch({ with_status: 'new', offer: 500 });
  expect(Object.values(await prices()).map(row => row.offer)).toEqual([500, 500, 500, 500, 500]);
  expect(await counts()).toMatchObject([{ without_offer: 0 }]);
});

test("an owner's price is for all of the owner's parcels, split by acreage", async () => {
  const { id, prices, patch, send } = await fullList({ one_per_owner: true });
  await prices();
  await patch({ property_ids: [S + 2], offer: 16_000 });
  expect((await prices())[S + 2]).toMatchObject({
    offer: 16_000,
    offer_source: 'entered',
    offer_parcels: 3,
    needs_review: [],
  });
  await send('PATCH', `${id}/`, { one_per_owner: false });
  expect(await prices()).toMatchObject({
    [S + 1]: { offer: 5_000 },
    [S + 2]: { offer: 9_000 },
    [H + 1]: { offer: 2_000 },
    [S + 3]: { offer: 9_000, offer_source: 'computed' },
  });
  await send('PATCH', `${id}/`, { one_per_owner: true });
  await patch({ offers: [{ property_id: S + 2, offer: null }] });
  expect((await prices())[S + 2]).toMatchObject({ offer: 9_000, offer_source: 'computed', offer_parcels: 2 });
});

test.each([
  [{ property_ids: [S + 1], offer: 0 }, 'offer'],
  [{ property_ids: [S + 1], offer: 1.5 }, 'offer'],
  [{ property_ids: [S + 1], offer: '5' }, 'offer'],
  [{ property_ids: [S + 1], offer: 2e9 }, 'offer'],
  [{ offer: 5 }, 'property_ids'],
  [{ property_ids: [S + 1], offers: [{ property_id: S + 1, offer: 5 }] }, 'property_ids'],
  [{ offers: [{ property_id: S + 1, offer: 5 }], offer: 5 }, 'offer'],
  [{ offers: [] }, 'offers'],
  [{ offers: [1, 1].map(offer => ({ property_id: S + 1, offer })) }, 'offers'],
  [{ offers: [{ property_id: S + 1 }] }, 'offers.offer'],
])('%j is refused', async (body, field) => {
  const { patch } = await fullList();
  const refused = await patch(body);
  expect(refused.status).toBe(400);
  expect(refused.json).toMatchObject({
    error: { details: expect.objectContaining({ [field]: [expect.any(String)] }) },
  });
});

test('the high percentage is at least the low one', async () => {
  const { make, send } = await caller();
  const { id } = await make({ offer: { percent: 30, percent_high: 30 } });
  const refused = await send('PATCH', `${id}/`, { offer: { percent: 30, percent_high: 29 } });
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.json)).toContain('percent_high');
});

test('rows that need a price are listed, and do-not-mail owners need none', async () => {
  const { id, rows, patch, counts } = await fullList({ one_per_owner: true });
  const needing = async () => (await rows(id, '?needs_price=true')).results.map(row => row.property_id);
  // Nothing about unread rows is revealed.
  expect(await needing()).toEqual([]);
  expect(await counts()).toMatchObject([]);
  await rows(id);
  expect(await needing()).toEqual([S + 2, S + 4]);
  await patch({ property_ids: [S + 2], do_not_mail: true });
  expect(await needing()).toEqual([S + 4]);
  expect(await counts()).toEqual([{ status: 'new', rows: 3, parcels: 5, do_not_mail: 1, without_offer: 1 }]);
  await patch({ property_ids: [S + 4], offer: 1 });
  expect(await needing()).toEqual([]);
  await patch({ property_ids: [S + 2], do_not_mail: false });
});

test('what unread rows have does not count, even if the company named their parcels', async () => {
  const { id, rows, counts } = await fullList();
  expect(await counts()).toEqual([{ status: 'new', rows: 5, parcels: 5, do_not_mail: 0, without_offer: 0 }]);
  await rows(id, '?page_size=1');
  expect(await counts()).toMatchObject([{ rows: 5, without_offer: 1 }]);
});

test("a row names the owner's other lists, once their rows were read", async () => {
  const me = await caller('Cedar');
  const spring = await me.make({ name: 'Spring' });
  const fall = await me.make({ name: 'Fall' });
  await me.add(spring.id, { property_ids: [S + 1, S + 3] });
  await me.add(fall.id, { property_ids: [S + 2, S + 4] });
  const others = async (): Promise<ListRow['other_lists']> =>
    (await me.rows(fall.id)).results[0]!.other_lists;
  expect(await others()).toEqual([]);
  await me.rows(spring.id);
  await me.send('PATCH', `${spring.id}/rows/`, { property_ids: [S + 1], status: 'mailed' });
  expect(await others()).toEqual([
    { id: spring.id, name: 'Spring', status: 'mailed', status_at: expect.any(String) },
  ]);
  expect((await me.rows(fall.id)).results[1]).toMatchObject({ property_id: S + 4, other_lists: [] });
  // Lists of other companies don't count.
  const stranger = await caller('Fir');
  const theirs = await stranger.make();
  await stranger.add(theirs.id, { property_ids: [S + 2] });
  expect((await stranger.rows(theirs.id)).results[0]).toMatchObject({ other_lists: [] });
});
