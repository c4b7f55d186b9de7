import type { Redis } from 'ioredis';
import type { Logger } from '../../shared/log.ts';
import type { Buckets } from './rate-limits-buckets.ts';

/**
 * The same as admit_calls.sql, by the clock of Redis; scripts run one at a time. A bucket that nobody uses is forgotten when it
 * is full, which is what a new one is.
 * KEYS accounts; ARGV for each of them plain calls, skip traces, calls a minute, burst, skip traces a minute. Answers for each with
 * what was let through, plain calls and skip traces, and the levels after that.
 */
const ADMIT = `
local CALL = 60000000
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local answer = {}
for n, key in ipairs(KEYS) do
  local at = 5 * (n - 1)
  local plain, traces = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local rate, trace_rate = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 5])
  local full, traces_full = ARGV[at + 4] * CALL, trace_rate * CALL
  local level, trace_level, moment = full, traces_full, now
  local kept = redis.call('HMGET', key, 'level', 'skip_trace_level', 'at')
  if kept[3] then
    moment = math.max(now, tonumber(kept[3]))
    local passed = moment - kept[3]
    level = math.min(full, kept[1] + passed * rate)
    trace_level = math.min(traces_full, kept[2] + passed * trace_rate)
  end
  plain = math.min(plain, math.floor(level / CALL))
  traces = math.min(traces, math.floor(trace_level / CALL), math.floor(level / CALL) - plain)
  level = level - (plain + traces) * CALL
  trace_level = trace_level - traces * CALL
  local level_text, trace_text = string.format('%.0f', level), string.format('%.0f', trace_level)
  redis.call('HSET', key, 'level', level_text, 'skip_trace_level', trace_text, 'at', string.format('%.0f', moment))
  local until_full = math.max((full - level) / rate, (traces_full - trace_level) / trace_rate)
  redis.call('PEXPIRE', key, math.ceil((moment - now + until_full) / 1000) + 1)
  answer[n] = { plain, traces, level_text, trace_text }
end
return answer`;

type Commands = { admitCalls(keys: number, ...values: (string | number)[]): Promise<Reply[]> };
type Reply = [plain: number, skipTraces: number, level: string, skipTraceLevel: string];

/**
 * Buckets in Redis.
 * @param prefix before the keys: two installations may share one Redis.
 */
export function openRedisBuckets(redis: Redis, prefix: string): Buckets {
  redis.defineCommand('admitCalls', { lua: ADMIT });
  const { admitCalls } = redis as unknown as Commands;
  // Why there is no connection: a command is told only that there is none.
  let lost: Error | undefined;
  redis.on('error', error => {
    lost = error;
  });
  redis.on('ready', () => {
    lost = undefined;
  });
  return async asked => {
    const keys = asked.map(({ accountId }) => `${prefix}:rate:${accountId}`);
    const values = asked.flatMap(account => [
      account.plain,
      account.skipTraces,
      account.perMinute,
      account.burst,
      account.skipTracePerMinute,
    ]);
    const replies = await admitCalls.call(redis, keys.length, ...keys, ...values).catch(error => {
      throw lost ?? error;
    });
    return replies.map(([plain, skipTraces, level, skipTraceLevel]) => ({
      plain,
      skipTraces,
      level: Number(level),
      skipTraceLevel: Number(skipTraceLevel),
    }));
  };
}

/** How often it is tried whether Redis is back. */
const RETRY_MS = 1_000;

/**
 * The buckets in Redis while it answers, else those in the database, which every process shares as well: the service goes on and
 * keeps its limits. An account may have a burst more at a change, because the other bucket is fuller. Told once when it goes,
 * once when it is back.
 */
export function redisElse(redis: Buckets, postgres: Buckets, log: Logger): Buckets {
  let away = false;
  let retryAt = 0;
  const leave = (error: unknown) => {
    // The message alone: the error carries the command, which may be the one with the password.
    const reason = error instanceof Error ? error.message : String(error);
    if (!away) log.warn({ reason }, 'Redis is away: rate limits are kept in the database');
    away = true;
    retryAt = performance.now() + RETRY_MS;
  };
  const comeBack = () => {
    if (away) log.info('Redis is back: rate limits are kept there again');
    away = false;
  };
  return async asked => {
    if (!away) {
      try {
        return await redis(asked);
      } catch (error) {
        leave(error);
      }
    } else if (performance.now() >= retryAt) {
      // Nobody waits for a Redis that may not answer; if it does, these calls have counted there too.
      retryAt = Number.POSITIVE_INFINITY;
      redis(asked).then(comeBack, leave);
    }
    return postgres(asked);
  };
}
