import type { Request } from 'express';
import type { ShapeWork } from '../../shared/geo/shape-work.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { unavailable } from './database.ts';

/** How many heavy calls of one account run at once, and how many can wait. More are refused. */
const AT_ONCE = 2;
const MAX_WAITING = 100;

/**
 * Larger requests wait for their turn before they are read, because parsing a hundred at once takes long. A
 * polygon of this size has about 150 vertices.
 */
export const LARGE_REQUEST_BYTES = 4_096;

/** Size of a request's URL and body in bytes. Infinity if the length of the body is unknown. */
export function sizeOf({ headers, originalUrl }: Request): number {
  if (headers['transfer-encoding'] !== undefined) return Infinity;
  return originalUrl.length + Number(headers['content-length'] ?? 0);
}

/**
 * A call that can be heavy: a large request, or one with a shape. It waits for its turn before the work
 * starts, so that one account can't block others for long.
 */
export type HeavyCall = ShapeWork & { end(): void };

export type HeavyCalls = { of(accountId: string, call: { isFinished(): boolean }): HeavyCall };

type Line = { running: number; waiting: (() => void)[] };

export function openHeavyCalls(compute: ShapeWork['compute']): HeavyCalls {
  const lines = new Map<string, Line>();
  return { of: (accountId, call) => new Turn(lines, accountId, call, compute) };
}

/** A class, because every request creates one. */
class Turn implements HeavyCall {
  readonly compute: ShapeWork['compute'];
  readonly #lines: Map<string, Line>;
  readonly #accountId: string;
  readonly #call: { isFinished(): boolean };
  #turn: Promise<void> | undefined;
  #ended = false;

  constructor(
    lines: Map<string, Line>,
    accountId: string,
    call: { isFinished(): boolean },
    compute: ShapeWork['compute'],
  ) {
    this.#lines = lines;
    this.#accountId = accountId;
    this.#call = call;
    this.compute = compute;
  }

  /** @throws PlatError `rate_limited` if too many calls of the account are already waiting */
  async takeTurn(): Promise<void> {
    this.#turn ??= this.#wait();
    await this.#turn;
    if (this.#ended || this.#call.isFinished())
      throw unavailable('The client stopped waiting for the response.');
  }

  end(): void {
    this.#ended = true;
    // It can still be waiting if something else failed at the same time.
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

  /** Hands the turn to the next in line. */
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
