import { hashKey } from '../../shared/accounts/accounts.ts';
import { MAP_SCOPE, type Mode, type READ_SCOPE, type Scope, type Tier } from '../../shared/accounts/tiers.ts';
import type { Db } from '../../shared/platform/db.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { batch } from './batch.ts';

export type Account = {
  id: string;
  companyId: string;
  pro: boolean;
  /** null if there is no contract. */
  tier: Tier | null;
  /** Whether the tier includes the REST API. */
  direct: boolean;
  invoicePaid: boolean;
  overageAllowed: boolean;
  paymentMethod: boolean;
  /** null if there is no limit. */
  tokensAllowed: number | null;
  tokensUsed: number;
  /** Tiles that are paid for in this period, but not delivered yet. */
  tilesPaid: number;
  ratePerMinute: number;
  rateBurst: number;
  skipTracePerMinute: number;
  skipTrace: boolean;
  /** Epoch milliseconds. null if there is no contract. */
  periodEnd: number | null;
};

/** A scope that a key or an assistant's token can have. */
export type CallerScope = Scope | typeof READ_SCOPE;

export type Caller = {
  account: Account;
  scopes: readonly CallerScope[];
  mode: Mode;
  /** The API key's id. Absent if there is no key. */
  keyId?: string;
  /** The websites that can use a map key. Absent for other keys. */
  origins?: readonly string[];
};

type CachedKey = {
  account: Account;
  scopes: readonly CallerScope[];
  keyId: string | undefined;
  origins: readonly string[];
  expiresAt: number;
  revoked: boolean;
  disabled: boolean;
  readAt: number;
};

/** How long a key and its account are cached. Charges and rate limits never use the cache. */
const CACHE_MS = 2_000;
/** About 1 KB per entry. Only existing keys are cached, so guessed keys can't push others out. */
const MAX_CACHED = 10_000;

const KEY = /^plat_[A-Za-z0-9_-]{43}$/;
/** An access token from the authorization server (api/oauth), valid only for `/mcp`. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const BEARER = /^Bearer +([^ ]+) *$/i;

export type Callers = {
  /** @throws PlatError `unauthorized` */
  identify(authorization: string | undefined, mode: Mode): Promise<Caller>;
  /** For a key in the URL. @throws PlatError `unauthorized` */
  identifyToken(token: unknown): Promise<Caller>;
};

/** False if the clock was set back. Otherwise, the entry would stay fresh for too long. */
const isFresh = ({ readAt }: CachedKey, now: number): boolean => now >= readAt && now - readAt < CACHE_MS;

/** Authenticates `Authorization: Bearer plat_…`, or an access token for the MCP server. */
export function openCallers(db: Db, now = Date.now): Callers {
  const cache = new Map<string, CachedKey>();
  const read = batch<Buffer, CachedKey | undefined>(hashes => readKeys(db, hashes, now));

  async function find(key: string): Promise<CachedKey> {
    const hash = hashKey(key);
    const id = hash.toString('latin1');
    const cached = cache.get(id);
    if (cached !== undefined && isFresh(cached, now())) return cached;
    cache.delete(id);
    const fresh = await read(hash);
    if (fresh === undefined)
      throw unauthorized(
        KEY.test(key)
          ? 'Unknown API key. Check that you sent the complete key.'
          : 'Unknown access token. Connect the assistant again.',
      );
    // Not cached, so that an assistant's access ends immediately when its grant is revoked.
    if (fresh.keyId === undefined) return fresh;
    cache.set(id, fresh);
    if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!);
    return fresh;
  }

  async function callerOf(key: string, mode: Mode): Promise<Caller> {
    const { account, scopes, keyId, origins, expiresAt, revoked, disabled } = await find(key);
    if (revoked) throw unauthorized('The API key was revoked.');
    if (expiresAt <= now()) throw unauthorized('The API key has expired.');
    if (disabled) throw unauthorized("The API key's account is disabled.");
    const isMapKey = scopes.includes(MAP_SCOPE);
    return { account, scopes, mode, ...(keyId !== undefined && { keyId }), ...(isMapKey && { origins }) };
  }

  return {
    async identify(authorization, mode) {
      if (authorization === undefined)
        throw unauthorized('Send your API key: `Authorization: Bearer plat_…`.');
      const key = BEARER.exec(authorization)?.[1];
      if (key === undefined || !(KEY.test(key) || (mode === 'mcp' && TOKEN.test(key))))
        throw unauthorized('The Authorization header must be `Bearer plat_…` with the complete API key.');
      return callerOf(key, mode);
    },
    async identifyToken(token) {
      if (typeof token !== 'string' || !KEY.test(token))
        throw unauthorized('The parameter token must be the complete map key.');
      return callerOf(token, 'direct');
    },
  };
}

type AccountRow = Omit<Account, 'periodEnd'> & { periodEnd: Date | null };

type KeyRow = AccountRow & {
  keyHash: Buffer;
  keyId: string | null;
  scopes: CallerScope[];
  origins: string[];
  expiresAt: Date | null;
  revoked: boolean;
  disabled: boolean;
};

export async function readAccount(db: Db, id: string): Promise<Account | undefined> {
  const [row] = await db.run<AccountRow>('accounts/read_account', { account_id: id });
  return row && { ...row, periodEnd: row.periodEnd?.getTime() ?? null };
}

async function readKeys(db: Db, hashes: Buffer[], now: () => number): Promise<(CachedKey | undefined)[]> {
  // Read the clock first, so that a change made during the read takes effect within CACHE_MS.
  const readAt = now();
  const rows = await db.run<KeyRow>('accounts/identify_keys', { hashes });
  const byHash = new Map(rows.map(row => [row.keyHash.toString('latin1'), toCachedKey(row, readAt)]));
  return hashes.map(hash => byHash.get(hash.toString('latin1')));
}

function toCachedKey(row: KeyRow, readAt: number): CachedKey {
  const { keyHash: _, keyId, scopes, origins, expiresAt, revoked, disabled, ...account } = row;
  return {
    account: { ...account, periodEnd: account.periodEnd?.getTime() ?? null },
    scopes,
    keyId: keyId ?? undefined,
    origins,
    expiresAt: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    revoked,
    disabled,
    readAt,
  };
}

function unauthorized(message: string): PlatError {
  return new PlatError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}
