import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAccount, createKey, listAccounts, listKeys } from '../../../shared/accounts.ts';
import type { Config } from '../../../shared/config.ts';
import type { Pool } from '../../../shared/db.ts';

const DEMO_ACCOUNT = 'demo';

/** The demo account's key, from .plat/demo-key; made anew when the file or the key's row is gone. */
export async function demoKey(config: Config, pool: Pool): Promise<string> {
  const file = join(config.PLAT_DIR, 'demo-key');
  const accounts = await listAccounts(pool);
  if (!accounts.some(account => account.name === DEMO_ACCOUNT))
    await createAccount(pool, { name: DEMO_ACCOUNT, tier: 'scale' });
  if (existsSync(file)) {
    const key = readFileSync(file, 'utf8').trim();
    const known = await listKeys(pool, DEMO_ACCOUNT);
    if (known.some(({ prefix, revoked_at }) => key.startsWith(prefix) && revoked_at === null)) return key;
  }
  const { key } = await createKey(pool, DEMO_ACCOUNT, { name: 'demo' });
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return key;
}

/** The operator's password: ADMIN_PASSWORD, else one made once and kept in .plat/admin-password. */
export function adminPassword(config: Config): string {
  if (config.ADMIN_PASSWORD !== undefined) return config.ADMIN_PASSWORD;
  const file = join(config.PLAT_DIR, 'admin-password');
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(15).toString('base64url')}\n`, { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

export type Welcome = { url: string; key: string; keyFile: string; admin: string; logs: string };

/** Three calls that a newcomer can paste. */
function calls(): { path: string; what: string }[] {
  return [
    {
      path: '/api/public/v1/markets-stats/33019/stats/',
      what: 'market statistics of Sullivan County, New Hampshire',
    },
    {
      path: '/api/public/v1/markets-stats/zip/03280/stats/',
      what: 'the same for ZIP 03280 (Washington, New Hampshire)',
    },
    {
      path: '/api/public/v1/markets-stats/99999/stats/',
      what: 'a county that does not exist: 404, 0 tokens',
    },
  ];
}

/** What a newcomer needs, with what the calls answer at this moment. */
export async function welcome({ url, key, keyFile, admin, logs }: Welcome): Promise<string> {
  const lines = [
    '',
    `Plat is ready at ${url}`,
    '',
    `  demo key         ${key}   (also in ${keyFile})`,
    `  documentation    ${url}/docs`,
    `  operator's page  ${url}/admin/queues   user admin, password ${admin}`,
    `  logs             ${logs}`,
    '',
    'Calls to paste, and what they answer now:',
  ];
  for (const { path, what } of calls()) {
    lines.push(
      '',
      `  # ${what}`,
      `  curl -H "Authorization: Bearer $(cat ${quoted(keyFile)})" ${url}${path}`,
      `  ${await answer(url + path, key)}`,
    );
  }
  lines.push(
    '',
    'In another terminal: npx plat status, npx plat runs, npx plat --help.  Ctrl-C stops everything.',
    '',
  );
  return lines.join('\n');
}

/** For a shell: the path of the checkout may hold spaces. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Status, tokens and the beginning of the body. */
async function answer(url: string, key: string): Promise<string> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  const body = await response.text();
  const shown = body.length > 150 ? `${body.slice(0, 150)}…` : body;
  return `-> ${response.status}, ${response.headers.get('x-tokens-used')} tokens: ${shown}`;
}
