import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Number of calls from another account whose times are compared. */
const CALLS = 200;
/** The number of CALLS that a 99th percentile ignores. */
const MAX_LATE = CALLS / 100;

/** Limit for the slowdown during an attack: a call may take this many times its usual 99th percentile. */
export const MAX_RATIO = 20;

type Call = (signal?: AbortSignal) => Promise<unknown>;

/**
 * The 99th percentile of a call's time during an attack, divided by its usual value. Calls that take longer
 * than the limit are aborted. After too many of these, measuring stops and the ratio is infinite.
 */
export async function slowdown(call: Call, attack: Attack): Promise<number> {
  // Measures the calls twice, because everything is compiled during the first pass.
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
  /** With a body, the call is a POST. */
  body?: string;
  /** Reads only the start of the response. */
  readsSlowly?: boolean;
};

export type Attack = {
  /** The responses' status codes. */
  readonly statuses: Set<number>;
  start(): Promise<{ stop(): Promise<void> }>;
};

/** Calls that a separate process keeps in flight. */
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
