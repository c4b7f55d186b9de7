import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, isRetryable, type PlatError } from '../errors.ts';
import {
  type Limits,
  limitsOf,
  type OpenContext,
  redactUrl,
  scratchFolder,
  sourceError,
} from './download-context.ts';
import { type FetchInit, type FetchResult, fetchAnyNetwork, fetchPublic } from './guarded-fetch.ts';

/** Browsers allow 20 redirects; normal downloads need two or three. */
const MAX_REDIRECTS = 5;

export const USER_AGENT = 'plat (parcel feed reader)';

export type Download = { path: string; remove(): Promise<void> };

/**
 * Downloads a whole URL to a temporary folder in `tmpDir`, because zip needs random access and truncated
 * downloads must be detected before staging.
 * @returns null for 404 and 410 if `optional` is set
 * @throws PlatError `feed_source` if the URL can't be read, returns an error, or exceeds `downloadBytes`
 */
export async function download(
  url: URL,
  context: OpenContext,
  options: { optional?: boolean } = {},
): Promise<Download | null> {
  const limits = limitsOf(context);
  const folder = await scratchFolder(context, 'download-');
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, fileName(url));
  try {
    const isFound = await withRetry(
      () => attempt(url, path, context, options.optional ?? false),
      limits,
      context.signal,
      context.onNote,
    );
    if (isFound) return { path, remove };
    await remove();
    return null;
  } catch (error) {
    await remove();
    throw error;
  }
}

async function attempt(
  url: URL,
  path: string,
  context: OpenContext,
  optional: boolean,
): Promise<AttemptOutcome<boolean>> {
  const limits = limitsOf(context);
  const idle = new AbortController();
  const timer = setTimeout(() => idle.abort(new DOMException('idle', 'TimeoutError')), limits.downloadIdleMs);
  const signal = AbortSignal.any([context.signal, idle.signal]);
  try {
    const response = await request(url, { headers: { 'user-agent': USER_AGENT }, signal });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      if (optional && (response.status === 404 || response.status === 410)) return { value: false };
      return statusOutcome(response, url);
    }
    let received = 0;
    const total = Number(response.headers.get('content-length') ?? 0);
    const bounded = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        timer.refresh();
        received += chunk.length;
        if (received > limits.downloadBytes) throw tooLarge(url, limits.downloadBytes);
        context.onNote?.(
          `downloaded ${megabytes(received)}${total > received ? ` of ${megabytes(total)}` : ''} MB`,
        );
        yield chunk;
      }
    };
    await pipeline(Readable.fromWeb(response.body as ReadableStream), bounded, createWriteStream(path), {
      signal,
    });
    return { value: true };
  } catch (error) {
    context.signal.throwIfAborted();
    return networkOutcome(idle.signal.aborted ? idle.signal.reason : error, url, context.signal);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * `sameOrigin` forbids redirects to another origin. `privateRedirects` allows redirects from a public address
 * into a private network.
 */
export type RedirectOptions = { sameOrigin?: boolean; privateRedirects?: boolean };

/**
 * Fetches a URL, following a limited number of http(s) redirects. The URL itself can be in any network,
 * because an operator configured it. Redirects from public to private networks are refused.
 * @throws PlatError `feed_source` for a refused redirect; fetch's errors
 */
export async function request(
  start: URL,
  init: FetchInit,
  { sameOrigin = false, privateRedirects = false }: RedirectOptions = {},
): Promise<Response> {
  let url = start;
  let publicOnly = false;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const { response, network }: FetchResult = publicOnly
      ? { response: await fetchPublic(url, init), network: 'public' }
      : await fetchAnyNetwork(url, init);
    publicOnly = network === 'public' && !privateRedirects;
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel();
    url = new URL(location, url);
    const allowed = sameOrigin ? url.origin === start.origin : /^https?:$/.test(url.protocol);
    if (!allowed) {
      throw sourceError(
        `${redactUrl(start)} redirects to ${url.origin}, which Plat does not follow. Set the feed's source to the final URL.`,
      );
    }
  }
  throw sourceError(
    `${redactUrl(start)} redirects more than ${MAX_REDIRECTS} times. Set the feed's source to the final URL.`,
  );
}

