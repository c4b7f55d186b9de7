import { beforeEach, expect, test } from 'vitest';
import { SKIP_TRACE_EXAMPLE as EXAMPLE } from '../../api/v1/examples/examples.ts';
import { newCaller, startTestApi, usageOf } from '../support/api.ts';
import { withheldFeed } from '../support/contacts.ts';
import { createTestDatabase } from '../support/database.ts';
import { testFolder } from '../support/folder.ts';
import { ingest } from '../support/ingest.ts';
import { listsOf } from '../support/lists.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });

const ID: number = EXAMPLE.property_id;
const [FIRST, SECOND] = EXAMPLE.response.phones.map(({ number }: { number: string }) => number) as [
  string,
  string,
];

let user: Awaited<ReturnType<typeof newUser>>;
let ana: ReturnType<typeof visitor>;
let list: string;
beforeEach(async () => {
  await db.pool.query('truncate withheld_contacts');
  user = await newUser(db);
  ana = visitor(api);
  await ana.signIn(user);
  list = await makeList();
  await ana.submit(list, { do: 'phones_now', property_id: String(ID) });
});

async function makeList(): Promise<string> {
  const path = (await ana.submit('/lists', { name: 'To call' })).headers.get('location')!;
  await ana.submit(path, { do: 'add', county: '', numbers: `${ID}\n3301900000047` });
  return path;
}

const call = (outcome: string, more: Record<string, string> = {}) =>
  ana.submit(`${list}/calls`, { property_id: String(ID), was: 'new', number: FIRST, outcome, ...more });
const sheet = async (query = '') => (await ana.open(`${list}/calls${query}`)).text;
const statusOf = async () =>
  (
    await db.pool.query<{ status: string; note: string }>(
      'select status, note from list_rows where list_id = $1 and property_id = $2',
      [list.split('/')[2], ID],
    )
  ).rows[0]!;
const hasOwner = (text: string) => text.includes(`data-row="${ID}"`);

test('bought numbers are in the list and on the call sheet, but not in the API or its exports', async () => {
  for (const text of [(await ana.open(list)).text, await sheet()]) {
    for (const number of [FIRST, SECOND]) expect(text).toContain(`href="tel:+1${number}"`);
    // What to check comes before the number.
    const link = text.indexOf(`href="tel:+1${FIRST}"`);
    for (const sign of ['class="hours"', 'class="phone-state"']) {
      expect(text.indexOf(sign)).toBeGreaterThan(0);
      expect(text.indexOf(sign)).toBeLessThan(link);
    }
    expect(text).toContain('data-copy=');
  }
  expect(await usageOf(db, user.accountId)).toMatchObject({ tokens: 20 });
  const { rows } = await db.pool.query('select company_id from accounts where id = $1', [user.accountId]);
  const { key, accountId } = await newCaller(db);
  await db.pool.query('update accounts set company_id = $1 where id = $2', [rows[0].company_id, accountId]);
  const lists = listsOf(api, key);
  const read = await lists.rows(list.split('/')[2]!);
  const found = read.results.map(row => [row.property_id, row.phones_found_at !== null]);
  expect(found).toContainEqual([ID, true]);
  expect(found).toContainEqual([3301900000047, false]);
  for (const number of [FIRST, SECOND]) expect(JSON.stringify(read)).not.toContain(number);
});

test("a colleague with another account sees the numbers, and isn't charged again", async () => {
  const { rows } = await db.pool.query(
    'select c.name from accounts a join companies c on c.id = a.company_id where a.id = $1',
    [user.accountId],
  );
  const bob = await newUser(db, { company: rows[0].name });
  const other = visitor(api);
  await other.signIn(bob);
  expect((await other.open(list)).text).toContain(`tel:+1${FIRST}`);
  expect((await other.open(`/data?parcel=${ID}`)).text).toContain(`tel:+1${FIRST}`);
  await other.submit(list, { do: 'phones_now', property_id: String(ID) });
  expect(await usageOf(db, bob.accountId)).toMatchObject({ tokens: 0 });
});

