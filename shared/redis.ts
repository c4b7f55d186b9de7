import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Config } from './config.ts';

/** Longer than a busy Redis or a busy process takes; what waits for it can do without. */
const COMMAND_TIMEOUT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;

/**
 * A connection for those who can do without Redis: while it is away commands fail at once, and it is back by itself within
 * about a second of Redis. (A queue's connection waits instead: queue.ts.)
 * @returns connected, or trying to; undefined without REDIS_URL
 */
export async function openRedis(config: Pick<Config, 'REDIS_URL'>): Promise<Redis | undefined> {
  if (config.REDIS_URL === undefined) return undefined;
  const redis = new Redis(config.REDIS_URL, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: times => Math.min(100 * times, 1_000),
  });
  // Whoever sends a command is told; unheard, the first of these events would end the process.
  redis.on('error', () => {});
  await redis.connect().catch(() => {});
  return redis;
}

/** Whether it answers within so many milliseconds. */
export function isReachable(redis: Redis, withinMs: number): Promise<boolean> {
  const answered = redis.ping().then(
    () => true,
    () => false,
  );
  return Promise.race([answered, sleep(withinMs, false, { ref: false })]);
}
