import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAccount, createKey } from '../../shared/accounts/accounts.ts';
import { loadConfig } from '../../shared/platform/config.ts';
import { migrate } from '../../shared/platform/migrate.ts';
import { enqueue, getJob } from '../../shared/platform/queue/jobs.ts';
import { rootDir } from '../../shared/platform/root.ts';
import { analyzePartitions, ensurePartitions } from '../../workers/ingest/kinds/assessor/partitions.ts';
import type { JobContext } from '../../workers/queue/job.ts';
import { insertRegions, startTestApi } from '../support/api.ts';
import type { TestDatabase } from '../support/database.ts';
import { testFolder } from '../support/folder.ts';
import { startTestServer, withDatabase } from '../support/server.ts';
import { TestDb } from '../support/test-db.ts';
import { jobsOf, queueEnv, startTestWorker, testJob } from '../support/workers.ts';

const folder = testFolder();
const opsDir = join(rootDir, 'ops');

/** Whether the machine has a program. Without it tests are skipped, whose names say what is missing. */
const has = (program: string, ...version: string[]) => spawnSync(program, version).status === 0;

/** Output of a program, both streams. @throws unless it ends with 0 */
function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  expect(status, `${program} ${args.join(' ')}\n${stdout}${stderr}`).toBe(0);
  return stdout + stderr;
}

describe.skipIf(!has('promtool', '--version'))('promtool (of the package prometheus)', () => {
  const prometheus = (name: string) => join(opsDir, 'prometheus', name);

  test('accepts the scrape configuration and the alerts, and their tests pass', () => {
    run('promtool', 'check', 'config', '--syntax-only', prometheus('prometheus.yml'));
    run('promtool', 'check', 'rules', prometheus('alerts.yml'));
    run('promtool', 'test', 'rules', prometheus('alerts.test.yml'));
  }, 120_000);

  test('accepts every query of the dashboard', () => {
    const { panels } = JSON.parse(readFileSync(join(opsDir, 'grafana', 'plat.json'), 'utf8')) as {
      panels: { targets?: { expr: string }[] }[];
    };
    const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const rules = queries.map((expr, i) => ({ record: `query_${i}`, expr }));
    const file = join(folder, 'dashboard.yml');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    expect(run('promtool', 'check', 'rules', file)).toContain(`${queries.length} rules`);
  });
});

test.skipIf(!has('nginx', '-v') || !has('openssl', 'version'))(
  'nginx (of the package nginx-light) accepts its configuration',
  () => {
    const [certificate, key] = [join(folder, 'fullchain.pem'), join(folder, 'privkey.pem')];
    const subject = ['-subj', '/CN=plat.example.org', '-days', '2', '-newkey', 'rsa:2048', '-nodes'];
    execFileSync('openssl', ['req', '-x509', ...subject, '-keyout', key, '-out', certificate], {
      stdio: 'ignore',
    });
    const conf = readFileSync(join(opsDir, 'nginx', 'plat.conf'), 'utf8')
      .replaceAll('/etc/letsencrypt/live/plat.example.org', folder)
      .replaceAll('/var/log/nginx', folder);
    writeFileSync(join(folder, 'plat.conf'), conf);
    const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      name => `${name}_temp_path ${join(folder, name)};`,
    );
    writeFileSync(
      join(folder, 'nginx.conf'),
      `pid ${folder}/nginx.pid; error_log ${folder}/error.log; events {} http { ${own.join(' ')} include plat.conf; }`,
    );
    run('nginx', '-t', '-q', '-p', folder, '-c', join(folder, 'nginx.conf'));
  },
);

test.skipIf(!has('systemd-analyze', '--version'))('systemd accepts the units', () => {
  const units = join(folder, 'units');
  mkdirSync(units);
  for (const instance of ['api@3000', 'worker@9101', 'migrate@2026-11-29']) {
    const template = readFileSync(
      join(opsDir, 'systemd', `plat-${instance.replace(/@.*/, '@')}.service`),
      'utf8',
    );
    const unit = join(units, `plat-${instance}.service`);
    writeFileSync(unit, template.replaceAll('/usr/bin/node', process.execPath));
    expect(run('systemd-analyze', 'verify', unit)).toBe('');
  }
});

describe.skipIf(!has('psql', '--version'))('roles, by psql (of the package postgresql-client)', () => {
  test("the owner's role migrates and runs a worker, and the API's own role can serve and charge, and nothing more", async () => {
    const server = await startTestServer();
    onTestFinished(async () => {
      await server.stop();
      rmSync(server.folder, { recursive: true, force: true });
    });
    const roles = [
      '-v',
      'owner_password=own',
      '-v',
      'api_password=api',
      '-f',
      join(opsDir, 'postgresql', 'roles.sql'),
    ];
    for (const _twice of [1, 2]) run('psql', '-q', '-d', server.url, ...roles);
    const urlOf = (user: string, password: string) => {
      const url = new URL(withDatabase(server.url, 'plat'));
      Object.assign(url, { username: user, password });
      return url.href;
    };
    const [owner, api] = [urlOf('plat_owner', 'own'), urlOf('plat_api', 'api')];
    await migrate(owner);

    const pool = new TestDb(new pg.Pool({ connectionString: api }));
    onTestFinished(() => pool.end());
    const db: Pick<TestDatabase, 'pool' | 'url'> = { pool, url: api };
    const ownerPool = new TestDb(new pg.Pool({ connectionString: owner }));
    await insertRegions({ ...db, pool: ownerPool } as TestDatabase);
    await ownerPool.end();

    const { id } = await createAccount(pool, {
      name: 'one',
      tier: 'scale',
      ratePerMinute: 600,
      rateBurst: 600,
    });
    const { key } = await createKey(pool, id, { name: 'test' });
    const service = await startTestApi(db as TestDatabase);
    expect((await service.call('/readyz')).status).toBe(200);
    expect((await service.call('/api/public/v1/markets-stats/33019/stats/', { key })).status).toBe(200);
    const { rows } = await pool.query<{ tokens_used: number }>('select tokens_used from usage_periods');
    expect(rows).toEqual([{ tokens_used: 10 }]);
    expect((await service.call('/metrics')).text).toContain('plat_database_up 1');

    const config = loadConfig({ LOG_LEVEL: 'silent', DATABASE_URL: owner, ...queueEnv('postgres') });
    const load = testJob('test.load');
    const work = async ({ db: workers }: JobContext) => {
      await ensurePartitions(workers, [33_019]);
      await analyzePartitions(workers, [33_019]);
      return { rows: 1 };
    };
    await startTestWorker(config, jobsOf([load, work]));
    const job = await enqueue(pool, load, { text: 'one' });
    await expect.poll(async () => (await getJob(pool, job.id))?.status).toBe('done');
    expect((await pool.query('select from parcels_33')).rowCount).toBe(0);

    for (const refused of [
      'create table t ()',
      'drop table usage_periods',
      'create schema s',
      'create role r',
    ])
      await expect(pool.query(refused)).rejects.toMatchObject({ code: '42501' });
  }, 60_000);
});