test('outcomes are logged with a note and the status, and can be undone', async () => {
  expect(hasOwner(await sheet())).toBe(true);
  const logged = await call('no_answer');
  expect(logged.status).toBe(303);
  // The owner can be called again.
  expect(hasOwner(await sheet())).toBe(true);
  expect(await statusOf()).toEqual({ status: 'new', note: '' });
  const talked = await call('answered', { note: 'Wants $20,000', note_was: '' });
  expect(await statusOf()).toEqual({ status: 'answered', note: 'Wants $20,000' });
  expect(hasOwner(await sheet())).toBe(false);
  const said = new URL(talked.headers.get('location')!, api.url).searchParams;
  expect((await sheet(`?${said}`)).match(/name="do" value="undo"/g)).toHaveLength(1);
  await ana.submit(`${list}/calls`, {
    do: 'undo',
    property_id: said.get('logged')!,
    at: said.get('at')!,
    was: said.get('was')!,
  });
  expect((await statusOf()).status).toBe('new');
  expect(hasOwner(await sheet())).toBe(true);
});

test('a wrong number is marked, without storing it', async () => {
  await call('wrong_number');
  const text = await sheet();
  expect(text.match(/>Wrong number<\/span>/g)).toHaveLength(1);
  // The other number is selected.
  expect(text).toMatch(new RegExp(`value="${SECOND}"[^>]*checked|checked[^>]*value="${SECOND}"`));
  const { rows } = await db.pool.query('select * from list_calls');
  expect(JSON.stringify(rows)).not.toContain(FIRST);
});

test('an owner who asked not to be called is left out of every list, and not looked up again', async () => {
  const asked = await call('do_not_call');
  expect(hasOwner(await sheet())).toBe(false);
  const other = await makeList();
  expect((await ana.open(`${other}/calls`)).text).toContain('id="left-out"');
  expect((await ana.open(other)).text).not.toContain('href="tel:');
  await db.pool.query('delete from idempotent_calls');
  await ana.submit(other, { do: 'phones_now', property_id: String(ID) });
  expect(await usageOf(db, user.accountId)).toMatchObject({ tokens: 20 });
  const said = new URL(asked.headers.get('location')!, api.url).searchParams;
  await ana.submit(`${list}/calls`, { do: 'undo', property_id: String(ID), at: said.get('at')!, was: 'new' });
  await ana.submit(other, { do: 'phones_now', property_id: String(ID) });
  expect(await usageOf(db, user.accountId)).toMatchObject({ tokens: 40 });
});

test('a number on a list of litigators is withheld with the reason', async () => {
  await ingest(db.pool, withheldFeed(testFolder(), [{ phone1: SECOND }]), { force: true });
  for (const path of [list, `${list}/calls`, `/data?parcel=${ID}`]) {
    const { text } = await ana.open(path);
    expect(text).toContain('Known litigator');
    expect(text).not.toContain('href="tel:');
  }
});

test('only the company of a list can open its sheet or log calls', async () => {
  const stranger = visitor(api);
  await stranger.signIn(await newUser(db));
  expect((await stranger.open(`${list}/calls`)).status).toBe(404);
  const foreign = await stranger.submit(`${list}/calls`, {
    property_id: String(ID),
    number: FIRST,
    outcome: 'do_not_call',
  });
  expect(foreign.status).toBe(404);
  expect((await db.pool.query('select 1 from do_not_call')).rowCount).toBe(0);
  expect((await ana.open('/lists/not-a-list/calls')).status).toBe(404);
  expect((await call('nonsense')).status).toBe(400);
  expect((await call('no_answer', { number: '5' })).status).toBe(400);
  expect((await call('no_answer', { property_id: '3301900000099' })).status).toBe(400);
});
