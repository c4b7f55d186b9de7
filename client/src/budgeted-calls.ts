import type { Budget, Reservation } from './budget.ts';
import { PRICED_CALLS } from './openapi.ts';
import type { Send } from './retries.ts';

const PRICED = PRICED_CALLS.map(call => {
  const [method, path] = call.split(' ') as [string, string];
  return { method, path: new RegExp(`${path.replaceAll(/\{\w+\}/g, '[^/]+').replace(/\/$/, '/?')}$`) };
});
const EXPORTS = /\/api\/public\/v1\/exports\/?$/;
const ONE_EXPORT = /\/api\/public\/v1\/exports\/([^/]+)\/(cancel\/?)?$/;
/** The smallest maximum that an export of rows accepts. */
const LEAST_OF_EXPORT = 25;
/** The price of a quote that counts rows, once the day's free quotes are used up. */
const COUNT_QUOTE = 1;
const FINISHED = ['ready', 'failed', 'cancelled', 'expired'];

/**
 * Asks for the price of each priced call, reserves its highest price, and settles what the call has cost.
 * This wraps single attempts, because each attempt of a GET may be charged.
 */
export function withBudget(send: Send, budget: Budget): Send {
  return async request => {
    const url = new URL(request.url);
    const isFree = !isPriced(request.method, url.pathname) || url.searchParams.get('quote') === 'true';
    if (isFree) return noteExport(await send(request), url, budget);
    return EXPORTS.test(url.pathname)
      ? orderExport(send, request, url, budget)
      : spend(send, request, url, budget);
  };
}

const isPriced = (method: string, pathname: string): boolean =>
  PRICED.some(call => call.method === method && call.path.test(pathname));

async function spend(send: Send, request: Request, url: URL, budget: Budget): Promise<Response> {
  const key = keyOf(request);
  const kept = budget.keptFor(key);
  const quote = kept ?? (await askPrice(send, request, url));
  if (quote instanceof Response) return quote;
  const reservation = kept ?? budget.reserve(quote.ceiling);
  const response = await attempt(send, request, reservation, budget);
  if (!saysCost(response, kept)) return response;
  // The first response to a repeated call is lost, and the repeat doesn't say what it cost.
  const isReplay = response.headers.get('Idempotency-Replayed') === 'true';
  const isUnknown = isReplay && kept !== undefined;
  reservation.settle(isUnknown ? reservation.ceiling : tokensOf(response, reservation));
  return response;
}

/** A refused repeat doesn't say whether the call ran before. */
const saysCost = (response: Response, kept: Reservation | undefined): boolean =>
  response.ok || (response.status < 500 && kept === undefined);

/** An export is charged when its file is ready, so its reservation lasts until then. */
async function orderExport(send: Send, request: Request, url: URL, budget: Budget): Promise<Response> {
  const kept = budget.keptFor(keyOf(request));
  const quote = kept ?? (await askExportPrice(send, request, url, budget));
  if (quote instanceof Response) return quote;
  const order = JSON.parse(await request.clone().text()) as { most_tokens?: number };
  const most = Math.min(order.most_tokens ?? Number.POSITIVE_INFINITY, quote.ceiling);
  const reservation = kept ?? budget.reserve(most);
  const limited = copyOf(request, url, JSON.stringify({ ...order, most_tokens: most }));
  const response = await attempt(send, limited, reservation, budget);
  if (response.ok) {
    const { id } = (await response.clone().json()) as { id: string };
    budget.keep(id, reservation);
  } else if (saysCost(response, kept)) reservation.settle(0);
  return noteExport(response, url, budget);
}

/** Sends the call. A POST without a result stays reserved, because its repeat is the same purchase. */
async function attempt(
  send: Send,
  request: Request,
  reservation: Reservation,
  budget: Budget,
): Promise<Response> {
  const key = keyOf(request);
  const kept = budget.keptFor(key);
  if (key !== undefined) budget.keep(key, reservation);
  let response: Response | undefined;
  try {
    response = await send(request);
    return response;
  } finally {
    const isKnown = response !== undefined && saysCost(response, kept);
    if (isKnown) budget.forget(key);
    else if (key === undefined) reservation.settle(reservation.ceiling);
  }
}

/** Settles an export once its response shows a final state. */
async function noteExport(response: Response, { pathname }: URL, budget: Budget): Promise<Response> {
  const id = ONE_EXPORT.exec(pathname)?.[1];
  const reservation = budget.keptFor(id);
  if (reservation === undefined || !response.ok || response.status === 204) return response;
  const { state, tokens } = (await response.clone().json()) as { state: string; tokens: number | null };
  if (FINISHED.includes(state)) {
    reservation.settle(tokens ?? 0);
    budget.forget(id);
  }
  return response;
}

/** The highest price, or the response if the service refuses the call. */
async function askPrice(send: Send, request: Request, url: URL): Promise<{ ceiling: number } | Response> {
  const quoteUrl = new URL(url);
  quoteUrl.searchParams.set('quote', 'true');
  const body = request.method === 'POST' ? await request.clone().text() : '';
  const response = await send(copyOf(request, quoteUrl, body));
  if (!response.ok) return response;
  const { at_most } = (await response.clone().json()) as { at_most: number };
  return { ceiling: at_most };
}

async function askExportPrice(
  send: Send,
  request: Request,
  url: URL,
  budget: Budget,
): Promise<{ ceiling: number } | Response> {
  const reservation = budget.reserve(COUNT_QUOTE);
  let cost = COUNT_QUOTE;
  try {
    let response: Response | undefined;
    const quote = await askPrice(
      async quoteRequest => {
        response = await send(quoteRequest);
        if (response.status < 500) cost = tokensOf(response, reservation);
        return response;
      },
      request,
      url,
    );
    return quote instanceof Response ? quote : { ceiling: Math.max(quote.ceiling, LEAST_OF_EXPORT) };
  } finally {
    reservation.settle(cost);
  }
}

const keyOf = (request: Request): string | undefined => request.headers.get('Idempotency-Key') ?? undefined;

function tokensOf(response: Response, { ceiling }: Reservation): number {
  const tokens = response.headers.get('X-Tokens-Used');
  return tokens === null ? ceiling : Number(tokens);
}

const copyOf = ({ method, headers, signal }: Request, url: URL, body: string): Request =>
  new Request(url, { method, headers, signal, ...(body !== '' && { body }) });
