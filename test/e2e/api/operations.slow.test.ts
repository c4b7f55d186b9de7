import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLogger } from '../../../shared/platform/log.ts';
import { openQueueBackend, QUEUE_NAMES } from '../../../shared/platform/queue/queue.ts';
import { insertRegions, newCaller, startTestApi, usageOf, whileLocked } from '../../support/api.ts';
import { apiProcesses } from '../../support/api-process.ts';
import { createTestDatabase, lockWaits } from '../../support/database.ts';

const PATH = '/api/public/v1/markets-stats/33019/stats/';

const db = await createTestDatabase();
const backend = openQueueBackend(db.config, createLogger(db.config, 'test'));
afterAll(() => backend.close());
const queues = QUEUE_NAMES.map(name => backend.queue(name));
const api = await startTestApi(db, { queues });
const { spawnApi, startApi } = apiProcesses(db);
let key: string;
let accountId: string;
beforeAll(async () => {
  await insertRegions(db);
  ({ key, accountId } = await newCaller(db));
});

describe('health', () => {
  test('/healthz and /readyz return 200, with or without a slash', async () => {
    expect((await api.call('/healthz')).json).toEqual({ status: 'ok' });
    expect((await api.call('/readyz/')).json).toEqual({ status: 'ready' });
  });

  test('/readyz is 200 on a schema with newer backward-compatible migrations', async () => {
    await db.pool.query(
      "insert into schema_expansions (version, name, checksum) values (9999, '9999_newer.sql', '')",
    );
    try {
      expect((await api.call('/readyz')).status).toBe(200);
      await startApi();
    } finally {
      await db.pool.query('delete from schema_expansions where version = 9999');
    }
  });

  test('/readyz is 503 on a schema with a newer breaking migration', async () => {
    await db.pool.query('update schema_migrations set version = version + 100 where version = 1');
    try {
      const reply = await api.call('/readyz');
      expect(reply.status).toBe(503);
      expect(reply.json).toMatchObject({
        error: { code: 'internal_error', message: expect.stringContaining('schema') },
      });
    } finally {
      await db.pool.query('update schema_migrations set version = version - 100 where version > 100');
    }
    expect((await api.call('/readyz')).status).toBe(200);
  });
});

describe('metrics', () => {
  test('requests by template and status, queues, jobs, and the process', async () => {
    const route = 'route="/api/public/v1/markets-stats/{fips}/stats/"';
    const requests = async (labels: string) => {
      const { text } = await api.call('/metrics');
      const name = `plat_http_request_duration_seconds_count{method="GET",${labels}} `;
      return Number(text.split(name)[1]?.split('\n')[0] ?? 0);
    };
    const counted = [`${route},status="200"`, `${route},status="404"`, 'route="unknown",status="404"'];
    const before = await Promise.all(counted.map(requests));
    await api.call(PATH, { key });
    await api.call('/api/public/v1/markets-stats/99999/stats/', { key });
    await api.call('/some/unknown/path');
    expect(await Promise.all(counted.map(requests))).toEqual(before.map(count => count + 1));
    await queues[0]!.add('ingest', { id: 'x' });
    await db.pool.query(
      "insert into job_totals (name, outcome, jobs, seconds, rows, le) values ('ingest', 'done', 3, 12.5, 4000, '{0,1,2,3,3,3}')",
    );
    const { text, status } = await api.call('/metrics');
    expect(status).toBe(200);
    expect(text).not.toContain('/some/unknown');
    expect(text).toContain('plat_queue_jobs{queue="ingest",state="waiting"} 1');
    expect(text).toContain('plat_job_duration_seconds_bucket{name="ingest",outcome="done",le="10"} 2');
    expect(text).toContain('plat_job_duration_seconds_sum{name="ingest",outcome="done"} 12.5');
    expect(text).toContain('plat_job_duration_seconds_count{name="ingest",outcome="done"} 3');
    expect(text).toContain('plat_job_rows_total{name="ingest",outcome="done"} 4000');
    expect(text).toContain('plat_database_up 1');
    expect(text).toContain('process_resident_memory_bytes');
  });

  test('without a token, only programs on this machine can read them', async () => {
    const reply = await api.call('/metrics', { headers: { 'X-Forwarded-For': '203.0.113.9' } });
    expect(reply.status).toBe(404);
  });

  test('with a token, its bearer can read them', async () => {
    const guarded = await startTestApi(db, { env: { METRICS_TOKEN: 'a-metrics-token' } });
    expect((await guarded.call('/metrics')).status).toBe(401);
    expect(
      (await guarded.call('/metrics', { headers: { Authorization: 'Bearer another-token' } })).status,
    ).toBe(401);
    const headers = { Authorization: 'Bearer a-metrics-token', 'X-Forwarded-For': '203.0.113.9' };
    expect((await guarded.call('/metrics', { headers })).status).toBe(200);
  });
});

