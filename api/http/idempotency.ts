import { hash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../shared/platform/db.ts';
import { canonical } from './cursor.ts';
import { unavailable } from './database.ts';
import type { Endpoint, MakingAttempt } from './endpoint.ts';
import { unprocessable, validationError } from './error-responses.ts';
import type { RequestInput } from './validate.ts';

/** An attempt that hasn't renewed its lease for this long counts as dead. */
const LEASE_MS = 5_000;
/** Renew three times per lease, so that one slow statement doesn't lose it. */
const RENEW_MS = 1_500;
/** Pauses between checks for whether another attempt has finished. */
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 300;
/** For comparison, the largest page of parcels is about 300 KB. */
const MAX_STORED_BYTES = 2_000_000;

/** 1-255 visible ASCII characters. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** `people`: suppression-list hashes of the people in the response. */
type StoredResponse = { status: number; body: Buffer; people: readonly Buffer[] | null };

/** The idempotency key for a call from a page. It contains a space, which client keys can't. */
export const pageKey = (name: string): string => `page ${name}`;

/** How long a response is stored for repeats. */
const KEPT_HOURS = 24;

/** The exclusive right to run a call. */
export type Attempt = MakingAttempt & {
  /**
   * Stores the response, in the transaction of its charge. @throws PlatError 503 if another attempt took
   * over, `unprocessable` if it is too large to store
   */
  keep(tx: Db, answer: StoredResponse, hours?: number): Promise<void>;
  /** Ends the attempt. If no response was stored, another attempt can start. */
  end(): Promise<void>;
};

export type Idempotency = {
  /**
   * The stored response from an earlier call, or a new attempt. Undefined once the client has disconnected.
   * @throws PlatError `validation_error` if the key belongs to another request
   */
  begin(
    call: IdempotentRequest,
    isFinished: () => boolean,
  ): Promise<{ kept: StoredResponse } | { attempt: Attempt } | undefined>;
};

export type IdempotentRequest = { accountId: string; key: string; fingerprint: Buffer };

/** Only for POST. Other methods are safe to repeat. @throws PlatError `validation_error` */
export function idempotencyKeyOf(endpoint: Endpoint, key: string | string[] | undefined): string | undefined {
  if (endpoint.method !== 'post' || key === undefined) return undefined;
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw validationError({ 'Idempotency-Key': ['must be 1 to 255 visible ASCII characters'] });
}

/** Identifies a request by its endpoint and input. The order of fields doesn't matter. */
export function fingerprintOf(endpoint: Endpoint, { params, query, body }: RequestInput): Buffer {
  return hash('sha256', canonical([endpoint.operationId, params, query, body]), 'buffer');
}

export function openIdempotency(db: Db): Idempotency {
  return {
    async begin(call, isFinished) {
      const claim = randomUUID();
      for (let pause = FIRST_PAUSE_MS; !isFinished(); pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
        const [claimed] = await db.run<{ made: unknown }>('accounts/claim_call', {
          account_id: call.accountId,
          key: call.key,
          fingerprint: call.fingerprint,
          attempt: claim,
          milliseconds: LEASE_MS,
        });
        if (claimed !== undefined) return { attempt: openAttempt(db, call, claim, claimed.made) };
        const [row] = await db.run<CallRow>('accounts/read_call', {
          account_id: call.accountId,
          key: call.key,
        });
        // The other attempt has just failed.
        if (row === undefined) continue;
        if (!row.fingerprint.equals(call.fingerprint))
          throw validationError({
            'Idempotency-Key': [
              'was used for a different request: use a new key, or repeat that request exactly',
            ],
          });
        const { status, body, people } = row;
        if (status !== null) return { kept: { status, body: body!, people } };
        await sleep(pause);
      }
      return undefined;
    },
  };
}

const takenOver = () => unavailable('Another call with this Idempotency-Key took over. Try again.');

type CallRow = {
  fingerprint: Buffer;
  status: number | null;
  body: Buffer | null;
  people: Buffer[] | null;
};

function openAttempt(db: Db, { accountId, key }: IdempotentRequest, claim: string, made: unknown): Attempt {
  const renewal = setInterval(() => {
    // If renewal fails, the attempt can lose its lease. `keep` detects that.
    db.run('accounts/renew_claim', {
      account_id: accountId,
      key,
      attempt: claim,
      milliseconds: LEASE_MS,
    }).catch(() => {});
  }, RENEW_MS);
  renewal.unref();
  return {
    ...(made !== null && { made }),
    async noteMade(tx, made) {
      const values = { account_id: accountId, key, attempt: claim, made: JSON.stringify(made) };
      if ((await tx.run('accounts/note_made', values)).length === 0) throw takenOver();
    },
    async keep(tx, { status, body, people }, hours = KEPT_HOURS) {
      if (body.length > MAX_STORED_BYTES)
        throw unprocessable(
          'The response is too large to store for repeats. Request a smaller page, or omit the Idempotency-Key.',
        );
      const rows = await tx.run('accounts/keep_answer', {
        account_id: accountId,
        key,
        attempt: claim,
        status,
        body,
        people,
        hours,
      });
      if (rows.length === 0) throw takenOver();
    },
    async end() {
      clearInterval(renewal);
      // Also safe after a commit with an unknown outcome, because a stored response is kept. If the release
      // fails, the lease expires.
      await db.run('accounts/release_call', { account_id: accountId, key, attempt: claim }).catch(() => {});
    },
  };
}
