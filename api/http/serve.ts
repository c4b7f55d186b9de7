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
  /**
   * What handlers can use. Statements on `db` stop when the call ends. The other resources are shared by all
   * calls.
   */
  resources: { db: ApiDb };
  requestTimeoutMs: number;
  now(): Date;
};

/** A call to an endpoint, over REST (rest.ts) or as an MCP tool (api/mcp/tool-call.ts). */
export type Call = {
  endpoint: Endpoint;
  mode: Mode;
  exchange: Exchange;
  /** Identifies the caller. @throws PlatError `unauthorized` */
  identify(): Promise<Caller>;
  idempotencyKey: string | string[] | undefined;
  /** Replaces the idempotency key for calls from a page. Create it with `pageKey`. */
  pageKey?: string;
  /** How many hours the response is stored for that key. Default: a day. */
  keptHours?(outcome: Outcome): number;
  /** Path and query of the call. Ignore its origin. */
  url(): URL;
  apiUrl(): string;
  appUrl(): string;
  /** Size in bytes, as computed by `sizeOf`. */
  size(): number;
  /** The call's place in line, if it already has one. */
  work?: HeavyCall;
  /** Reads the input. @throws PlatError `validation_error` */
  read(): Promise<RequestInput>;
  /** Builds the whole response, so that after the charge, all that is left is to send it. */
  prepare(outcome: Outcome): Promise<PreparedResponse>;
  /** Sends an error if nothing has been sent yet. */
  respondWithError(error: unknown): void;
  /** True once the client has disconnected or a response has been sent (such as a timeout). */
  isFinished(): boolean;
  /** Aborted when the call finishes, to stop statements that the handler is still running. */
  abortController(): AbortController;
};

export type Outcome = Omit<Answer, 'status'> & {
  status: number;
  caller: Caller;
  quoted: boolean;
  /** Set if this is the stored response from an earlier call, which is free. */
  replayed?: true;
};

/** `charged`: the tokens that the call cost. */
export type PreparedResponse = { tokens: number; send(charged: number): void };

/** Runs a call within the timeout. Failures become the error envelope. */
export async function serve(call: Call, deps: ServeDeps): Promise<void> {
  const { exchange } = call;
  exchange.deadline = setTimeout(() => {
    call.respondWithError(timeoutError(exchange, deps));
    call.abortController().abort();
  }, deps.requestTimeoutMs);
  try {
    await answerCall(call, deps);
  } catch (error) {
    call.respondWithError(error);
  } finally {
    clearTimeout(exchange.deadline);
  }
}

/** Every call runs through this function. The order of the checks is part of the contract. */
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

/** Runs an authorized call. A repeat returns the stored response. */
async function answerOnce(call: Call, caller: Caller, deps: ServeDeps, work: HeavyCall): Promise<void> {
  const { endpoint } = call;
  const request = await call.read();
  const input = checkInput(endpoint, request, call.mode === 'direct');
  const key = call.pageKey ?? idempotencyKeyOf(endpoint, call.idempotencyKey);
  // A quote doesn't consume the idempotency key. The paid call that follows will.
  if (key === undefined || asksQuote(endpoint, input)) return answer(call, caller, input, deps, work);
  const repeatable = { accountId: caller.account.id, key, fingerprint: fingerprintOf(endpoint, request) };
  const turn = await deps.idempotency.begin(repeatable, () => call.isFinished());
  if (turn === undefined || call.isFinished()) {
    if (turn !== undefined && 'attempt' in turn) await turn.attempt.end();
    return;
  }
  if ('kept' in turn) {
    const { status, body: kept, people } = turn.kept;
    const body = endpoint.recheck
      ? await endpoint.recheck({ body: JSON.parse(kept.toString()), people }, deps.resources)
      : kept;
    const ready = await call.prepare({ status, body, caller, tokens: 0, quoted: false, replayed: true });
    ready.send(0);
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
    requireTokensLeft(caller.account, now.getTime(), endpoint.metering.needs?.(input, caller.account));
  const context = contextOf(call, caller, now, work, repeatable);
  const resources = { ...deps.resources, db: deps.resources.db.stoppedBy(call) };
  for (let tries = 1; ; tries++) {
    const made = quoted
      ? await quoteOf(endpoint, input, resources, context)
      : await endpoint.handle(input, resources, context);
    // Skip the charge if the client disconnected or timed out while we built the response.
    if (call.isFinished()) return;
    const status = quoted ? 200 : (made.status ?? endpoint.response.status);
    const tokens = endpoint.metering === null ? 0 : made.tokens;
    try {
      return await charge(call, { ...made, caller, status, tokens, quoted }, deps.meter, repeatable?.attempt);
    } catch (error) {
      if (error !== REPRICED || tries === MAX_TRIES) throw error;
    }
  }
}

/** Maximum number of runs of a call whose price keeps changing because other calls pay for parts of it. */
const MAX_TRIES = 5;

const REPRICED = unavailable('Other requests for the same data changed the price. Try again.');

/** URLs are built on demand, because few handlers need them. */
// Don't use getters. Each object would get its own, which would cost a tenth of a call's CPU time.
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
  url: call.url(),
  apiUrl: call.apiUrl(),
  appUrl: call.appUrl(),
});

/** Charges for the response, then sends it. If the client disconnected, nothing is charged. */
async function charge(
  call: Call,
  outcome: Outcome,
  meter: Meter,
  attempt: Attempt | undefined,
): Promise<void> {
  const { endpoint, exchange } = call;
  const ready = await call.prepare(outcome);
  // From here, the call succeeds or fails with its charge, which has its own statement timeout.
  clearTimeout(exchange.deadline);
  const { caller, status, body, keptBody = body, people = null, quoted } = outcome;
  // Responses that aren't charged for, such as HEAD, don't count as delivered.
  const alongside = ready.tokens === outcome.tokens ? outcome.alongside : undefined;
  const key = quoted ? QUOTE_KEY : (outcome.meteringKey ?? endpoint.metering?.key ?? '');
  const charged = await meter.charge(caller, key, ready.tokens, {
    each: quoted ? 1 : endpoint.metering?.perCalls,
    isFinished: () => call.isFinished(),
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
  if (!call.isFinished()) ready.send(charged);
}

export function bytesOf(body: Answer['body']): Buffer | null {
  return body === null || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
}

/** A slow request body is the client's fault. */
function timeoutError(exchange: Exchange, { requestTimeoutMs }: ServeDeps): Error {
  if (!exchange.awaitsBody) return unavailable('The response took too long. Try again shortly.');
  exchange.noted = true;
  const complaint = `did not arrive within ${requestTimeoutMs / 1_000} s`;
  return validationError({ body: [complaint] }, { Connection: 'close' });
}
