import { setMaxListeners } from 'node:events';
import { isIP } from 'node:net';
import { Agent, errors, request } from 'undici';
import { errorCode } from '../base/errors.ts';
import { isPublicAddress } from './addresses.ts';
import { lookupWithin, OtherNetworkError } from './guarded-fetch.ts';
import { retryAfterMs } from './http.ts';

/** Within the 15 to 30 s of Standard Webhooks 1.0. */
const TIMEOUT_MS = 20_000;
const CONNECT_MS = 10_000;
/** To one host; servers let 511 wait by default, and drop what comes beyond. */
const CONNECTIONS = 256;
/** Nobody reads the answers: so many bytes let a connection be used again, a longer one is cut off. */
const ANSWER_BYTES = 16_384;

export type PostResult = {
  /** Null without an answer. */
  status: number | null;
  /** Why it did not succeed, in words for whose address it is; null where it did. */
  error: string | null;
  /** How long the receiver asks to be left alone. */
  retryAfterMs: number | null;
};

/** Names of an operator's setting, as `isAllowedHost` compares them. */
export const hostsOf = (setting: string): ReadonlySet<string> =>
  new Set(setting.split(',').map(plainHost).filter(Boolean));

const plainHost = (host: string): string =>
  host
    .trim()
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');

/**
 * Why nothing may be sent to an address, as far as it tells by itself: what a name stands for is looked at
 * when it is connected to. @param privateHosts those that may be private and without https
 */
export function postFault(text: string, privateHosts: ReadonlySet<string>): string | undefined {
  if (!URL.canParse(text)) return 'must be an address such as https://example.com/plat';
  const { protocol, hostname, username, password } = new URL(text);
  const host = plainHost(hostname);
  if (username !== '' || password !== '') return 'must not hold a user or a password';
  if (privateHosts.has(host) && protocol === 'http:') return undefined;
  if (protocol !== 'https:') return 'must begin with https://';
  if (privateHosts.has(host)) return undefined;
  if (isIP(host) !== 0 && !isPublicAddress(host)) return 'must be on the public internet';
  if (host === 'localhost' || host.endsWith('.localhost')) return 'must be on the public internet';
  return undefined;
}

export type GuardedPost = {
  /** Never throws. */
  post(url: string, headers: Record<string, string>, body: string): Promise<PostResult>;
  /** Breaks off what is under way. */
  close(): Promise<void>;
};

/**
 * Sends to addresses of others: by https, to public addresses alone, which are checked as each connection is
 * made, without redirects. Connections are kept for the next message.
 */
export function openGuardedPost(privateHosts: ReadonlySet<string>, timeoutMs = TIMEOUT_MS): GuardedPost {
  const limits = {
    connections: CONNECTIONS,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: 10_000,
  };
  const connect = { timeout: Math.min(CONNECT_MS, timeoutMs) };
  const outside = new Agent({ ...limits, connect: { ...connect, lookup: lookupWithin('public') } });
  const inside = new Agent({ ...limits, connect });
  let deadline = { signal: AbortSignal.abort(), sharedUntil: 0 };
  /** Those that begin within a tenth of a second share one: timers were a tenth of what sending takes. */
  function signalOfNow(): AbortSignal {
    const now = performance.now();
    if (now > deadline.sharedUntil) {
      deadline = { signal: AbortSignal.timeout(timeoutMs), sharedUntil: now + 100 };
      setMaxListeners(0, deadline.signal);
    }
    return deadline.signal;
  }
  return {
    async post(url, headers, body) {
      const fault = postFault(url, privateHosts);
      if (fault !== undefined) return failure(`its address ${fault}`);
      const target = new URL(url);
      const dispatcher = privateHosts.has(plainHost(target.hostname)) ? inside : outside;
      try {
        const signal = signalOfNow();
        const answer = await request(target, { method: 'POST', headers, body, dispatcher, signal });
        const status = answer.statusCode;
        await answer.body.dump({ limit: ANSWER_BYTES, signal }).catch(() => {});
        if (status >= 200 && status < 300) return { status, error: null, retryAfterMs: null };
        const wait = answer.headers['retry-after'];
        return {
          status,
          error: status >= 300 && status < 400 ? REDIRECTED : `answered ${status}`,
          retryAfterMs: typeof wait === 'string' ? (retryAfterMs(wait) ?? null) : null,
        };
      } catch (error) {
        return failure(wordsOf(error, timeoutMs));
      }
    },
    async close() {
      await Promise.all([outside.destroy(), inside.destroy()]);
    },
  };
}

const REDIRECTED = 'redirects, which is not followed: give its final address';

const failure = (error: string): PostResult => ({ status: null, error, retryAfterMs: null });

function wordsOf(error: unknown, timeoutMs: number): string {
  if (error instanceof OtherNetworkError) return 'has no address on the public internet';
  const isLate =
    error instanceof Error && (error.name === 'TimeoutError' || error instanceof errors.HeadersTimeoutError);
  if (isLate) return `did not answer within ${timeoutMs / 1_000} s`;
  return `cannot be reached (${errorCode(error) ?? (error instanceof Error ? error.name : 'unknown')})`;
}
