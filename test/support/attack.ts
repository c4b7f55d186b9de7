import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Calls of another account whose times are compared. */
const CALLS = 200;
/** The 99th percentile of so many leaves these out. */
const MAX_LATE = CALLS / 100;

/** How many times its quiet 99th percentile a call may take while others attack. */
export const MAX_RATIO = 20;

type Call = (signal?: AbortSignal) => Promise<unknown>;

/**
 * How many times its quiet 99th percentile a call takes while an attack goes on. Calls that take longer than
 * they may are given up; with too many of these the rest is not measured, and the ratio is infinite.
 */
export async function slowdown(call: Call, attack: Attack): Promise<number> {
  // Twice, as everything is compiled during the first.
  await timeCalls(call);
  const quiet = p99(await timeCalls(call));
  const statuses = await attack.start();
  try {
    return p99(await timeCalls(call, Math.ceil(MAX_RATIO * quiet))) / quiet;
  } finally {
    await statuses.stop();
  }
}

async function timeCalls(call: Call, mostMs?: number): Promise<number[]> {
  const times: number[] = [];
  let late = 0;
  while (times.length < CALLS && late <= MAX_LATE) {
    const signal = mostMs === undefined ? undefined : AbortSignal.timeout(mostMs);
    const started = performance.now();
    const isDone = await call(signal).then(
      () => true,
      error => {
        if (signal?.aborted) return false;
        throw error;
      },
    );
    if (!isDone) late++;
    times.push(isDone ? performance.now() - started : Number.POSITIVE_INFINITY);
  }
  return late > MAX_LATE ? [Number.POSITIVE_INFINITY] : times;
}

const p99 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(0.99 * times.length) - 1]!;

export type AttackCall = {
  url: string;
  headers?: Record<string, string>;
  /** Sent by POST. */
  body?: string;
  /** Takes nothing of the response but its start. */
  readsSlowly?: boolean;
};

export type Attack = {
  /** The statuses of the calls that were answered. */
  readonly statuses: Set<number>;
  start(): Promise<{ stop(): Promise<void> }>;
};

/** Calls that are kept in flight by a process of its own. */
export function attackWith(inFlight: number, call: AttackCall): Attack {
  const statuses = new Set<number>();
  return {
    statuses,
    async start() {
      const child = fork(join(import.meta.dirname, 'attacker.mjs'), { execArgv: [] });
      child.send({ ...call, inFlight });
      await once(child, 'message');
      return {
        async stop() {
          child.send('stop');
          const [seen] = (await once(child, 'message')) as [number[]];
          for (const status of seen) statuses.add(status);
          await once(child, 'exit');
        },
      };
    },
  };
}
