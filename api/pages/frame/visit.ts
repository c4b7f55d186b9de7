import type { Request, Response } from 'express';
import type { ComponentChildren, VNode } from 'preact';
import {
  endSession,
  insertSession,
  readSession,
  type Session,
} from '../../../shared/accounts/account-statements.ts';
import { newToken, tokenHashOf } from '../../../shared/accounts/sign-in.ts';
import type { Config } from '../../../shared/platform/config.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import type { Logger } from '../../../shared/platform/log.ts';
import type { Origins } from '../../../shared/platform/origin.ts';
import { type Account, readAccount } from '../../http/callers.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { JSON_TYPE } from '../../http/error-responses.ts';
import { exchangeOf } from '../../http/exchange.ts';
import type { HeavyCall } from '../../http/heavy-calls.ts';
import { requireAdmitted } from '../../http/rate-limits.ts';
import type { ServeDeps } from '../../http/serve.ts';
import { checkInput } from '../../http/validate.ts';
import type { Tool } from '../../mcp/tools.ts';
import type { OAuth } from '../../oauth/oauth-router.ts';
import type { Resources } from '../../v1/common/endpoint-resources.ts';
import type { Assets } from './assets.ts';

export type PageDeps = ServeDeps & {
  config: Config;
  log: Logger;
  /** For data that pages don't read through endpoints. */
  db: Db;
  assets: Assets;
  resources: Resources;
  endpoints: readonly Endpoint[];
  /** The tools for assistants. */
  tools: ReadonlyMap<string, Tool>;
  oauth: OAuth;
  origins: Origins;
};

export type Visit = {
  req: Request;
  res: Response;
  deps: PageDeps;
  /** Path and query of the page. Ignore its origin. */
  url: URL;
  /** Prefixes of API and app URLs. Empty if the URLs are relative. */
  apiUrl: string;
  appUrl: string;
  session: Session | undefined;
  /** The call's place in line for heavy work on shapes, which an account's calls take turns doing. */
  work: HeavyCall;
  /** The session's account, once `accountOf` has read it. */
  account?: Promise<Account | undefined>;
  tokensUsed?: number;
  /** The fields of a submitted form. */
  form: URLSearchParams;
};

export type Reply =
  | {
      title: string;
      body: ComponentChildren;
      status?: number;
      wide?: boolean;
      assetNames?: readonly string[];
      head?: VNode;
    }
  | { redirect: string }
  /** Writes server-sent events while the response is open. */
  | { stream(res: Response): void }
  | {
      data: Buffer | string;
      type: string;
      status?: 200 | 204;
      filename?: string;
      etag?: string;
      maxAge?: number;
    };

export const json = (value: unknown): Reply => ({ data: JSON.stringify(value), type: JSON_TYPE });

/** A CSV file for spreadsheet programs, with the byte order mark that makes them read it as UTF-8. */
export const spreadsheet = (table: string, filename: string): Reply => ({
  data: `\ufeff${table}\r\n`,
  type: 'text/csv; charset=utf-8',
  filename,
});

const COOKIE = 'plat_session';
const IDLE_SECONDS = 30 * 24 * 3600;

/** Call limits per session. Panning a map requests about 20 tiles at a time. */
const SESSION_LIMIT = { ratePerMinute: 1_200, rateBurst: 2_400, skipTracePerMinute: 1 };

/** The session in the cookie. Undefined if there is none or it has ended. */
export async function sessionOf(req: Request, { resources }: PageDeps): Promise<Session | undefined> {
  const token = cookieOf(req);
  if (token === undefined) return undefined;
  return readSession(resources.db, tokenHashOf(token));
}

/** Counts a call against the session's limit. @throws PlatError `rate_limited` */
export async function countCall(session: Session, { rateLimits }: PageDeps): Promise<void> {
  requireAdmitted(await rateLimits.admit({ id: session.id, ...SESSION_LIMIT }));
}

