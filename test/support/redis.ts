import { Redis } from 'ioredis';

/** Removes every key that starts with `prefix`. */
export async function clearRedis(url: string, prefix: string): Promise<void> {
  const redis = new Redis(url);
  const keys = await redis.keys(`${prefix}*`);
  if (keys.length > 0) await redis.del(keys);
  redis.disconnect();
}