/** Reads a response's body. Returns null if it is larger than `maxBytes`. @throws errors from the socket */
export async function boundedBody(response: Response, maxBytes: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The outcome for an error status: a retry for 408, 429, and 5xx. Throws for other statuses. */
export function statusOutcome(response: Response, url: URL): AttemptOutcome<never> {
  const { status } = response;
  const remedy = isTransientStatus(status) ? 'Run the feed again later.' : "Check the feed's source.";
  const error = sourceError(`${redactUrl(url)} returned ${status}. ${remedy}`, {
    retryable: isTransientStatus(status),
    ...((status === 404 || status === 410) && { status: 404 }),
  });
  if (!isTransientStatus(status)) throw error;
  const afterMs = retryAfterMs(response.headers.get('retry-after'));
  return afterMs === undefined ? { retry: error } : { retry: error, afterMs };
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

function tooLarge(url: URL, bytes: number): Error {
  return sourceError(
    `${redactUrl(url)} is larger than ${bytes} bytes, the limit of one download. Split the source or read it from a local path.`,
  );
}

function fileName(url: URL): string {
  const name = basename(decodeURIComponent(url.pathname)).replace(/[^\w.-]/g, '_');
  return name === '' || name === '.' || name === '..' ? 'download' : name.slice(-100);
}

/**
 * The result of one attempt: a value, or an error that can be retried, with the pause that the server
 * requested.
 */
export type AttemptOutcome<T> = { value: T } | { retry: PlatError; afterMs?: number };

/**
 * Repeats an attempt with doubling pauses and up to 25% jitter.
 * @throws the last error. Doesn't retry if the server requests a pause longer than `limits.retryAfterMs`
 */
export async function withRetry<T>(
  attempt: () => Promise<AttemptOutcome<T>>,
  limits: Pick<Limits, 'tries' | 'backoffMs' | 'retryAfterMs'>,
  signal: AbortSignal,
  onNote?: (note: string) => void,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted();
    const outcome = await attempt();
    if ('value' in outcome) return outcome.value;
    if (tries >= limits.tries || (outcome.afterMs ?? 0) > limits.retryAfterMs) throw outcome.retry;
    const pause = outcome.afterMs ?? limits.backoffMs * 2 ** (tries - 1) * (1 + Math.random() / 4);
    onNote?.(
      `attempt ${tries + 1} of ${limits.tries}, next in ${Math.ceil(pause / 1000)} s: ${outcome.retry.message}`,
    );
    await sleep(pause, undefined, { signal });
  }
}

export type FetchOptions<T> = RedirectOptions & {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Timeout for one attempt, including the body. Omit it if the signal has a timeout. */
  timeoutMs?: number;
  /** Sends the request. Default: `request`. A replacement may cache or throttle. */
  send?: typeof request;
  /** Reads the value of a response. Returns undefined to treat its status as an error. */
  read(response: Response): T | undefined | Promise<T | undefined>;
};

/**
 * Sends a request with our user agent and retries. @throws PlatError `feed_source`, and errors from `read`
 */
export function fetchWithRetry<T>(
  url: URL,
  { method, headers, body, timeoutMs, send = request, read, ...options }: FetchOptions<T>,
  { signal, onNote, ...context }: Pick<OpenContext, 'signal' | 'limits' | 'onNote'>,
): Promise<T> {
  const attempt = async (): Promise<AttemptOutcome<T>> => {
    try {
      const init = {
        ...(method !== undefined && { method }),
        ...(body !== undefined && { body }),
        headers: { 'user-agent': USER_AGENT, ...headers },
        signal: timeoutMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      };
      const response = await send(url, init, options);
      const value = await read(response);
      if (value !== undefined) return { value };
      await response.body?.cancel();
      return statusOutcome(response, url);
    } catch (error) {
      return networkOutcome(error, url, signal);
    }
  };
  return withRetry(attempt, limitsOf(context), signal, onNote);
}

/** Converts `Retry-After`, in seconds or as an HTTP date, to milliseconds. Undefined if there isn't one. */
export function retryAfterMs(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

export const isTransientStatus = (status: number): boolean =>
  status === 408 || status === 429 || status >= 500;

/** The outcome of a request that failed before its body was read, or while it was being read. */
export function networkOutcome(error: unknown, url: URL, signal: AbortSignal): { retry: PlatError } {
  signal.throwIfAborted();
  if (error instanceof Error && error.name === 'PlatError' && !isRetryable(error)) throw error;
  const reason = describeNetworkError(error);
  return {
    retry: sourceError(
      `Can't read ${redactUrl(url)}: ${reason}. Check the URL and the network, then run again.`,
      {
        cause: error,
        retryable: true,
      },
    ),
  };
}

/** Codes of socket errors that mean that no connection was made. */
const NOT_CONNECTED = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether Plat could not connect to the server at all, such as on a machine without a network. */
export function isUnreachable(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at.name === 'TimeoutError' || NOT_CONNECTED.has(errorCode(at) ?? '')) return true;
  return false;
}

function describeNetworkError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'the server did not respond in time';
  // fetch puts the socket's error ("connect ECONNREFUSED …") into `cause`.
  return error.cause instanceof Error ? error.cause.message : error.message;
}