describe('queues', () => {
  test('without a password, there is no page', async () => {
    expect((await api.call('/admin/queues')).status).toBe(404);
  });

  test("with a password, the operator sees the queues and others don't", async () => {
    const guarded = await startTestApi(db, { queues, env: { ADMIN_PASSWORD: 'correct horse battery' } });
    const basic = (user: string, password: string) => ({
      Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
    });
    const refused = await guarded.call('/admin/queues/');
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toMatch(/^Basic /);
    for (const headers of [
      basic('admin', 'wrong horse battery'),
      basic('root', 'correct horse battery'),
      { Authorization: 'Basic %%%' },
    ]) {
      expect((await guarded.call('/admin/queues/api/queues', { headers })).status).toBe(401);
    }
    const headers = basic('admin', 'correct horse battery');
    const page = await guarded.call('/admin/queues/', { headers });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    const script = /src="(static\/js\/main[^"]+)"/.exec(page.text)?.[1];
    expect((await guarded.call(`/admin/queues/${script}`, { headers })).status).toBe(200);
    const board = (await guarded.call('/admin/queues/api/queues', { headers })).json as {
      queues: { name: string }[];
    };
    expect(board.queues.map(queue => queue.name)).toEqual([...QUEUE_NAMES]);
    const foreign = { ...headers, 'Sec-Fetch-Site': 'cross-site' };
    expect(
      (await guarded.call('/admin/queues/api/queues/ingest/pause', { method: 'PUT', headers: foreign }))
        .status,
    ).toBe(403);
  });
});

