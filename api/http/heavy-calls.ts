import type { Request } from 'express';
import type { ShapeWork } from '../../shared/geo/shape-work.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { unavailable } from './database.ts';

/** Heavy calls of one account that run at once, and that wait: more are refused. */
const AT_ONCE = 2;
const MAX_WAITING = 100;

/**
 * Larger requests take their turn before they are read: parsing a hundred of them at once would take long. A
 * polygon of about 150 vertices.
 */
export const LARGE_REQUEST_BYTES = 4_096;

/** Bytes of a request's address and body; Infinity where the body does not say its length. */
export function sizeOf({ headers, originalUrl }: Request): number {
  if (headers['transfer-encoding'] !== undefined) return Infinity;
  return originalUrl.length + Number(headers['content-length'] ?? 0);
}

/**
 * A call that may be heavy: a large request, or one with a shape. It takes its turn before the work starts,
 * so that an account keeps others waiting no longer than a few of its calls do.
 */
export type HeavyCall = ShapeWork & { end(): void };

export type HeavyCalls = { of(accountId: string, call: { isOver(): boolean }): HeavyCall };

type Line = { running: number; waiting: (() => void)[] };

export function openHeavyCalls(compute: ShapeWork['compute']): HeavyCalls {
  const lines = new Map<string, Line>();
  return { of: (accountId, call) => new Turn(lines, accountId, call, compute) };
}

/** A class, as every request makes one. */
class Turn implements HeavyCall {
  readonly compute: ShapeWork['compute'];
  readonly #lines: Map<string, Line>;
  readonly #accountId: string;
  readonly #call: { isOver(): boolean };
  #turn: Promise<void> | undefined;
  #ended = false;

  constructor(
    lines: Map<string, Line>,
    accountId: string,
    call: { isOver(): boolean },
    compute: ShapeWork['compute'],
  ) {
    this.#lines = lines;
    this.#accountId = accountId;
    this.#call = call;
    this.compute = compute;
  }

  /** @throws PlatError `rate_limited` when too many calls of the account wait already */
  async takeTurn(): Promise<void> {
    this.#turn ??= this.#wait();
    await this.#turn;
    if (this.#ended || this.#call.isOver()) throw unavailable('Nobody is waiting for the response anymore.');
  }

  end(): void {
    this.#ended = true;
    // It may still wait, when something else failed at the same time.
    this.#turn?.then(
      () => this.#passOn(),
      () => {},
    );
  }

  async #wait(): Promise<void> {
    const line = this.#lines.get(this.#accountId) ?? { running: 0, waiting: [] };
    this.#lines.set(this.#accountId, line);
    if (line.running < AT_ONCE) {
      line.running++;
      return;
    }
    if (line.waiting.length >= MAX_WAITING)
      throw new PlatError(
        'rate_limited',
        `This account has ${AT_ONCE + MAX_WAITING} large requests or searches by shape in progress. Wait until some of them have finished.`,
        { headers: { 'Retry-After': '2' }, retryable: true },
      );
    await new Promise<void>(resolve => line.waiting.push(resolve));
  }

  #passOn(): void {
    const line = this.#lines.get(this.#accountId)!;
    const next = line.waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    line.running--;
    if (line.running === 0) this.#lines.delete(this.#accountId);
  }
}
