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
import { PlatError } from '../errors.ts';
import { redactUrl } from './download-context.ts';
import { boundedBody, isTransientStatus, retryAfterMs } from './http.ts';

export const CALL_LIMITS = {
  /** Timeout for a call, including all retries and pauses. */
  totalMs: 10_000,
  tries: 3,
  /** The first pause between attempts. It doubles each time, with jitter. */
  pauseMs: 200,
  responseBytes: 4 * 2 ** 20,
  /** The number of consecutive failed calls after which the circuit opens for `openMs`. */
  failures: 5,
  openMs: 30_000,
};
export type CallLimits = typeof CALL_LIMITS;

export type ProviderRequest = {
  url: URL;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: unknown;
};

export type ProviderResponse = { status: number; body: unknown };

export type GuardedCall = (request: ProviderRequest, signal?: AbortSignal) => Promise<ProviderResponse>;

class ProviderError extends PlatError {
  readonly again: boolean;
  /** Whether the error counts as an outage, which opens the circuit. */
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
 * Calls a provider's JSON API with a timeout, a size limit, retries, and a circuit breaker. Does not follow
 * redirects.
 * @param accepted statuses in addition to 2xx that are results, such as a 404 that means "no match"
 * @throws PlatError `provider`, 503, `retryable` if the same call may succeed later; the signal's reason
 */
export function openGuardedCall(
  name: string,
  accepted: readonly number[] = [],
  overrides: Partial<CallLimits> = {},
): GuardedCall {
  const limits = { ...CALL_LIMITS, ...overrides };
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
        throw new ProviderError(name, 'failed several times in a row, so Plat is pausing its calls', {
          again: true,
        });
      if (error instanceof TaskCancelledError)
        throw new ProviderError(name, `did not respond within ${limits.totalMs / 1_000} s`, { again: true });
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
): Promise<ProviderResponse> {
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
    throw new ProviderError(name, `at ${redactUrl(url)} is unreachable (${reasonOf(error)})`, {
      again: true,
    });
  });
  const { status } = response;
  if (!response.ok && !accepted.includes(status)) {
    await response.body?.cancel().catch(() => {});
    throw statusError(name, response);
  }
  return { status, body: await readJson(name, response, limits.responseBytes, signal) };
}

/**
 * The error for an unexpected status. 401, 402, and 403 count as outages, because they affect the whole
 * account. 400 and 422 affect only the request.
 */
function statusError(name: string, { status, headers }: Response): PlatError {
  if (status >= 300 && status < 400)
    return new ProviderError(name, 'redirects, which Plat does not follow; set its final URL', {
      again: false,
    });
  const passing = isTransientStatus(status);
  const pause = retryAfterMs(headers.get('retry-after')) ?? (passing ? 0 : 300_000);
  // If the provider requests a pause, pass it on to the client in Retry-After instead of making the client
  // wait.
  return new ProviderError(
    name,
    `returned ${status}`,
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
    throw new ProviderError(name, `closed the connection during its response (${reasonOf(error)})`, {
      again: true,
    });
  });
  if (bytes === null) throw new ProviderError(name, `returned more than ${most} bytes`, { again: false });
  try {
    return bytes.length === 0 ? null : JSON.parse(bytes.toString());
  } catch {
    throw new ProviderError(name, 'returned invalid JSON', { again: true });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const cause = error.cause as { code?: unknown } | undefined;
  return typeof cause?.code === 'string' ? cause.code : error.name;
}
