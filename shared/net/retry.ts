import { setTimeout as sleep } from 'node:timers/promises';
import { isRetryable, type PlatError } from '../errors.ts';
import { shownUrl, sourceError } from './context.ts';
import type { Limits } from './limits.ts';

/** What one try came to: a value, or why it has to be tried again and, when the server says so, after how long. */
export type Outcome<T> = { value: T } | { retry: PlatError; afterMs?: number };

/**
 * Repeats `attempt` while it asks for another try, with doubling pauses and a quarter of jitter, so that several
 * workers do not come back together.
 * @throws the last try's error; at once when the server asks for a pause beyond `limits.retryAfterMs`.
 */
export async function retrying<T>(
  attempt: () => Promise<Outcome<T>>,
  limits: Pick<Limits, 'tries' | 'backoffMs' | 'retryAfterMs'>,
  signal: AbortSignal,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted();
    const outcome = await attempt();
    if ('value' in outcome) return outcome.value;
    if (tries >= limits.tries || (outcome.afterMs ?? 0) > limits.retryAfterMs) throw outcome.retry;
    const pause = limits.backoffMs * 2 ** (tries - 1) * (1 + Math.random() / 4);
    await sleep(outcome.afterMs ?? pause, undefined, { signal });
  }
}

/** Milliseconds that a `Retry-After` header asks for, given in seconds or as an HTTP date; undefined without one. */
export function retryAfterMs(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Whether the status of an answer means "later": too many requests, or a fault at the server's end. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** The outcome of a request that failed before or while its body was read. */
export function networkOutcome(error: unknown, url: URL, signal: AbortSignal): { retry: PlatError } {
  signal.throwIfAborted();
  if (error instanceof Error && error.name === 'PlatError' && !isRetryable(error)) throw error;
  const reason = describeNetworkError(error);
  return {
    retry: sourceError(
      `${shownUrl(url)} cannot be read: ${reason}. Check the address and the network, then run again.`,
      {
        cause: error,
        retryable: true,
      },
    ),
  };
}

function describeNetworkError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'the server did not answer in time';
  // fetch hides the socket's own words ("connect ECONNREFUSED …") in the cause.
  return error.cause instanceof Error ? error.cause.message : error.message;
}
