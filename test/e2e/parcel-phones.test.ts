import { beforeEach, expect, test } from 'vitest';
import { SKIP_TRACE_EXAMPLE as EXAMPLE } from '../../api/v1/examples/examples.ts';
import { changeAccount } from '../../shared/accounts/contracts.ts';
import { suppress } from '../../shared/contacts/suppression.ts';
import { forgetContact } from '../../workers/contacts/forget-contact.ts';
import { expireRecords } from '../../workers/housekeeping/expire-records-job.ts';
import { startTestApi, usageOf } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });

const ID = EXAMPLE.property_id;
const PAGE = `/data?county=33019&parcel=${ID}`;
const FORM = { do: 'phones', property_id: String(ID) };
const [FIRST, SECOND] = EXAMPLE.response.phones.map(({ number }: { number: string }) =>
  number.replace(/^(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3'),
);

let user: Awaited<ReturnType<typeof newUser>>;
let ana: ReturnType<typeof visitor>;
beforeEach(async () => {
  user = await newUser(db);
  ana = visitor(api);
  await ana.signIn(user);
});

test('numbers are bought once for 20 tokens, and shown again to the account, including colleagues', async () => {
  const before = await ana.open(PAGE);
  expect(before.text).toContain('20 tokens');
  expect(before.text).not.toContain(FIRST);
  const [one, two] = await Promise.all([ana.submit(PAGE, FORM), ana.submit(PAGE, FORM)]);
  expect([one.status, two.status]).toEqual([303, 303]);
  expect(one.headers.get('location')).toBe(`${PAGE}#owner`);
  const told = [one, two].map(({ headers }) => headers.get('x-tokens-used'));
  expect(told.toSorted()).toEqual(['0', '20']);
  const after = await ana.open(PAGE);
  for (const shown of [FIRST, SECOND, 'Mobile', 'Landline', 'Do Not Call'])
    expect(after.text).toContain(shown);
  expect(after.text).not.toContain('20 tokens');
  expect((await ana.submit(PAGE, FORM)).status).toBe(303);
  expect(await usageOf(db, user.accountId)).toEqual({ tokens: 20, calls: 1, daily: 20 });
  const { rows } = await db.pool.query<{ key: string }>(
    'select key from idempotent_calls where account_id = $1',
    [user.accountId],
  );
  // Clients' keys have no spaces.
  expect(rows.map(row => row.key)).toEqual([expect.stringContaining(' ')]);

  const stranger = visitor(api);
  await stranger.signIn(await newUser(db));
  expect((await stranger.open(PAGE)).text).not.toContain(FIRST);
});

test("for selected rows of a list: the price first, then bought once, and shown on each parcel's page", async () => {
  const path = (await ana.submit('/lists', { name: 'To call' })).headers.get('location')!;
  const { rows } = await db.pool.query<{ id: number }>(
    'select property_id as id from parcels where fips = 33019 and owner_name is null and retired_at is null limit 1',
  );
  const ids = [ID, ...rows.map(({ id }) => id)];
  await ana.submit(path, { do: 'add', county: '', numbers: ids.join('\n') });
  const selected = (does: string) =>
    new URLSearchParams([['do', does], ...ids.map(id => ['property_id', String(id)] as [string, string])]);
  const asked = (await ana.submit(path, selected('phones'))).text;
  expect(asked).toMatch(new RegExp(`<button[^>]*>[^<]*\\b${20 * ids.length} tokens`));
  expect(await usageOf(db, user.accountId)).toEqual({ tokens: 0, calls: 0, daily: 0 });
  const bought = await ana.submit(path, selected('phones_now'));
  expect(bought.headers.get('x-tokens-used')).toBe('20');
  expect(bought.text).toContain(`href="/data?parcel=${ID}#owner"`);
  for (const { id } of rows) expect(bought.text).toContain(`No number for parcel ${id}`);
  expect((await ana.submit(path, selected('phones_now'))).text).toContain('0 tokens used');
  expect(await usageOf(db, user.accountId)).toEqual({ tokens: 20, calls: 1, daily: 20 });
  expect((await ana.open(PAGE)).text).toContain(FIRST);
});

test('they are kept for 30 days, not only a day as with other repeats', async () => {
  await ana.submit(PAGE, FORM);
  const age = (days: number) =>
    db.pool.query(
      `update idempotent_calls set created_at = now() - $2 * interval '1 day' where account_id = $1`,
      [user.accountId, days],
    );
  await age(29);
  await expireRecords(db.pool, api.config);
  expect((await ana.open(PAGE)).text).toContain(FIRST);
  await ana.submit(PAGE, FORM);
  expect((await usageOf(db, user.accountId)).tokens).toBe(20);
  await age(31);
  expect((await ana.open(PAGE)).text).not.toContain(FIRST);
  await expireRecords(db.pool, api.config);
  const { rows } = await db.pool.query('select key from idempotent_calls where account_id = $1', [
    user.accountId,
  ]);
  expect(rows).toEqual([]);
});

test("the parcel's next owner is not the person who was looked up", async () => {
  await ana.submit(PAGE, FORM);
  const { rows } = await db.pool.query<{ names: string[] }>(
    'select array[owner_name, owner_name_2] as names from parcels where fips = 33019 and property_id = $1',
    [ID],
  );
  const rename = (names: string[]) =>
    db.pool.query(
      'update parcels set owner_name = $2, owner_name_2 = $3 where fips = 33019 and property_id = $1',
      [ID, ...names],
    );
  await rename(['NOBODY, UNA', 'NOBODY, DUO']);
  const page = await ana.open(PAGE);
  expect(page.text).not.toContain(FIRST);
  expect((await ana.submit(PAGE, FORM)).status).toBe(303);
  expect((await ana.open(PAGE)).text).not.toContain('href="tel:');
  expect((await usageOf(db, user.accountId)).tokens).toBe(20);
  await rename(rows[0]!.names);
});

test('refusals are shown beside the owner and cost nothing', async () => {
  await changeAccount(db.pool, user.accountId, { skipTrace: false });
  const barred = await ana.submit(PAGE, FORM);
  expect([barred.status, /skip tracing/i.test(barred.text)]).toEqual([403, true]);
  await changeAccount(db.pool, user.accountId, { skipTrace: true, tier: 'free' });
  const free = await ana.submit(PAGE, FORM);
  expect([free.status, free.text.includes('REST API')]).toEqual([402, true]);
  expect((await usageOf(db, user.accountId)).tokens).toBe(0);
});

test('suppressed people are no longer shown, and forgotten people are stored nowhere', async () => {
  await ana.submit(PAGE, FORM);
  const run = db.pool;
  await suppress(run, [], [], [EXAMPLE.response.phones[0]!.number], 'test');
  const page = await ana.open(PAGE);
  expect([page.text.includes(FIRST!), page.text.includes(SECOND!)]).toEqual([false, true]);
  await forgetContact(db.pool, { subject: null, number: EXAMPLE.response.phones[1]!.number }, 'test');
  expect((await ana.open(PAGE)).text).not.toContain(SECOND);
  const { rows } = await db.pool.query('select key from idempotent_calls where account_id = $1', [
    user.accountId,
  ]);
  expect(rows).toEqual([]);
});

test("the price per acre is shown beside the county's median for sales of its size", async () => {
  // The parcel 7-44 of 5.2 acres.
  const { text } = await ana.open('/data?county=33019&parcel=3301900000073');
  expect(text.replaceAll(/<[^>]*>/g, '')).toMatch(
    /county \$([\d,]+).*\b5 to 10 acres in Sullivan, NH .*\$\1 /,
  );
});
