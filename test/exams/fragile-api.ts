import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll } from 'vitest';
import type { Random } from '../bench/generate/random.ts';
import { apiProcesses } from '../support/api-process.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';
import { eventually } from '../support/workers.ts';

export type FragileApi = {
  url: string;
  /** Something fails for about a second and recovers. @returns what it was */
  fail(random: Random): Promise<string>;
};

const MIN_MS = 200;
const MAX_MS = 1_500;

/** API processes that can be killed and paused, each with its own links to its clients and the database. */
export async function startFragileApis(db: { url: string }, count: number): Promise<FragileApi[]> {
  const { startApi } = apiProcesses(db, { STATEMENT_TIMEOUT_MS: '2000', REQUEST_TIMEOUT_MS: '5000' });
  const start = async (): Promise<FragileApi> => {
    const database = new URL(db.url);
    const inside = await openTcpProxy(Number(database.port));
    database.port = String(inside.port);
    database.hostname = '127.0.0.1';
    const spawn = () => startApi({ DATABASE_URL: database.href });
    let api = await spawn();
    const outside = await openTcpProxy(Number(new URL(api.url).port));
    afterAll(() => Promise.all([inside.close(), outside.close()]));
    const url = `http://127.0.0.1:${outside.port}`;
    const faults: Record<string, (wait: () => Promise<void>) => Promise<void>> = {
      async killed() {
        await api.kill();
        api = await spawn();
        outside.target = Number(new URL(api.url).port);
      },
      async paused(wait) {
        api.child.kill('SIGSTOP');
        await wait();
        api.child.kill('SIGCONT');
      },
    };
    for (const [name, link] of Object.entries({ database: inside, clients: outside }))
      for (const way of ['cut', 'stall'] as const)
        faults[`${way} from ${name}`] = async wait => {
          link[way]();
          await wait();
          link.mend();
        };
    return {
      url,
      async fail(random) {
        const names = Object.keys(faults);
        const name = names[Math.floor(names.length * random())]!;
        await faults[name]!(() => sleep(MIN_MS + (MAX_MS - MIN_MS) * random()));
        await eventually(async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200);
        return name;
      },
    };
  };
  return Promise.all(Array.from({ length: count }, start));
}