describe('documentation', () => {
  test('/ points to it, on the origin of the request or BASE_URL', async () => {
    expect((await api.call('/')).json).toMatchObject({
      docs: `${api.url}/docs/`,
      openapi: `${api.url}/openapi.json`,
    });
    // Forwarded headers count when they come from a trusted proxy.
    const forwarded = { 'X-Forwarded-Host': 'api.example.com', 'X-Forwarded-Proto': 'https' };
    expect((await api.call('/', { headers: forwarded })).json).toMatchObject({ docs: `${api.url}/docs/` });
    const proxied = await startTestApi(db, {
      env: { TRUSTED_PROXIES: 'loopback', ALLOWED_HOSTS: 'api.example.com' },
    });
    expect((await proxied.call('/', { headers: forwarded })).json).toMatchObject({
      docs: 'https://api.example.com/docs/',
    });
    const fixed = await startTestApi(db, { env: { BASE_URL: 'https://plat.example.org/' } });
    expect((await fixed.call('/')).json).toMatchObject({ docs: 'https://plat.example.org/docs/' });
  });

  test('the page loads nothing from other hosts, and everything that it loads exists', async () => {
    const app = await startTestApi(db, { pages: true });
    const page = await app.call('/docs/');
    expect(page.headers.get('content-security-policy')).not.toMatch(/https?:/);
    expect(page.text).not.toMatch(/(https?:)?\/\/[a-z]/i);
    const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
    expect(loaded).toEqual(expect.arrayContaining(['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js']));
    for (const path of [...loaded, '/openapi.json']) {
      const reply = await app.call(path);
      expect(reply.status, path).toBe(200);
      expect(reply.text.length, path).toBeGreaterThan(50);
    }
    const start = loaded.find(path => path.startsWith('/assets/docs-') && path.endsWith('.mjs'))!;
    expect((await app.call(start)).text).toContain('validatorUrl:null');
  });

  test('nothing else from the package is served', async () => {
    for (const path of ['/docs/package.json', '/docs/index.html', '/docs/../package.json'])
      expect((await api.call(path)).status).toBe(404);
  });

  test('other methods are 405', async () => {
    for (const path of ['/', '/openapi.json', '/healthz', '/metrics']) {
      const reply = await api.call(path, { method: 'POST' });
      expect([path, reply.status, reply.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD']);
    }
  });
});

describe('stopping', () => {
  test('running requests are finished and charged, new ones get 503 with Retry-After', async () => {
    const leaving = await startTestApi(db, { env: { SHUTDOWN_TIMEOUT_MS: '60000' } });
    const before = (await usageOf(db, accountId)).tokens;
    // As many connections as are needed once no more are taken.
    await Promise.all(Array.from({ length: 6 }, () => leaving.call(PATH, { key })));
    const lock = await db.pool.connect();
    await lock.query('begin');
    await lock.query('lock table region_stats in access exclusive mode');
    const running = leaving.call(PATH, { key });
    await expect.poll(() => leaving.lifecycle.active).toBe(1);
    const stopped = leaving.stop();
    // At once, each on one of the open connections; whatever becomes of them, nothing stays locked.
    const [refused, ready, health] = await Promise.allSettled([
      leaving.call(PATH, { key }),
      leaving.call('/readyz'),
      leaving.call('/healthz'),
    ]);
    await lock.query('rollback');
    lock.release();
    expect((await running).status).toBe(200);
    await stopped;
    expect([refused, ready, health]).toMatchObject([503, 503, 200].map(status => ({ value: { status } })));
    const { headers } = (refused as PromiseFulfilledResult<Awaited<typeof running>>).value;
    expect([headers.get('retry-after'), headers.get('connection')]).toEqual(['5', 'close']);
    expect((await usageOf(db, accountId)).tokens).toBe(before + 70);
    await expect(leaving.call(PATH, { key })).rejects.toThrow();
  });

  test('it stops after SHUTDOWN_DELAY_MS', async () => {
    const leaving = await startTestApi(db, { env: { SHUTDOWN_DELAY_MS: '1' } });
    await leaving.stop();
    await expect(leaving.call(PATH, { key })).rejects.toThrow();
  });

  test("requests that don't finish within SHUTDOWN_TIMEOUT_MS are cut off", async () => {
    const leaving = await startTestApi(db, {
      env: { SHUTDOWN_TIMEOUT_MS: '300', STATEMENT_TIMEOUT_MS: '20000' },
    });
    const lock = await db.pool.connect();
    await lock.query('begin');
    await lock.query('lock table region_stats in access exclusive mode');
    const running = leaving.call(PATH, { key }).then(
      () => 'answered',
      () => 'cut',
    );
    await expect.poll(() => leaving.lifecycle.active).toBe(1);
    const stopped = leaving.stop();
    expect(await running).toBe('cut');
    await lock.query('rollback');
    lock.release();
    await stopped;
  });

  test('the program starts from its environment, logs requests without key and query, and stops on SIGTERM despite idle connections', async () => {
    const { child, url, log } = await startApi({ LOG_REQUESTS: '1' });
    const agent = new Agent({ keepAlive: true });
    const status = await new Promise(resolve =>
      get(`${url}/readyz`, { agent }, response =>
        response.resume().on('end', () => resolve(response.statusCode)),
      ),
    );
    expect(status).toBe(200);
    await fetch(`${url}${PATH}?owner=secret`, {
      headers: { Authorization: `Bearer ${key}`, 'X-Request-Id': 'order-42' },
    });
    // A key where none belongs.
    await fetch(`${url}/api/public/v1/${key}/`, { headers: { 'X-Request-Id': `mine-${key}` } });
    child.kill('SIGTERM');
    expect((await once(child, 'close'))[0]).toBe(0);
    agent.destroy();
    const line = log()
      .split('\n')
      .map(text => (text === '' ? {} : JSON.parse(text)))
      .find(entry => entry.requestId === 'order-42');
    expect(line).toMatchObject({
      msg: 'request',
      method: 'GET',
      route: '/api/public/v1/markets-stats/{fips}/stats/',
      path: PATH,
      status: '400',
    });
    expect(log()).not.toContain(key);
    expect(log()).not.toContain('secret');
  });

  test('clients with open connections get their complete responses, and no connection is reset', async () => {
    const { child, url } = await startApi();
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    const outcomes = new Map<string, number>();
    const note = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const ask = () =>
      new Promise<boolean>(resolve => {
        get(url + PATH, { agent, headers: { Authorization: `Bearer ${key}` } }, response => {
          note(String(response.statusCode));
          response.resume().on('end', () => resolve(true));
        }).on('error', (error: NodeJS.ErrnoException) => {
          note(error.code ?? error.message);
          resolve(error.code !== 'ECONNREFUSED');
        });
      });
    const clients = Promise.all(
      Array.from({ length: 20 }, async () => {
        while (child.exitCode === null && (await ask()));
      }),
    );
    // Every client has its connection: what waits to be accepted is reset by the system.
    await expect.poll(() => outcomes.get('200') ?? 0).toBeGreaterThan(300);
    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).toBe(0);
    await clients;
    agent.destroy();
    expect(new Set(outcomes.keys())).toEqual(new Set(['200', '503', 'ECONNREFUSED']));
  });

  test('reports not ready but serves for SHUTDOWN_DELAY_MS; a second signal stops it at once', async () => {
    // Longer than this test may take.
    const { child, url } = await startApi({ SHUTDOWN_DELAY_MS: '600000' });
    const get = (path: string) => fetch(url + path, { headers: { Authorization: `Bearer ${key}` } });
    child.kill('SIGTERM');
    await expect.poll(async () => (await get('/readyz')).status).toBe(503);
    expect((await get(PATH)).status).toBe(200);
    expect((await get('/readyz')).status).toBe(503);
    await whileLocked(db, ['lock table region_stats in access exclusive mode'], async () => {
      const running = get(PATH).catch(() => 'cut');
      await expect.poll(() => lockWaits(db)).toBe(1);
      expect(child.exitCode).toBeNull();
      child.kill('SIGTERM');
      expect((await once(child, 'exit'))[0]).toBe(1);
      expect(await running).toBe('cut');
    });
  });

  test('the program refuses to start on another schema, and says what to do', async () => {
    await db.pool.query('update schema_migrations set version = version + 100 where version = 1');
    try {
      const { child, log } = spawnApi();
      expect((await once(child, 'close'))[0]).toBe(1);
      expect(log()).toContain('schema_version');
      expect(log()).toContain('0001_schema.sql');
    } finally {
      await db.pool.query('update schema_migrations set version = version - 100 where version > 100');
    }
  });
});
