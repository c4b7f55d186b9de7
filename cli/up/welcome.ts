import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createAccount,
  createKey,
  listAccounts,
  listKeys,
  operator,
} from '../../shared/accounts/accounts.ts';
import { changeAccount } from '../../shared/accounts/contracts.ts';
import { createLink } from '../../shared/accounts/sign-in.ts';
import { createUser, findUser, joinCompany } from '../../shared/accounts/users.ts';
import type { Config } from '../../shared/platform/config.ts';
import type { Db } from '../../shared/platform/db.ts';
import { shellWord } from '../common/cli-output.ts';

const DEMO_ACCOUNT = 'demo';
const DEMO_USER = 'demo@plat.example';

export async function demoKey(config: Config, db: Db): Promise<string> {
  const file = join(config.PLAT_DIR, 'demo-key');
  const accounts = await listAccounts(db);
  if (!accounts.some(account => account.name === DEMO_ACCOUNT)) {
    // The person who runs Plat can see everything at /admin.
    const user = { email: DEMO_USER, name: 'Demo', operator: true, actor: operator() };
    await createUser(db, { companyId: await joinCompany(db, DEMO_ACCOUNT), ...user });
    await createAccount(db, { name: DEMO_ACCOUNT, tier: 'scale', user: DEMO_USER });
  }
  if (existsSync(file)) {
    const key = readFileSync(file, 'utf8').trim();
    const existing = await listKeys(db, DEMO_ACCOUNT);
    if (existing.some(({ prefix, revoked_at }) => key.startsWith(prefix) && revoked_at === null)) return key;
  }
  const { key } = await createKey(db, DEMO_ACCOUNT, { name: 'demo' });
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return key;
}

/** The demo account and its user. Adds the user if the account has none. */
export async function demoOwner(db: Db): Promise<{ accountId: string; userId: string }> {
  const demo = (await listAccounts(db)).find(account => account.name === DEMO_ACCOUNT)!;
  if (demo.user_email === null) await changeAccount(db, DEMO_ACCOUNT, { user: DEMO_USER, userName: 'Demo' });
  const { id } = await findUser(db, demo.user_email ?? DEMO_USER);
  return { accountId: demo.id, userId: id };
}

/** A one-time link that signs in the demo account's user and opens the map of the sample's first town. */
export async function demoLink(db: Db): Promise<string> {
  const { userId: id } = await demoOwner(db);
  return `${await createLink(db, id, 'sign_in')}?next=${encodeURIComponent('/data?county=33019')}`;
}

export function adminPassword(config: Config): string {
  if (config.ADMIN_PASSWORD !== undefined) return config.ADMIN_PASSWORD;
  const file = join(config.PLAT_DIR, 'admin-password');
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(15).toString('base64url')}\n`, { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

export type Welcome = {
  url: string;
  link: string;
  key: string;
  keyFile: string;
  admin: string;
  logs: string;
};

const STATS = '/api/public/v1/markets-stats';
const CALLS = [
  [`${STATS}/33019/stats/`, 'Market statistics for Sullivan County, New Hampshire'],
  [`${STATS}/zip/03280/stats/`, 'The same for ZIP code 03280 (Washington, New Hampshire)'],
  [`${STATS}/99999/stats/`, "A county that doesn't exist: 404, 0 tokens"],
];

export async function welcome({ url, link, key, keyFile, admin, logs }: Welcome): Promise<string> {
  const lines = [
    '',
    `Plat is ready at ${url}`,
    '',
    `  web app          ${url}${link}`,
    '                   (a one-time link that signs you in as the demo user; for another one,',
    '                   run: npx plat user link demo@plat.example)',
    `  demo key         ${key}   (also in ${keyFile})`,
    `  documentation    ${url}/docs`,
    `  admin            ${url}/admin   (add counties and files, and see runs; only for the demo user and users created with --operator)`,
    `  queues           ${url}/admin/queues   (user admin, password ${admin})`,
    `  logs             ${logs}`,
    '',
    'Calls to try, with their responses:',
  ];
  for (const [path, what] of CALLS) {
    lines.push(
      '',
      `  # ${what}`,
      `  curl -H "Authorization: Bearer $(cat ${shellWord(keyFile)})" ${url}${path}`,
      `  ${await replyOf(url + path, key)}`,
    );
  }
  lines.push(
    '',
    'In another terminal, try npx plat status, npx plat runs, or npx plat --help. Press Ctrl-C to stop.',
    '',
  );
  return lines.join('\n');
}

async function replyOf(url: string, key: string): Promise<string> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  const body = await response.text();
  const shown = body.length > 150 ? `${body.slice(0, 150)}…` : body;
  return `-> ${response.status}, ${response.headers.get('x-tokens-used')} tokens: ${shown}`;
}
