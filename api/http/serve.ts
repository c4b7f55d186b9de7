import type { Mode } from '../../shared/accounts/tiers.ts';
import { requireEndpointAccess, requireScope, requireSubscription, requireTokensLeft } from './authorize.ts';
import type { Caller } from './callers.ts';
import { type ApiDb, unavailable } from './database.ts';
import type { Answer, CallContext, Endpoint } from './endpoint.ts';
import { validationError } from './error-responses.ts';
import type { Exchange } from './exchange.ts';
import { type HeavyCall, type HeavyCalls, LARGE_REQUEST_BYTES } from './heavy-calls.ts';
import { type Attempt, fingerprintOf, type Idempotency, idempotencyKeyOf } from './idempotency.ts';
import type { Meter } from './meter.ts';
import { asksQuote, QUOTE_KEY, quoteOf } from './quote.ts';
import { type RateLimits, requireAdmitted, unusedLimits } from './rate-limits.ts';
import { checkInput, type RequestInput } from './validate.ts';

export type ServeDeps = {
  rateLimits: RateLimits;
  meter: Meter;
  idempotency: Idempotency;
  heavyCalls: HeavyCalls;
  /** What handlers may use. Statements of `db` are stopped with the call, the others' are for several. */
  resources: { db: ApiDb };
  requestTimeoutMs: number;
  now(): Date;
};

/** A call to an endpoint, over REST (rest.ts) or as a tool of the MCP server (api/mcp/tool-call.ts). */
export type Call = {
  endpoint: Endpoint;
  mode: Mode;
  exchange: Exchange;
  /** Who calls. @throws PlatError `unauthorized` */
  identify(): Promise<Caller>;
  idempotencyKey: string | string[] | undefined;
  /** In its place for a page's call, by `pageKey`. */
  pageKey?: string;
  /** How long its answer is kept for that key, in hours; by itself a day. */
  keptHours?(outcome: Outcome): number;
  /** Path and query of the call; its origin means nothing. */
  url(): URL;
  apiUrl(): string;
  appUrl(): string;
  /** As `sizeOf` of a request. */
  size(): number;
  /** Its turn, where that was taken before. */
  work?: HeavyCall;
  /** What was sent. @throws PlatError `validation_error`. */
  read(): Promise<RequestInput>;
  /** Makes all that goes out, so that nothing but the sending is left when it has been charged for. */
  prepare(outcome: Outcome): Promise<PreparedResponse>;
  /** Tells what went wrong, if nothing was told yet. */
  fail(error: unknown): void;
  /** True once the client has left, or a response was sent already (a time-out). */
  isOver(): boolean;
  /** To be aborted then: the statements that its handler still runs are stopped. */
  readonly over: AbortController;
};

export type Outcome = Omit<Answer, 'status'> & {
  status: number;
  caller: Caller;
  quoted: boolean;
  /** The answer that the call was given before; this time it costs nothing. */
  replayed?: true;
};

export type PreparedResponse = { tokens: number; send(): void };

/** Answers a call within the time-out; failures become the error envelope. */
export async function serve(call: Call, deps: ServeDeps): Promise<void> {
  const { exchange } = call;
  exchange.deadline = setTimeout(() => {
    call.fail(timeoutError(exchange, deps));
    call.over.abort();
  }, deps.requestTimeoutMs);
  try {
    await answerCall(call, deps);
  } catch (error) {
    call.fail(error);
  } finally {
    clearTimeout(exchange.deadline);
  }
}

/** The path of every call: the order of the checks is part of the contract. */
async function answerCall(call: Call, deps: ServeDeps): Promise<void> {
  const { endpoint, exchange } = call;
  const caller = await call.identify();
  exchange.rate = unusedLimits(caller.account);
  requireScope(caller, endpoint);
  requireEndpointAccess(caller, endpoint);
  requireSubscription(caller, endpoint.withoutContract);
  exchange.rate = await deps.rateLimits.admit(caller.account, endpoint.rate);
  requireAdmitted(exchange.rate);
  const work = call.work ?? deps.heavyCalls.of(caller.account.id, call);
  try {
    if (call.size() > LARGE_REQUEST_BYTES) await work.takeTurn();
    await answerOnce(call, caller, deps, work);
  } finally {
    if (work !== call.work) work.end();
  }
}

