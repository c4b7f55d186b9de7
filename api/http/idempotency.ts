import { hash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../shared/platform/db.ts';
import { canonical } from './cursor.ts';
import { unavailable } from './database.ts';
import type { Endpoint, MakingAttempt } from './endpoint.ts';
import { unprocessable, validationError } from './error-responses.ts';
import type { RequestInput } from './validate.ts';

/** Others wait this long for an attempt that says nothing more: its process was killed. */
const LEASE_MS = 5_000;
/** Three times a lease, so that one slow statement does not lose it. */
const RENEW_MS = 1_500;
/** Pauses between two looks at what another attempt does. */
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 300;
/** The largest page of parcels is about 300 KB. */
const MAX_STORED_BYTES = 2_000_000;

/** 1-255 visible ASCII characters. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** `people`: whom it is about, as the suppression list knows them. */
type StoredResponse = { status: number; body: Buffer; people: readonly Buffer[] | null };

/** The key of a call that a page makes. It has a space, which clients' keys cannot have. */
export const pageKey = (name: string): string => `page ${name}`;

/** How long an answer is kept for repeats. */
const KEPT_HOURS = 24;

/** The right and duty to answer a call. */
export type Attempt = MakingAttempt & {
  /**
   * Keeps the answer, in the transaction of its charge. @throws PlatError 503 when another attempt has taken
   * over, `unprocessable` for one too large to keep
   */
  keep(tx: Db, answer: StoredResponse, hours?: number): Promise<void>;
  /** When the attempt is over; lets others begin if no answer was kept. */
  end(): Promise<void>;
};

export type Idempotency = {
  /**
   * The stored answer of an earlier call, or the right to make it; undefined once the client has left.
   * @throws PlatError `validation_error` when the key belongs to another request
   */
  begin(
    call: IdempotentRequest,
    isOver: () => boolean,
  ): Promise<{ kept: StoredResponse } | { attempt: Attempt } | undefined>;
};

export type IdempotentRequest = { accountId: string; key: string; fingerprint: Buffer };

/** Of a POST alone: other methods may be repeated anyway. @throws PlatError `validation_error` */
export function idempotencyKeyOf(endpoint: Endpoint, key: string | string[] | undefined): string | undefined {
  if (endpoint.method !== 'post' || key === undefined) return undefined;
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw validationError({ 'Idempotency-Key': ['must be 1 to 255 visible ASCII characters'] });
}

/** What makes two requests the same: the endpoint and what it was sent, whatever the order of the fields. */
export function fingerprintOf(endpoint: Endpoint, { params, query, body }: RequestInput): Buffer {
  return hash('sha256', canonical([endpoint.operationId, params, query, body]), 'buffer');
}

export function openIdempotency(db: Db): Idempotency {
  return {
    async begin(call, isOver) {
      const claim = randomUUID();
      for (let pause = FIRST_PAUSE_MS; !isOver(); pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
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
        // The attempt that was there has just failed.
        if (row === undefined) continue;
        if (!row.fingerprint.equals(call.fingerprint))
          throw validationError({
            'Idempotency-Key': ['was used for another request: choose a new key, or repeat that request'],
          });
        const { status, body, people } = row;
        if (status !== null) return { kept: { status, body: body!, people } };
        await sleep(pause);
      }
      return undefined;
    },
  };
}

const takenOver = () => unavailable('Another call with this Idempotency-Key has taken over. Try again.');

type CallRow = {
  fingerprint: Buffer;
  status: number | null;
  body: Buffer | null;
  people: Buffer[] | null;
};

function openAttempt(db: Db, { accountId, key }: IdempotentRequest, claim: string, made: unknown): Attempt {
  const renewal = setInterval(() => {
    // Without it the attempt may lose its turn, which `keep` finds out.
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
          'The answer is too large to be kept for repeats: ask for a smaller page, or without Idempotency-Key.',
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
      // Also after a commit whose outcome is unknown: an answer that is kept stays. What cannot be released
      // is left to the lease.
      await db.run('accounts/release_call', { account_id: accountId, key, attempt: claim }).catch(() => {});
    },
  };
}
