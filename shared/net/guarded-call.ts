import {
  BrokenCircuitError,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  retry,
  TaskCancelledError,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel';
import { PlatError } from '../base/errors.ts';
import { shownUrl } from './download-context.ts';
import { boundedBody, isTransientStatus, retryAfterMs } from './http.ts';

/** Bounds on calls to one provider. */
export const CALL_LIMITS = {
  /** Milliseconds of one call, its retries and pauses included. */
  totalMs: 10_000,
  tries: 3,
  /** First pause between tries; it doubles, with jitter. */
  pauseMs: 200,
  answerBytes: 4 * 2 ** 20,
  /**
   * Failed calls in a row after which no further one is made for `openMs`; then one is let through to try.
   */
  failures: 5,
  openMs: 30_000,
};
export type CallLimits = typeof CALL_LIMITS;

export type ProviderRequest = {
  url: URL;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
};

export type ProviderAnswer = { status: number; body: unknown };

export type GuardedCall = (request: ProviderRequest, signal?: AbortSignal) => Promise<ProviderAnswer>;

/** What one try failed with. */
class ProviderError extends PlatError {
  /** Whether another try may help at once. */
  readonly again: boolean;
  /** Whether the next call would fail as well. */
  readonly outage: boolean;

  constructor(name: string, what: string, kind: { again: boolean; outage?: boolean }, pauseMs = 30_000) {
    super('provider', `The provider ${name} ${what}. Try again later.`, {
      status: 503,
      retryable: kind.again || kind.outage === true,
      headers: { 'Retry-After': String(Math.max(1, Math.ceil(pauseMs / 1_000))) },
    });
    this.again = kind.again;
    this.outage = kind.outage ?? true;
  }
}

/**
 * Calls of one provider, whose answers are JSON: bounded in time and size, never redirected, tried again
 * where that may help, and not made at all while it is down. @param accepted statuses besides 2xx that are
 * answers, such as a 404 that says "nobody"
 * @throws PlatError `provider`, 503, `retryable` where the same call may succeed later; the
 * signal's own reason
 */
export function openGuardedCall(
  name: string,
  accepted: readonly number[] = [],
  differing: Partial<CallLimits> = {},
): GuardedCall {
  const limits = { ...CALL_LIMITS, ...differing };
  const circuit = circuitBreaker(
    handleWhen(
      error => error instanceof TaskCancelledError || (error instanceof ProviderError && error.outage),
    ),
    { breaker: new ConsecutiveBreaker(limits.failures), halfOpenAfter: limits.openMs },
  );
  const policy = wrap(
    circuit,
    timeout(limits.totalMs, TimeoutStrategy.Aggressive),
    retry(
      handleWhen(error => error instanceof ProviderError && error.again),
      {
        maxAttempts: limits.tries - 1,
        backoff: new ExponentialBackoff({ initialDelay: limits.pauseMs, maxDelay: limits.totalMs / 4 }),
      },
    ),
  );
  return async (request, signal) => {
    try {
      return await policy.execute(
        context => attempt(name, request, accepted, limits, context.signal),
        signal,
      );
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof BrokenCircuitError)
        throw new ProviderError(name, 'has failed several times in a row and is left alone for a moment', {
          again: true,
        });
      if (error instanceof TaskCancelledError)
        throw new ProviderError(name, `did not answer within ${limits.totalMs / 1_000} s`, { again: true });
      throw error;
    }
  };
}

async function attempt(
  name: string,
  { url, method, headers, body }: ProviderRequest,
  accepted: readonly number[],
  limits: CallLimits,
  signal: AbortSignal,
): Promise<ProviderAnswer> {
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'manual',
    signal,
  }).catch(error => {
    signal.throwIfAborted();
    throw new ProviderError(name, `at ${shownUrl(url)} cannot be reached (${reasonOf(error)})`, {
      again: true,
    });
  });
  const { status } = response;
  if (!response.ok && !accepted.includes(status)) {
    await response.body?.cancel().catch(() => {});
    throw refusal(name, response);
  }
  return { status, body: await readJson(name, response, limits.answerBytes, signal) };
}

/**
 * A status that is no answer. Whether what was asked is at fault (400, 422) or the account (401, 402, 403)
 * the provider alone knows.
 */
function refusal(name: string, { status, headers }: Response): PlatError {
  if (status >= 300 && status < 400)
    return new ProviderError(name, 'redirects, which is not followed: set its final address', {
      again: false,
    });
  const passing = isTransientStatus(status);
  const pause = retryAfterMs(headers.get('retry-after')) ?? (passing ? 0 : 300_000);
  // A pause that the provider asks for is kept by the caller, not slept through with a client waiting.
  return new ProviderError(
    name,
    `answered ${status}`,
    { again: passing && pause === 0, outage: passing || [401, 402, 403].includes(status) },
    pause || undefined,
  );
}

async function readJson(
  name: string,
  response: Response,
  most: number,
  signal: AbortSignal,
): Promise<unknown> {
  const bytes = await boundedBody(response, most).catch(error => {
    signal.throwIfAborted();
    throw new ProviderError(name, `broke off its answer (${reasonOf(error)})`, { again: true });
  });
  if (bytes === null)
    throw new ProviderError(name, `answered with more than ${most} bytes`, { again: false });
  try {
    return bytes.length === 0 ? null : JSON.parse(bytes.toString());
  } catch {
    throw new ProviderError(name, 'answered with what is no JSON', { again: true });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const cause = error.cause as { code?: unknown } | undefined;
  return typeof cause?.code === 'string' ? cause.code : error.name;
}
