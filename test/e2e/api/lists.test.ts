import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { ParcelList } from '../../../api/v1/lists/list-schema.ts';
import { newCaller, posting, startTestApi, usageOf, whileLocked } from '../../support/api.ts';
import { createTestDatabase, lockWaits } from '../../support/database.ts';
import { LISTS, listsOf } from '../../support/lists.ts';
import { insertEstimates, insertParcels } from '../../support/parcels.ts';
import { eventually } from '../../support/workers.ts';

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

test('a list is created, changed, and deleted, only by its own company', async () => {
  const me = await caller('Twin Oaks');
  const colleague = await caller('Twin Oaks');
  const stranger = await caller();
  expect((await me.send('GET', '')).json).toEqual([]);
  const made = await me.send('POST', '', {
    name: ' Sullivan ',
    one_per_owner: true,
    offer: { percent: 30 },
    leave_out: { mailed_within_days: 90 },
  });
  expect(made.status).toBe(201);
  const list = made.json as ParcelList;
  expect(list).toEqual({
    id: expect.any(String),
    name: 'Sullivan',
    one_per_owner: true,
    one_per_assemblage: false,
    offer: { percent: 30, percent_high: null, of: 'value', round_to: 100 },
    leave_out: { lists: [], mailed_within_days: 90 },
    letter: null,
    rows: 0,
    created_at: expect.any(String),
    updated_at: list.created_at,
  });
  expect(made.headers.get('location')).toBe(`${LISTS}${list.id}/`);
  expect((await colleague.send('GET', '')).json).toEqual([list]);
  for (const [method, body] of [['GET'], ['PATCH', { name: 'mine' }], ['DELETE']] as const)
    expect((await stranger.send(method, `${list.id}/`, body)).status).toBe(404);
  expect((await stranger.send('GET', `${list.id}/rows/`)).status).toBe(404);
  expect((await stranger.send('POST', `${list.id}/rows/`, { property_ids: [S + 1] })).status).toBe(404);
  const other = await stranger.make();
  const refused = await me.send('PATCH', `${list.id}/`, { leave_out: { lists: [other.id] } });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(other.id)]);

  const changed = await me.send('PATCH', `${list.id}/`, { offer: null, leave_out: { lists: [list.id] } });
  expect(changed.json).toMatchObject({
    name: 'Sullivan',
    offer: null,
    leave_out: { lists: [list.id], mailed_within_days: 90 },
  });
  expect((await me.send('DELETE', `${list.id}/`)).status).toBe(204);
  expect((await me.send('GET', `${list.id}/`)).status).toBe(404);
  expect(await usageOf(db, me.accountId)).toEqual({ tokens: 0, calls: 0, daily: 0 });
});

test('rows come from a filter, ids, and parcel numbers; missing ones are reported', async () => {
  const { make, add } = await caller();
  const { id } = await make();
  expect(await add(id, { filter: { county: '33019', acres_min: 5 } }, '?pay=true')).toEqual({
    added: 4,
    already_there: 0,
    left_out: 0,
    in_other_lists: 0,
    mailed_lately: 0,
    do_not_mail: 0,
    not_found: [],
    rows: 4,
  });
  const known = { property_ids: [S + 5, 7, S + 1, S + 5, 9_007_199_254_740_991, S + 99] };
  expect(await add(id, known)).toMatchObject({
    added: 1,
    already_there: 1,
    not_found: ['7', `${S + 99}`, '9007199254740991'],
    rows: 5,
  });
  const numbers = { apns: ['12-3', ' 1.5 ', '15', '', 'nothing', '12-3', '1-23'], fips: 33019 };
  expect(await add(id, numbers)).toMatchObject({
    added: 0,
    already_there: 2,
    not_found: ['nothing', '1-23'],
  });
});

test.each([
  [{}, ['filter', 'property_ids', 'apns']],
  [{ property_ids: [S], apns: ['1'], fips: '33019' }, ['property_ids', 'apns']],
  [{ apns: ['1-1'] }, ['fips']],
  [{ apns: ['1-1'], fips: '99999' }, ['fips']],
  [{ property_ids: ['x'] }, ['property_ids']],
  [{ property_ids: [] }, ['property_ids']],
  [{ filter: { acres_min: 5 } }, ['filter.county']],
  [{ filter: { county: '33019', colour: 'red' } }, ['filter.colour']],
])('%o is refused by its field', async (body, fields) => {
  const { make, send } = await caller();
  const { id } = await make();
  const { status, json } = await send('POST', `${id}/rows/`, body);
  expect(status).toBe(400);
  expect(Object.keys((json as { error: { details: object } }).error.details)).toEqual(fields);
});

