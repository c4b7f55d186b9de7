import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import { LIMITS } from '../../shared/platform/http/download-context.ts';
import type { FetchInit } from '../../shared/platform/http/guarded-fetch.ts';
import { type RedirectOptions, request, retryAfterMs } from '../../shared/platform/http/http.ts';

/** These limits are short because a client is waiting. */
export const SOURCE_LIMITS = {
  ...LIMITS,
  downloadIdleMs: 8_000,
  tries: 3,
  backoffMs: 200,
  retryAfterMs: 2_000,
};

/** Fetches the sources of one picture and tracks how long they stay fresh. */
export type ImageryFetch = {
  signal: AbortSignal;
  /**
   * `request` of shared/platform/http. Caches responses as their headers allow, and sends each server up to 6
   * requests at once.
   */
  request: typeof request;
  /**
   * When the first of the responses read becomes stale, in epoch milliseconds. Infinity for files on disk.
   */
  freshUntil: number;
};

type CachedResponse = { status: number; headers: [string, string][]; bytes: ArrayBuffer };

const REQUESTS_AT_ONCE = 6;
/** Enough for the tiles of about a hundred pictures. */
const CACHE_BYTES = 32 * 2 ** 20;
/**
 * Maximum size of one response. A frame is 3 MB as a PNG. File blocks are no larger than their decoded size.
 */
const ANSWER_BYTES = 64 * 2 ** 20;
/** Responses without cache headers are fetched again after an hour. */
const DEFAULT_FRESH_MS = 3_600_000;
/** Minimum time between requests to a source for the same parcel. */
const MIN_MS = 60_000;

/** How long a response may be cached, or 0: https://www.rfc-editor.org/rfc/rfc9111#section-4.2.1 */
export function freshnessLifetimeMs(headers: Headers, now = Date.now()): number {
  const control = headers.get('cache-control') ?? '';
  if (/\bno-(store|cache)\b/i.test(control)) return 0;
  const maxAge = /\bmax-age="?(\d+)/i.exec(control)?.[1];
  if (maxAge !== undefined) return Math.max(0, Number(maxAge) - Number(headers.get('age') ?? 0)) * 1000;
  return retryAfterMs(headers.get('expires'), now) ?? DEFAULT_FRESH_MS;
}

/** Creates fetches that share a response cache and a request limit per server. */
export function openImageryFetch(): (signal: AbortSignal, options: RedirectOptions) => ImageryFetch {
  const cache = new LRUCache<string, CachedResponse>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ bytes }) => bytes.byteLength + 500,
  });
  const turns = new LRUCache<string, LimitFunction>({ max: 1000 });
  return (signal, options) => {
    const reading: ImageryFetch = { signal, freshUntil: Infinity, request: ask };
    return reading;

    async function ask(url: URL, init: FetchInit): Promise<Response> {
      const key = `${url.href} ${JSON.stringify(init.headers)}`;
      const turn = turns.get(url.origin) ?? pLimit(REQUESTS_AT_ONCE);
      turns.set(url.origin, turn);
      return turn(async () => {
        const cached = cache.get(key);
        if (cached !== undefined) {
          note(cache.getRemainingTTL(key));
          return responseOf(cached);
        }
        // The timeout starts with the request, not with the wait for a free slot.
        const signal = AbortSignal.any([init.signal, AbortSignal.timeout(SOURCE_LIMITS.downloadIdleMs)]);
        const response = await request(url, { ...init, signal }, options);
        if (!response.ok) return response;
        const answer = {
          status: response.status,
          headers: [...response.headers],
          bytes: await bytesOf(response),
        };
        const freshMs = freshnessLifetimeMs(response.headers);
        note(freshMs);
        if (freshMs > 0) cache.set(key, answer, { ttl: freshMs });
        return responseOf(answer);
      });
    }

    function note(freshMs: number): void {
      reading.freshUntil = Math.min(reading.freshUntil, Date.now() + Math.max(MIN_MS, freshMs));
    }
  };
}

/** @throws Error if the response is too long or is shorter than its Content-Length */
async function bytesOf(response: Response): Promise<ArrayBuffer> {
  const length = response.headers.get('content-length');
  if (Number(length ?? 0) > ANSWER_BYTES) throw new Error('the response is too long');
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > ANSWER_BYTES) throw new Error('the response is too long');
    parts.push(part);
  }
  const isPlain = response.headers.get('content-encoding') === null;
  if (isPlain && length !== null && size !== Number(length)) throw new Error('the response was cut off');
  return new Uint8Array(Buffer.concat(parts)).buffer;
}

const responseOf = ({ status, headers, bytes }: CachedResponse): Response =>
  new Response(bytes, { status, headers });
