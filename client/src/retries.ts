/** Sends a request, as `fetch` does. */
export type Send = (request: Request) => Promise<Response>;

export type RetryOptions = {
  /** How often a failed attempt is repeated. Default: 5. */
  retries?: number;
  /** The first wait in ms, if the server doesn't say how long. It doubles with each attempt. Default: 250. */
  firstWaitMs?: number;
  /** If the server asks for a longer wait, its response is returned instead. Default: 60. */
  maxWaitSeconds?: number;
};

/** The service is busy or draining, or a proxy can't reach it. */
const RETRIED = [429, 502, 503, 504];

/**
 * Repeats attempts that failed in transit, and those that the service asks to repeat. Every POST gets an
 * `Idempotency-Key`, the same for all attempts, so that it runs and is billed once.
 */
export function withRetries(
  send: Send,
  { retries = 5, firstWaitMs = 250, maxWaitSeconds = 60 }: RetryOptions = {},
): Send {
  return async request => {
    if (request.method === 'POST' && !request.headers.has('Idempotency-Key'))
      request.headers.set('Idempotency-Key', crypto.randomUUID());
    for (let attempt = 0; ; attempt++) {
      const usual = firstWaitMs * 2 ** attempt * (0.5 + Math.random());
      let waitMs = usual;
      try {
        const response = await readWhole(await send(request.clone()));
        if (!RETRIED.includes(response.status)) return response;
        waitMs = waitOf(response.headers.get('Retry-After')) ?? usual;
        if (attempt >= retries || waitMs > maxWaitSeconds * 1_000) return response;
      } catch (error) {
        if (attempt >= retries || request.signal.aborted || !isFailedInTransit(error)) throw error;
      }
      await sleep(waitMs, request.signal);
    }
  };
}

/** What `fetch` throws when no response arrives, or when a response breaks off. */
const isFailedInTransit = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof DOMException && error.name === 'NetworkError');

/** Reads the body here, so that a response that breaks off is repeated too. */
async function readWhole(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}

/** `Retry-After` in milliseconds: a number of seconds, or a date. */
function waitOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Waits, unless the signal ends the call first. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
