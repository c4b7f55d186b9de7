import type { Request } from 'express';
import type { ShapeWork } from '../../shared/geo/shape-work.ts';
import { unavailable } from './database.ts';
import { rateLimited } from './error-responses.ts';

/** How many of an account's heavy calls run at once, and how many can wait. Any beyond that are refused. */
const AT_ONCE = 2;
const MAX_WAITING = 100;

/** About the size of a polygon with 150 vertices. Larger requests wait their turn before they are parsed. */
export const LARGE_REQUEST_BYTES = 4_096;

/** Size of a request's URL and body, in bytes. Infinity if the body's length is unknown. */
export function sizeOf({ headers, originalUrl }: Request): number {
  if (headers['transfer-encoding'] !== undefined) return Infinity;
  return originalUrl.length + Number(headers['content-length'] ?? 0);
}

/**
 * A call that can be heavy: a large request, or one with a shape. It waits its turn before the work starts,
 * so that one account can't block others for long.
 */
export type HeavyCall = ShapeWork & { end(): void };

export type HeavyCalls = { of(accountId: string, call: { isFinished(): boolean }): HeavyCall };

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
          if (ended || call.isFinished()) throw unavailable('The client stopped waiting for the response.');
        },
        end() {
          ended = true;
          // The call may still be waiting if something else failed in the meantime.
          turn?.then(
            () => passOn(lines, accountId),
            () => {},
          );
        },
      };
    },
  };
}

/** @throws PlatError `rate_limited` if too many of the account's calls are already waiting */
async function enter(lines: Map<string, Line>, accountId: string): Promise<void> {
  const line = lines.get(accountId) ?? { running: 0, waiting: [] };
  lines.set(accountId, line);
  if (line.running < AT_ONCE) {
    line.running++;
    return;
  }
  if (line.waiting.length >= MAX_WAITING)
    throw rateLimited(
      `This account has ${AT_ONCE + MAX_WAITING} large requests or searches by shape in progress. Wait for some of them to finish.`,
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
