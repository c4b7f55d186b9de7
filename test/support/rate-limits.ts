import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import type { TestDatabase } from './database.ts';

/** Of a bucket's level: what a limit of one call a minute gains in a microsecond is one of them. */
export const CALL = 60_000_000;

/** Puts an account's buckets as they would have been left some time ago. */
export type SetBuckets = (
  accountId: string,
  calls: number,
  skipTraces: number,
  secondsAgo: number,
) => Promise<unknown>;

export function bucketsOf(db: TestDatabase, env: Record<string, string>): SetBuckets {
  const { REDIS_URL, QUEUE_PREFIX } = env;
  if (REDIS_URL === undefined)
    return (accountId, calls, skipTraces, secondsAgo) =>
      db.pool.query(
        `insert into rate_buckets values ($1, 1, 1, 1, $2, $3, 0, 0, now() - make_interval(secs => $4))
         on conflict (account_id) do update
         set level = excluded.level, skip_trace_level = excluded.skip_trace_level, updated_at = excluded.updated_at`,
        [accountId, calls * CALL, skipTraces * CALL, secondsAgo],
      );
  const redis = new Redis(REDIS_URL);
  afterAll(() => redis.disconnect());
  return async (accountId, calls, skipTraces, secondsAgo) => {
    const [seconds, micros] = await redis.time();
    const at = Number(seconds) * 1_000_000 + Number(micros) - secondsAgo * 1_000_000;
    const levels = { level: calls * CALL, skip_trace_level: skipTraces * CALL, at };
    await redis.hset(`${QUEUE_PREFIX}:rate:${accountId}`, levels);
  };
}

/** A way to a server which can be closed, and which can swallow whatever is sent. */
export type Way = {
  url: string;
  /** Nobody answers any more; connections are reset. */
  close(): Promise<void>;
  /** Connections stay, and nothing comes back. */
  swallow(): void;
  /** As it was at first. */
  open(): Promise<void>;
};

export async function openWay(target: string): Promise<Way> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let swallowing = false;
  const server = createServer(client => {
    const there = connect(Number(port), hostname);
    for (const socket of [client, there]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        there.destroy();
      });
    }
    client.on('data', chunk => swallowing || there.write(chunk));
    there.on('data', chunk => swallowing || client.write(chunk));
  });
  const reset = () => {
    for (const socket of sockets) socket.destroy();
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port: own } = server.address() as AddressInfo;
  const url = new URL(target);
  url.host = `127.0.0.1:${own}`;
  const close = async () => {
    const closed = server.listening ? once(server, 'close') : undefined;
    server.close();
    reset();
    await closed;
  };
  afterAll(close);
  return {
    url: url.href,
    close,
    swallow() {
      swallowing = true;
    },
    async open() {
      // What was swallowed is lost to its connection.
      reset();
      swallowing = false;
      if (!server.listening) await once(server.listen(own, '127.0.0.1'), 'listening');
    },
  };
}
