import type { Request } from 'express';
import type { ShapeWork } from '../../shared/geo/shape-work.ts';
import { unavailable } from './database.ts';
import { rateLimited } from './error-responses.ts';

/** Heavy calls of one account that run at once, and that wait: more are refused. */
const AT_ONCE = 2;
const MAX_WAITING = 100;

/** A polygon of 150 vertices. Larger requests take turns before they are read: parsing takes long. */
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
  return {
    of(accountId, call) {
      let turn: Promise<void> | undefined;
      let ended = false;
      return {
        compute,
        async takeTurn() {
          turn ??= enter(lines, accountId);
          await turn;
          if (ended || call.isOver()) throw unavailable('Nobody is waiting for the response anymore.');
        },
        end() {
          ended = true;
          // It may still wait, when something else failed at the same time.
          turn?.then(
            () => passOn(lines, accountId),
            () => {},
          );
        },
      };
    },
  };
}

/** @throws PlatError `rate_limited` when too many calls of the account wait already */
async function enter(lines: Map<string, Line>, accountId: string): Promise<void> {
  const line = lines.get(accountId) ?? { running: 0, waiting: [] };
  lines.set(accountId, line);
  if (line.running < AT_ONCE) {
    line.running++;
    return;
  }
  if (line.waiting.length >= MAX_WAITING)
    throw rateLimited(
      `This account has ${AT_ONCE + MAX_WAITING} large requests or searches by shape in progress. Wait until some of them have finished.`,
      2,
      true,
    );
  await new Promise<void>(resolve => line.waiting.push(resolve));
}

function passOn(lines: Map<string, Line>, accountId: string): void {
  const line = lines.get(accountId)!;
  const next = line.waiting.shift();
  if (next !== undefined) {
    next();
    return;
  }
  line.running--;
  if (line.running === 0) lines.delete(accountId);
}
