import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import { errorCode } from '../errors.ts';
import { isPublicAddress } from './addresses.ts';
import { guardedConnect } from './guarded-connect.ts';
import { lookupWithin, OtherNetworkError } from './guarded-fetch.ts';
import { retryAfterMs } from './http.ts';

/** Within the range of 15 to 30 s that Standard Webhooks 1.0 recommends. */
const TIMEOUT_MS = 20_000;
const CONNECT_MS = 10_000;
/** How often to check for expired exchanges. */
const CHECK_MS = 500;
/** Maximum number of connections per host. By default, servers queue 511 and drop the rest. */
const CONNECTIONS = 256;
/**
 * Response bodies are ignored. A connection is reused after a body of up to this many bytes. Longer bodies
 * are cut off.
 */
const ANSWER_BYTES = 16_384;

export type PostResult = {
  /** Null if there was no response. */
  status: number | null;
  /** Why the request failed, in words for the owner of the URL. null if it succeeded. */
  error: string | null;
  /** The pause that the receiver requested. */
  retryAfterMs: number | null;
};

/** The hostnames in an operator's setting, normalized for comparison. */
export const hostsOf = (setting: string): ReadonlySet<string> =>
  new Set(setting.split(',').map(plainHost).filter(Boolean));

const plainHost = (host: string): string =>
  host
    .trim()
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');

/**
 * Why a URL can't be used, judging by its text alone. The hostname is resolved and checked when connecting.
 * @param privateHosts hosts that may be private and don't need https
 */
export function postFault(text: string, privateHosts: ReadonlySet<string>): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL such as https://example.com/plat';
  const { protocol, hostname, username, password } = new URL(text);
  const host = plainHost(hostname);
  if (username !== '' || password !== '') return 'must not contain a user name or a password';
  if (privateHosts.has(host) && protocol === 'http:') return undefined;
  if (protocol !== 'https:') return 'must start with https://';
  if (privateHosts.has(host)) return undefined;
  if (isIP(host) !== 0 && !isPublicAddress(host)) return 'must be on the public internet';
  if (host === 'localhost' || host.endsWith('.localhost')) return 'must be on the public internet';
  return undefined;
}

export type GuardedPost = {
  /** Never throws. */
  post(url: string, headers: Record<string, string>, body: string): Promise<PostResult>;
  /** Aborts open exchanges. */
  close(): Promise<void>;
};

/**
 * Sends to URLs that users enter: only over https, to public addresses checked on each connection, without
 * following redirects. `privateHosts` are exempt from https and the address check. Connections are kept alive
 * for the next message.
 */
export function openGuardedPost(privateHosts: ReadonlySet<string>, timeoutMs = TIMEOUT_MS): GuardedPost {
  // A single time limit for the whole exchange replaces these timeouts.
  const limits = { connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 10_000 };
  const connect = { timeout: Math.min(CONNECT_MS, timeoutMs) };
  const outside = new Agent({
    ...limits,
    connect: guardedConnect({ ...connect, lookup: lookupWithin('public') }),
  });
  const inside = new Agent({ ...limits, connect: guardedConnect(connect) });
  /** In the order in which they started. */
  const inProgress = new Set<Exchange>();
  const look = setInterval(() => {
    const cutoff = performance.now() - timeoutMs;
    for (const exchange of inProgress) {
      if (exchange.startedAt > cutoff) break;
      exchange.giveUp(`did not respond within ${timeoutMs / 1_000} s`);
    }
  }, CHECK_MS);
  look.unref();
  return {
    post(url, headers, body) {
      const fault = postFault(url, privateHosts);
      if (fault !== undefined) return Promise.resolve(failure(`its address ${fault}`));
      const { origin, hostname, pathname, search } = new URL(url);
      const dispatcher = privateHosts.has(plainHost(hostname)) ? inside : outside;
      return new Promise(resolve => {
        const exchange = new Exchange(result => {
          inProgress.delete(exchange);
          resolve(result);
        });
        inProgress.add(exchange);
        dispatcher.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, exchange);
      });
    },
    async close() {
      clearInterval(look);
      await Promise.all([outside.destroy(), inside.destroy()]);
    },
  };
}

/**
 * A message being sent. Does not use undici's `request`, which creates a stream for each response, or an
 * abort signal, which adds listeners. Together, these took longer than sending the message.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly startedAt = performance.now();
  readonly #done: (result: PostResult) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #answer: PostResult | undefined;
  #bytes = 0;
  #isOver = false;

  constructor(done: (result: PostResult) => void) {
    this.#done = done;
  }

  #end(result: PostResult): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#done(result);
  }

  /** Ends the exchange. If a status was already received, it becomes the result. */
  giveUp(why: string): void {
    this.#end(this.#answer ?? failure(why));
    this.#controller?.abort(new Error(why));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The exchange expired while waiting for a connection.
    if (this.#isOver) controller.abort(new Error('late'));
  }

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders): void {
    this.#answer = answered(status, headers['retry-after']);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > ANSWER_BYTES) controller.abort(new Error('long'));
  }

  onResponseEnd(): void {
    this.#end(this.#answer!);
  }

  onResponseError(_: unknown, error: Error): void {
    this.#end(this.#answer ?? failure(wordsOf(error)));
  }
}

function answered(status: number, wait: string | string[] | undefined): PostResult {
  if (status >= 200 && status < 300) return { status, error: null, retryAfterMs: null };
  return {
    status,
    error: status >= 300 && status < 400 ? REDIRECTED : `returned ${status}`,
    retryAfterMs: typeof wait === 'string' ? (retryAfterMs(wait) ?? null) : null,
  };
}

const REDIRECTED = 'redirects, which Plat does not follow; enter its final URL';

const failure = (error: string): PostResult => ({ status: null, error, retryAfterMs: null });

function wordsOf(error: Error): string {
  // Unknown names and names in the private network get the same text, so that it doesn't reveal which names
  // exist.
  const isLookup = (error as NodeJS.ErrnoException).syscall === 'getaddrinfo';
  if (isLookup || error instanceof OtherNetworkError) return 'has no address on the public internet';
  return `is unreachable (${errorCode(error) ?? error.name})`;
}
