import { hash, randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { Db } from '../platform/db.ts';
import { errorCode, PlatError } from '../platform/errors.ts';
import { SQLSTATE } from '../platform/sqlstates.ts';
import { requireKnownOrNewName, requireName } from './account-names.ts';
import { originsOf } from './map-origins.ts';
import { MAP_SCOPE, SCOPES, type Scope, type Tier } from './tiers.ts';
import { requireEmail, userOfOtherCompanyError } from './users.ts';

/**
 * Settings that an operator can change. Omitted settings keep their value, or get the default in a new
 * account.
 */
export type AccountTerms = {
  tokensIncluded?: number;
  /** US cents per 1,000 tokens of overage. Default: the tier's price. */
  overageCentsPer1000?: number;
  overageAllowed?: boolean;
  paymentMethod?: boolean;
  /** Default: true. The same applies to `pro` (an active Pro subscription). */
  invoicePaid?: boolean;
  pro?: boolean;
  /** Default: 60 calls per minute, with bursts of up to 120. */
  ratePerMinute?: number;
  rateBurst?: number;
  /** Default: 20 traces per minute, which can all run at once. */
  skipTracePerMinute?: number;
  /** Whether the account can use skip trace. Default: true. */
  skipTrace?: boolean;
  /** An existing or new company. Default: the user's company, or a new one named after the account. */
  company?: string;
  userName?: string;
};

export type NewAccount = AccountTerms & {
  name: string;
  /** null if there is no contract, and so no billing periods. */
  tier: Tier | null;
  /** Maximum overage tokens per period. Default: no limit. */
  backstopTokens?: number;
  /** Email address of the owner, who can be an existing or a new user. */
  user?: string;
};

export type AccountSummary = {
  id: string;
  name: string;
  company: string;
  user_email: string | null;
  tier: Tier | null;
  pro: boolean;
  user_name: string | null;
  tokens_included: number;
  overage_cents_per_1000: number;
  overage_allowed: boolean;
  payment_method: boolean;
  invoice_paid: boolean;
  backstop_tokens: number | null;
  tokens_used: number;
  rate_per_minute: number;
  rate_burst: number;
  skip_trace_per_minute: number;
  skip_trace: boolean;
  keys: number;
  period_start: Date | null;
  period_end: Date | null;
  created_at: Date;
  /** When Plat started rejecting its keys. */
  disabled_at: Date | null;
};

export type KeySummary = {
  id: string;
  account: string;
  name: string;
  prefix: string;
  scopes: Scope[];
  /** Websites whose pages can use a map key. */
  origins: string[];
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
};

export type NewKey = {
  name: string;
  scopes?: readonly Scope[];
  /** Websites whose pages can use a map key. Without any, only programs outside of browsers can. */
  origins?: readonly string[];
  expiresAt?: Date;
  /** The actor recorded in the audit table. Default: the user running this process. */
  actor?: string;
};

/** Length of the part of a key that is stored in plain text: `plat_` and 6 of the 43 random characters. */
const PREFIX_LENGTH = 11;

/**
 * @throws PlatError `account_exists` or `company_exists` if the name is taken; `tier_unknown`, `user_email`,
 * `user_company`, `account_change`, `name`
 */
export async function createAccount(db: Db, account: NewAccount): Promise<AccountSummary> {
  if (account.user === undefined && account.userName !== undefined)
    throw new PlatError('account_change', 'A user name needs a user. Set one with --user.');
  const givesTerms = account.tokensIncluded !== undefined || account.overageCentsPer1000 !== undefined;
  if (account.tier === null && givesTerms) throw termsWithoutContractError();
  const name = await requireKnownOrNewName(db, 'account', account.name);
  const company =
    account.company === undefined ? null : await requireKnownOrNewName(db, 'company', account.company);
  if (company === null && !(await hasCompany(db, account.user)))
    await requireKnownOrNewName(db, 'company', name);
  const userName = account.userName === undefined ? null : requireName('user', account.userName);
  try {
    const rows = await db.run<{ id: string }>('accounts/insert_account', {
      name,
      tier: account.tier,
      pro: account.pro ?? true,
      tokens: account.tokensIncluded ?? null,
      overage_allowed: account.overageAllowed ?? false,
      payment_method: account.paymentMethod ?? false,
      invoice_paid: account.invoicePaid ?? true,
      backstop: account.backstopTokens ?? null,
      calls_per_minute: account.ratePerMinute ?? 60,
      burst: account.rateBurst ?? 120,
      company,
      overage_price: account.overageCentsPer1000 ?? null,
      user_email: account.user === undefined ? null : requireEmail(account.user),
      by: operator(),
      skip_traces_per_minute: account.skipTracePerMinute ?? 20,
      user_name: userName,
      may_trace: account.skipTrace ?? true,
    });
    return (await listAccounts(db, rows[0]!.id))[0]!;
  } catch (cause) {
    if (constraintOf(cause) === 'accounts_user') throw userOfOtherCompanyError(account.user ?? '');
    if (errorCode(cause) === SQLSTATE.foreignKeyViolation) throw unknownTierError(account.tier ?? '');
    if (errorCode(cause) === SQLSTATE.checkViolation) throw invalidValuesError(cause);
    if (errorCode(cause) !== SQLSTATE.uniqueViolation) throw cause;
    if (constraintOf(cause) === 'companies_name_key')
      throw new PlatError(
        'company_exists',
        `A company named "${company ?? name}" already exists. Set it as the account's company (--company), or use another name.`,
        { cause },
      );
    throw new PlatError('account_exists', `An account named "${name}" already exists. Choose another name.`, {
      cause,
    });
  }
}

async function hasCompany(db: Db, user: string | undefined): Promise<boolean> {
  return user !== undefined && (await db.run('accounts/find_by_email', { address: user })).length > 0;
}

export function invalidValuesError(cause: unknown): PlatError {
  return new PlatError(
    'account_change',
    'Invalid values. A period must end after it starts, rates must be over 0, and amounts cannot be negative.',
    { cause },
  );
}

export function termsWithoutContractError(): PlatError {
  return new PlatError(
    'account_change',
    'Tokens, their price, and period dates need a contract. Set a tier, or omit them.',
  );
}

export function unknownTierError(tier: string): PlatError {
  return new PlatError('tier_unknown', `There is no tier "${tier}". \`plat tier list\` lists all tiers.`);
}

/** Finds an account's id by its id or name. An id takes precedence. @throws PlatError `account_unknown` */
export async function findAccount(db: Db, account: string): Promise<string> {
  const rows = await db.run<{ id: string }>('accounts/find_account', { account });
  if (rows[0] === undefined)
    throw new PlatError(
      'account_unknown',
      `There is no account "${account}". \`plat account list\` lists all accounts.`,
    );
  return rows[0].id;
}

function constraintOf(error: unknown): unknown {
  return error instanceof Error && 'constraint' in error ? error.constraint : undefined;
}

export async function listAccounts(db: Db, id: string | null = null): Promise<AccountSummary[]> {
  return db.run<AccountSummary>('accounts/list_accounts', { id });
}

/**
 * Creates a key. Only its hash is stored, so the key can't be shown again. @throws PlatError
 * `account_unknown`, `key_scopes`, `key_origins`, `name`
 */
export async function createKey(
  db: Db,
  account: string,
  options: NewKey,
): Promise<{ id: string; key: string; prefix: string }> {
  const scopes = options.scopes ?? ['api:direct'];
  const isMapKey = scopes.length === 1 && scopes[0] === MAP_SCOPE;
  if (!isMapKey && (scopes.length === 0 || scopes.some(scope => !isUsual(scope))))
    throw new PlatError(
      'key_scopes',
      `Choose the scopes ${SCOPES.join(', ')}, or both, or only ${MAP_SCOPE}. Got ${scopes.join(', ') || 'none'}.`,
    );
  const origins = originsOf(options.origins ?? []);
  if (origins.length > 0 && !isMapKey)
    throw new PlatError('key_origins', `Only keys with the scope ${MAP_SCOPE} have allowed websites.`);
  const { key, prefix } = newKey();
  const values = {
    account_id: await findAccount(db, account),
    name: requireName('key', options.name),
    key_hash: hashKey(key),
    prefix,
    scopes,
    origins,
    expiry: options.expiresAt ?? null,
    by: options.actor ?? operator(),
  };
  const rows = await db.run<{ id: string }>('accounts/insert_key', values);
  return { id: rows[0]!.id, key, prefix };
}

const isUsual = (scope: Scope): boolean => (SCOPES as readonly Scope[]).includes(scope);

function newKey(): { key: string; prefix: string } {
  const key = `plat_${randomBytes(32).toString('base64url')}`;
  return { key, prefix: key.slice(0, PREFIX_LENGTH) };
}

/**
 * Replaces a key. The old key keeps working for `hours`. If that is 0, it is revoked immediately.
 * @param old its id, its prefix, or the key itself. @throws PlatError `key_unknown`
 */
export async function rotateKey(
  db: Db,
  old: string,
  hours: number,
  actor = operator(),
): Promise<{ id: string; name: string; key: string; prefix: string; old_until: Date }> {
  const { key, prefix } = newKey();
  const rows = await db.run<{ id: string; name: string; old_until: Date }>('accounts/rotate_key', {
    old_key: old,
    key_hash: hashKey(old),
    by: actor,
    hours,
    new_hash: hashKey(key),
    prefix,
  });
  if (rows[0] === undefined) throw keyUnknown();
  return { ...rows[0], key, prefix };
}

function keyUnknown(): PlatError {
  return new PlatError('key_unknown', 'No active key matches. `plat key list` lists ids and prefixes.');
}

/** Sets the websites that can use a map key. @throws PlatError `key_unknown`, `key_origins` */
export async function setKeyOrigins(
  db: Db,
  id: string,
  origins: readonly string[],
  actor: string,
): Promise<void> {
  const values = { key_id: id, origins: originsOf(origins), scope: MAP_SCOPE, by: actor };
  if ((await db.run('accounts/set_key_origins', values)).length === 0) throw keyUnknown();
}

/** Lists the keys of one account (by name or id), or of all accounts. @throws PlatError `account_unknown` */
export async function listKeys(db: Db, account?: string): Promise<KeySummary[]> {
  const id = account === undefined ? null : await findAccount(db, account);
  return db.run<KeySummary>('accounts/list_keys', { account_id: id });
}

/**
 * Revokes a key (by id, prefix, or the key itself) permanently. Every process rejects it within 5 seconds.
 * @throws PlatError `key_unknown`
 */
export async function revokeKey(
  db: Db,
  key: string,
  actor = operator(),
): Promise<{ id: string; name: string; revoked_at: Date }> {
  const rows = await db.run<{ id: string; name: string; revoked_at: Date }>('accounts/revoke_key', {
    key,
    key_hash: hashKey(key),
    by: actor,
  });
  const row = rows[0];
  if (row === undefined) throw keyUnknown();
  return row;
}

/** Keys have 256 random bits, so a slow hash would add nothing. */
export const hashKey = (key: string): Buffer => hash('sha256', key, 'buffer');

/**
 * The person running this process, for the audit table, such as `ana@host`. Under sudo, this is the person,
 * not root.
 */
export const operator = (): string => `${process.env.SUDO_USER ?? userName()}@${hostname()}`;

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, the user may not have an entry in /etc/passwd.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
