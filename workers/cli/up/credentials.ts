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