/** Answers a call that may be made, a repeat of it with what was answered before. */
async function answerOnce(call: Call, caller: Caller, deps: ServeDeps, work: HeavyCall): Promise<void> {
  const { endpoint } = call;
  const request = await call.read();
  const input = checkInput(endpoint, request, call.mode === 'direct');
  const key = call.pageKey ?? idempotencyKeyOf(endpoint, call.idempotencyKey);
  // The key belongs to the call that may follow a quote.
  if (key === undefined || asksQuote(endpoint, input)) return answer(call, caller, input, deps, work);
  const repeatable = { accountId: caller.account.id, key, fingerprint: fingerprintOf(endpoint, request) };
  const turn = await deps.idempotency.begin(repeatable, () => call.isOver());
  if (turn === undefined || call.isOver()) {
    if (turn !== undefined && 'attempt' in turn) await turn.attempt.end();
    return;
  }
  if ('kept' in turn) {
    const { status, body: kept, people } = turn.kept;
    const body = endpoint.recheck
      ? await endpoint.recheck({ body: JSON.parse(kept.toString()), people }, deps.resources)
      : kept;
    const ready = await call.prepare({ status, body, caller, tokens: 0, quoted: false, replayed: true });
    ready.send();
    return;
  }
  try {
    await answer(call, caller, input, deps, work, { key, attempt: turn.attempt });
  } finally {
    await turn.attempt.end();
  }
}

async function answer(
  call: Call,
  caller: Caller,
  input: ReturnType<typeof checkInput>,
  deps: ServeDeps,
  work: HeavyCall,
  repeatable?: { key: string; attempt: Attempt },
): Promise<void> {
  const { endpoint } = call;
  const now = deps.now();
  const quoted = asksQuote(endpoint, input);
  if (!quoted && endpoint.metering !== null && !endpoint.metering.mayBeFree)
    requireTokensLeft(caller.account, now.getTime(), endpoint.metering.needs?.(input));
  const context = contextOf(call, caller, now, work, repeatable);
  const resources = { ...deps.resources, db: deps.resources.db.stoppedBy(call) };
  for (let tries = 1; ; tries++) {
    const made = quoted
      ? await quoteOf(endpoint, input, resources, context)
      : await endpoint.handle(input, resources, context);
    // A look at the client: it may have left, or the deadline passed, while the answer was made.
    if (call.isOver()) return;
    const status = quoted ? 200 : (made.status ?? endpoint.response.status);
    const tokens = endpoint.metering === null ? 0 : made.tokens;
    try {
      return await charge(call, { ...made, caller, status, tokens, quoted }, deps.meter, repeatable?.attempt);
    } catch (error) {
      if (error !== REPRICED || tries === MAX_TRIES) throw error;
    }
  }
}

/** How often a call is answered whose price others change: each time they have paid for some of it. */
const MAX_TRIES = 5;

const REPRICED = unavailable('Others were asking for the same at the same time. Try again.');

/** Addresses are made when they are asked for, which few handlers do. */
const contextOf = (
  call: Call,
  { account, keyId, mode }: Caller,
  now: Date,
  work: HeavyCall,
  repeatable?: { key: string; attempt: Attempt },
): CallContext => ({
  account,
  mode,
  keyId,
  now,
  work,
  idempotencyKey: repeatable?.key,
  attempt: repeatable?.attempt,
  get url() {
    return call.url();
  },
  get apiUrl() {
    return call.apiUrl();
  },
  get appUrl() {
    return call.appUrl();
  },
});

/** Charges for the answer, then sends it. Nothing is charged when the client has left. */
async function charge(
  call: Call,
  outcome: Outcome,
  meter: Meter,
  attempt: Attempt | undefined,
): Promise<void> {
  const { endpoint, exchange } = call;
  const ready = await call.prepare(outcome);
  // From here on the call succeeds or fails with its charge, which has the statement time-out.
  clearTimeout(exchange.deadline);
  const { caller, status, body, keptBody = body, people = null, quoted } = outcome;
  // What is not charged for, as HEAD is not, was not given.
  const alongside = ready.tokens === outcome.tokens ? outcome.alongside : undefined;
  const key = quoted ? QUOTE_KEY : (outcome.meteringKey ?? endpoint.metering?.key ?? '');
  await meter.charge(caller, key, ready.tokens, {
    isOver: () => call.isOver(),
    before:
      alongside &&
      (async tx => {
        if (!(await alongside(tx))) throw REPRICED;
      }),
    after:
      attempt &&
      (async tx => {
        const kept = { status, body: bytesOf(keptBody) ?? Buffer.alloc(0), people };
        await attempt.keep(tx, kept, call.keptHours?.(outcome));
      }),
  });
  if (!call.isOver()) ready.send();
}

export function bytesOf(body: Answer['body']): Buffer | null {
  return body === null || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
}

/** A body that is slow to arrive is its sender's fault. */
function timeoutError(exchange: Exchange, { requestTimeoutMs }: ServeDeps): Error {
  if (!exchange.awaitsBody) return unavailable('The answer took too long. Try again shortly.');
  exchange.noted = true;
  const complaint = `the body did not arrive within ${requestTimeoutMs / 1_000} s`;
  return validationError({ body: [complaint] }, { Connection: 'close' });
}
