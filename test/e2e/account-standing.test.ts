import { beforeAll, expect, test } from 'vitest';
import { createKey } from '../../shared/accounts/accounts.ts';
import { type AccountChange, changeAccount } from '../../shared/accounts/contracts.ts';
import { prepareCounty } from '../../workers/comping/prepare-reports.ts';
import { posting, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { exportFile } from '../support/exports.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });
const ana = visitor(api);

let user: Awaited<ReturnType<typeof newUser>>;
/** Open to whoever has them: a shared report, a whole file and its first part. */
let addresses: string[];

beforeAll(async () => {
  user = await newUser(db, { company: 'Acme Land' });
  await db.pool.query("update users set name = '' where id = $1", [user.id]);
  await ana.signIn(user);
  const { key } = await createKey(db.pool, user.accountId, { name: 'x', scopes: ['api:direct'] });
  const file = await exportFile(db, api, key, { filter: { county: '33019', acres_min: 500 }, format: 'csv' });
  const report = posting(key, JSON.stringify({ property_id: 3301900001047 }));
  const { url } = (await api.call('/api/public/v1/comp-reports/', report)).json as { url: string };
  await prepareCounty(db.pool, 33_019, new AbortController().signal);
  const shared = await ana.submit(new URL(url).pathname, { do: 'share', days: '7' });
  const link = /\/comping\/shared\/[\w-]{43}/.exec(shared.text)![0];
  addresses = [link, ...[file.url!, file.parts[0]!.url].map(address => new URL(address).pathname)];
});

const open = async () => {
  const stranger = visitor(api);
  return Promise.all(addresses.map(async path => (await stranger.open(path)).status));
};

const ENDED: [string, AccountChange, AccountChange][] = [
  ['is disabled', { disabled: true }, { disabled: false }],
  ['has no subscription', { pro: false }, { pro: true }],
  ['has an unpaid invoice', { invoicePaid: false }, { invoicePaid: true }],
];

test.each(ENDED)(
  'files and shared reports of an account that %s are closed until it is settled',
  async (_how, end, settle) => {
    expect(await open()).toEqual([200, 200, 200]);
    await changeAccount(db.pool, user.accountId, end);
    expect(await open()).toEqual([404, 404, 404]);
    await changeAccount(db.pool, user.accountId, settle);
    expect(await open()).toEqual([200, 200, 200]);
  },
);

test('a shared report shows the company and name of its author, never an email address', async () => {
  const show = async () => (await visitor(api).open(addresses[0]!)).text;
  const nameless = await show();
  expect(nameless).toContain('Acme Land');
  expect(nameless).not.toMatch(/[\w.]@[\w.]/);
  await db.pool.query("update users set name = 'Ana Alder' where id = $1", [user.id]);
  const named = await show();
  expect(named).toContain('Ana Alder');
  expect(named).not.toMatch(/[\w.]@[\w.]/);
});