test('owners who opted out of mail, were mailed lately, or are on other lists are left out', async () => {
  const me = await caller('Quiet Brook');
  const { make, rows, send } = me;
  // Paid, so that counts of so few are told.
  const add = (id: string, body: object) => me.add(id, { ...body }, 'filter' in body ? '?pay=true' : '');
  const first = await make();
  await add(first.id, { property_ids: [S + 1, S + 3, S + 4] });
  const marked = { property_ids: [S + 3, S + 4], do_not_mail: true };
  await rows(first.id);
  expect((await send('PATCH', `${first.id}/rows/`, marked)).json).toEqual({
    changed: 2,
    without_address: [S + 4],
  });
  await send('PATCH', `${first.id}/rows/`, { property_ids: [S + 1, S + 4], status: 'mailed' });
  expect((await rows(first.id)).results.map(row => [row.do_not_mail, row.status])).toEqual([
    [false, 'mailed'],
    [true, 'new'],
    [false, 'mailed'],
  ]);
  const all = { filter: { counties: ['33019', '23009'] } };
  // Bea has two parcels, Ada three; nobody knows who owns the fourth.
  expect(await add((await make()).id, all)).toMatchObject({ added: 4, do_not_mail: 2 });
  const late = await make({ leave_out: { mailed_within_days: 30 } });
  expect(await add(late.id, all)).toMatchObject({ added: 0, do_not_mail: 2, mailed_lately: 4, left_out: 6 });
  // Letters and marks of another company are its own.
  const stranger = await caller();
  const theirs = await stranger.make({ leave_out: { mailed_within_days: 30 } });
  expect(await stranger.add(theirs.id, all, '?pay=true')).toMatchObject({ added: 6, left_out: 0 });
  const others = await make({ leave_out: { lists: [first.id] } });
  expect(await add(others.id, all)).toMatchObject({ added: 2, do_not_mail: 2, in_other_lists: 2 });
  // Another owner since then had no letter.
  await db.pool.query('update parcel_filters set owner_key = $2 where property_id = $1', [
    S + 2,
    '44444444-4444-4444-4444-444444444444',
  ]);
  expect(await add(late.id, all)).toMatchObject({ added: 1, mailed_lately: 3 });
  await db.pool.query('update parcel_filters set owner_key = $2 where property_id = $1', [S + 2, ADA]);
  await db.pool.query(
    "update list_rows set mailed_at = now() - interval '31 days' where mailed_at is not null",
  );
  expect(await add(late.id, all)).toMatchObject({ added: 3, already_there: 1, mailed_lately: 0 });
  await send('PATCH', `${first.id}/rows/`, { with_status: 'new', do_not_mail: false });
  expect(await add(late.id, all)).toMatchObject({ added: 2, already_there: 4, do_not_mail: 0 });
  // Deleted, it is left out no more.
  await send('DELETE', `${first.id}/`);
  expect((await send('GET', `${others.id}/`)).json).toMatchObject({ leave_out: { lists: [] } });
});

test('concurrent changes are all kept, and nothing is added to a list that is deleted meanwhile', async () => {
  const { send, accountId } = await caller();
  const { id } = (await send('POST', '', { name: 'first' })).json as ParcelList;
  const [lock, account]: [string, unknown[]] = [
    'select from companies where id = (select company_id from accounts where id = $1) for no key update',
    [accountId],
  ];
  const waiting = (calls: number) => eventually(async () => (await lockWaits(db)) === calls);
  const changes = await whileLocked(db, [lock, account], async () => {
    const sent = [{ name: 'second' }, { offer: { percent: 40 } }].map(body => send('PATCH', `${id}/`, body));
    await waiting(2);
    return { sent };
  });
  for (const { status } of await Promise.all(changes.sent)) expect(status).toBe(200);
  expect((await send('GET', `${id}/`)).json).toMatchObject({ name: 'second', offer: { percent: 40 } });

  const adding = await whileLocked(db, [lock, account], async () => {
    const sent = send('POST', `${id}/rows/`, { property_ids: [S + 1] });
    await waiting(1);
    expect((await send('DELETE', `${id}/`)).status).toBe(204);
    return { sent };
  });
  expect((await adding.sent).status).toBe(404);
});

test("a filter can search a list's parcels, only for its company, and reveals no counts for free", async () => {
  const me = await caller();
  const list = await me.make();
  await me.send('POST', `${list.id}/rows/`, { property_ids: [S + 1, S + 2, S + 4, H + 1] });
  const ask = async (who: { key: string }, path: string, body: object) => {
    const sent = posting(who.key, JSON.stringify(body));
    const { status, json } = await api.call(`/api/public/v1/${path}`, sent);
    return { status, json };
  };
  const found = await ask(me, 'properties/filter/', { list_id: list.id, order: '-value' });
  expect(found.json).toMatchObject({
    count: 4,
    results: [S + 4, S + 2, S + 1, H + 1].map(property_id => ({ property_id })),
  });
  expect((await ask(me, 'properties/filter/', { list_id: list.id, county: '23009' })).json).toMatchObject({
    count: 1,
  });
  const quote = await ask(me, 'properties/filter/quote/', { list_id: list.id });
  expect(quote.json).toMatchObject({ quotable: false, count: null, tokens: null });
  // Narrowed into another list, and into a file.
  const narrow = await me.make();
  const rows = await me.send('POST', `${narrow.id}/rows/`, {
    filter: { list_id: list.id, acres_min: 5 },
  });
  expect(rows.json).toMatchObject({ added: null, rows: 0 });
  expect((await me.rows(narrow.id)).results).toHaveLength(3);
  const file = { filter: { list_id: list.id, acres_min: 5 }, format: 'csv' };
  expect((await ask(me, 'exports/', file)).status).toBe(202);

  const stranger = await caller();
  const refused = { details: { list_id: [expect.any(String)] } };
  for (const [path, body, details] of [
    ['properties/filter/', { list_id: list.id }, refused],
    ['properties/filter/', { list_id: randomUUID() }, refused],
    ['exports/', file, { details: { 'filter.list_id': [expect.any(String)] } }],
  ] as const) {
    const answer = await ask(stranger, path, body);
    expect([path, answer]).toEqual([
      path,
      { status: 400, json: { error: expect.objectContaining(details) } },
    ]);
  }
  const followed = await ask(me, 'searches/', { name: 'Followed', filter: { list_id: list.id } });
  expect([followed.status, followed.json]).toEqual([
    400,
    { error: expect.objectContaining({ details: { 'filter.list_id': [expect.any(String)] } }) },
  ]);
});