/** Always opens a new session instead of using one that the browser sent, to prevent session fixation. */
export async function openSession(visit: Visit, userId: string): Promise<void> {
  const { req, deps } = visit;
  const old = cookieOf(req);
  if (visit.session !== undefined && old !== undefined)
    await endSession(deps.db, visit.session.user.id, visit.session.id);
  const { token, tokenHash } = newToken();
  const browser = (req.headers['user-agent'] ?? '').slice(0, 300);
  await insertSession(deps.db, { tokenHash, userId, browser });
  setCookie(visit, { name: COOKIE, value: token, path: '/', seconds: IDLE_SECONDS });
}

export function forgetCookie(visit: Visit): void {
  setCookie(visit, { name: COOKIE, value: '', path: '/', seconds: 0 });
}

type Cookie = { name: string; value: string; path: string; seconds: number };

export function setCookie({ req, res, deps }: Visit, { name, value, path, seconds }: Cookie): void {
  const secure = deps.origins.isSecure(req) ? '; Secure' : '';
  res.append(
    'Set-Cookie',
    `${name}=${value}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`,
  );
}

function cookieOf(req: Request): string | undefined {
  return /(?:^|;) *plat_session=([A-Za-z0-9_-]{43})(?:;|$)/.exec(req.headers.cookie ?? '')?.[1];
}

/** The session's account, which is read once per visit. Undefined if there is none or it is disabled. */
export function accountOf(visit: Visit): Promise<Account | undefined> {
  const { session, deps } = visit;
  visit.account ??= session?.account ? readAccount(deps.db, session.account.id) : Promise.resolve(undefined);
  return visit.account;
}

/** @throws PlatError `forbidden` */
export async function requireAccount(visit: Visit): Promise<Account> {
  const account = await accountOf(visit);
  if (account === undefined)
    throw new PlatError('forbidden', 'You need an active account for this. Ask your operator to set one up.');
  return account;
}

/** The session's own account. @throws PlatError `forbidden` for members other than the owner */
export function ownAccount({ account }: Session): { id: string } {
  if (account?.own) return account;
  throw new PlatError('forbidden', "Only the account's owner can do this.");
}

type PageCall = { params?: object; query?: object; body?: object; idempotencyKey?: string | undefined };

/**
 * Calls an endpoint for the session's account, free of charge. The page's `access` decides whether the
 * account can see it.
 * @throws PlatError `forbidden` if there is no account, otherwise like the endpoint
 */
export async function callEndpoint<T>(
  visit: Visit,
  endpoint: Endpoint,
  { params = {}, query = {}, body, idempotencyKey }: PageCall = {},
): Promise<T> {
  const { deps, url, apiUrl, appUrl, session, work } = visit;
  const account = await requireAccount(visit);
  const input = checkInput(endpoint, { params, query, body });
  const mode = 'direct' as const;
  const context = {
    account,
    mode,
    ...(session && { user: session.user }),
    url,
    apiUrl,
    appUrl,
    now: deps.now(),
    work,
    idempotencyKey,
  };
  const { body: answer } = await endpoint.handle(input, deps.resources, context);
  // Statistics are stored as the bytes that the endpoint sends.
  return (Buffer.isBuffer(answer) ? JSON.parse(answer.toString()) : answer) as T;
}

/** Names the route for metrics and logs. */
export function nameRoute(res: Response, path: string): void {
  exchangeOf(res).route = path;
}

export function withParam(url: URL, name: string, value?: string): string {
  const params = new URLSearchParams(url.searchParams);
  if (value === undefined) params.delete(name);
  else params.set(name, value);
  return params.size === 0 ? url.pathname : `${url.pathname}?${params}`;
}

/** The path to return to after signing in. If it isn't a path in the app, the map's path. */
export function safePath(path: string | null): string {
  return path !== null && /^\/(?![/\\])[\x21-\x7e]{0,2000}$/.test(path) && !path.includes('\\')
    ? path
    : '/data';
}
