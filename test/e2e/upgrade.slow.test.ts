import { randomUUID } from 'node:crypto';
import { renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { rootDir } from '../../shared/platform/root.ts';
import { startBalancer } from '../support/balancer.ts';
import { testFolder } from '../support/folder.ts';
import { type ApiService, hasPrevious, releaseServices, unpackPrevious } from '../support/releases.ts';
import { onServer, withDatabase } from '../support/server.ts';
import { askTool } from '../support/tool-call.ts';
import { eventually } from '../support/workers.ts';

const V1 = '/api/public/v1';
const FIPS = '33019';
/** Calls that each client makes, at least, before the next step: what a step breaks shows. */
const CALLS_PER_STEP = 4;
/** Each client's, so that the quick ones leave the processor to the others. */
const PAUSE_MS = 50;

describe.runIf(process.env.TEST_UPGRADE)('an upgrade from the previous release', async () => {
  const folder = testFolder();
  const current = join(folder, 'current');
  const server = inject('testServer').url;
  const name = `plat_upgrade_${process.pid}`;
  afterAll(() => onServer(server, client => client.query(`drop database if exists ${name} with (force)`)));
  const balancer = await startBalancer();
  const { plat, startApi, startWorker, loggedErrors } = releaseServices({
    DATABASE_URL: withDatabase(server, name),
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_REQUESTS: '0',
    PLAT_DIR: join(folder, 'plat'),
    FEEDS_DIR: join(folder, 'feeds'),
    // Longer than the balancer takes to notice.
    SHUTDOWN_DELAY_MS: '2000',
  });

  /** As `ln -sfn` does: at no moment is there none. */
  const point = (to: string) => {
    symlinkSync(to, `${current}-new`, 'dir');
    renameSync(`${current}-new`, current);
  };
  const enter = async (root: string): Promise<ApiService> => {
    const api = await startApi(root);
    balancer.add(api);
    await expect.poll(() => balancer.isReady(api)).toBe(true);
    return api;
  };
  const leave = async (api: ApiService) => {
    await api.stop();
    balancer.remove(api);
  };

  const expectNoFailures = (failures: readonly string[]) => {
    const causes = failures.length === 0 ? [] : [...balancer.lost, ...loggedErrors()];
    expect([...failures, ...causes]).toEqual([]);
  };

  test('under load no call fails, forward and back', { timeout: 900_000 }, async ({ skip }) => {
    skip(!hasPrevious, 'This clone lacks the previous release: clone the whole history.');
    await onServer(server, client => client.query(`create database ${name} template template0`));
    const previous = join(folder, 'previous');
    unpackPrevious(previous);
    point(previous);
    await plat(current, 'migrate');
    let worker = await startWorker(current);
    for (const feed of ['washington-nh', 'washington-nh-listings'])
      await plat(current, 'feed', 'run', feed, '--wait');
    await plat(
      current,
      'account',
      'create',
      'acme',
      '--tier',
      'scale',
      '--pro',
      '--tokens',
      '100000000',
      '--rate',
      '1000000',
      '--burst',
      '1000000',
    );
    const { key } = await plat(current, 'key', 'create', 'acme', '--scope', 'api:direct', 'api:mcp');
    const before = [await enter(current), await enter(current)];
    const load = startLoad(balancer.url, key);
    await load.step();

    // The new release is put beside the old one, and migrates while that serves.
    await plat(rootDir, 'migrate');
    expect(before.map(balancer.isReady)).toEqual([true, true]);
    await load.step();
    point(rootDir);
    // What a process loads late still comes from the folder that it was started in.
    expect((await fetch(`${before[0]!.url}/.well-known/oauth-authorization-server`)).status).toBe(200);
    await worker.stop();
    worker = await startWorker(current);
    await load.step();
    const after: ApiService[] = [];
    for (const old of before) {
      after.push(await enter(current));
      await load.step();
      await leave(old);
    }
    await load.step();
    expectNoFailures(load.failures);

    // Back, on the schema that stays as it is.
    point(previous);
    await worker.stop();
    worker = await startWorker(current);
    for (const api of after) {
      expect(balancer.callsOf(api)).toBeGreaterThan(0);
      const back = await enter(current);
      await load.step();
      await leave(api);
      expect(balancer.callsOf(back)).toBeGreaterThan(0);
    }
    await load.step();
    await load.stop();
    expectNoFailures(load.failures);
    await worker.stop();
  });
});

/** Clients that call all the time, each the next call when the one before has come back. */
function startLoad(url: string, key: string) {
  const failures: string[] = [];
  const turns = new Map<string, number>();
  let stopped = false;

  async function call(method: string, path: string, body?: object, more: Record<string, string> = {}) {
    const response = await fetch(path.startsWith('http') ? path : url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...more },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
  }
  const get = (path: string) => call('GET', V1 + path);
  const post = (path: string, body: object, more?: Record<string, string>) =>
    call('POST', V1 + path, body, more);

  let search: { id: string; cursor: string } | undefined;
  let cursor: string | undefined;
  const clients: Record<string, () => Promise<unknown>> = {
    async parcels() {
      const page = await post('/properties/filter/?page_size=5', { county: FIPS, acres_min: 2 });
      const next = await call('POST', page.next, { county: FIPS, acres_min: 2 });
      await get(`/properties/${next.results[0].property_id}/?timeline=true`);
      await get(`/markets-stats/${FIPS}/stats/`);
      await get(`/comps/?fips=${FIPS}`);
    },
    async changes() {
      const page = await get(`/changes/?limit=2&${cursor === undefined ? '' : `cursor=${cursor}`}`);
      cursor = page.next_cursor;
    },
    async lists() {
      const once = { 'Idempotency-Key': randomUUID() };
      const [list, again] = [
        await post('/lists/', { name: randomUUID() }, once),
        await post('/lists/', { name: randomUUID() }, once).catch(error => error),
      ];
      if (!(again instanceof Error)) throw new Error(`another body was taken: ${list.id}, ${again.id}`);
      const { results } = await post('/properties/filter/?page_size=5', { county: FIPS });
      await post(`/lists/${list.id}/rows/`, {
        property_ids: results.map((row: { property_id: number }) => row.property_id),
      });
      await get(`/lists/${list.id}/rows/`);
      await call('DELETE', `${V1}/lists/${list.id}/`);
    },
    async searches() {
      search ??= {
        ...(await post('/searches/', { name: 'Lots', filter: { county: FIPS, acres_min: 5 } })),
        cursor: '0',
      };
      const page = await get(`/searches/${search!.id}/changes/?cursor=${search!.cursor}`);
      search!.cursor = page.next_cursor;
    },
    async exports() {
      const { id } = await post('/exports/', { filter: { county: FIPS, acres_min: 50 }, format: 'csv' });
      const { parts } = await eventually(async () => {
        const made = await get(`/exports/${id}/`);
        if (made.state === 'failed') throw new Error(`the export failed: ${JSON.stringify(made.error)}`);
        return made.state === 'ready' && made;
      });
      await call('GET', parts[0].url);
      await call('DELETE', `${V1}/exports/${id}/`);
    },
    async assistants() {
      const { status, json } = await askTool(url, key, ['get_market_stats', { fips: FIPS }]);
      if (status !== 200) throw new Error(`the tool: ${status} ${JSON.stringify(json)}`);
    },
    async pages() {
      for (const path of ['/', '/docs']) await call('GET', path);
    },
  };

  const loops = Object.entries(clients).map(async ([name, turn]) => {
    while (!stopped) {
      await turn().catch(error => failures.push(`${name}: ${error.message} ${error.cause ?? ''}`));
      turns.set(name, (turns.get(name) ?? 0) + 1);
      await sleep(PAUSE_MS);
    }
  });
  return {
    failures,
    /** Returns when each client has made some more turns. */
    async step(): Promise<void> {
      const goals = Object.keys(clients).map(
        name => [name, (turns.get(name) ?? 0) + CALLS_PER_STEP] as const,
      );
      await expect
        .poll(() => goals.filter(([name, goal]) => (turns.get(name) ?? 0) < goal).map(([name]) => name), {
          timeout: 120_000,
        })
        .toEqual([]);
    },
    async stop(): Promise<void> {
      stopped = true;
      await Promise.all(loops);
    },
  };
}
