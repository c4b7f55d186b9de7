import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../shared/config.ts';
import { createPool, type Pool } from '../../../shared/db.ts';
import { PlatError } from '../../../shared/errors.ts';
import { createLogger, type Logger } from '../../../shared/log.ts';
import { migrate } from '../../../shared/migrate.ts';
import { startEmbedded } from '../../../shared/postgres/embedded.ts';
import { loadRegions } from '../../regions/load.ts';
import { print } from '../output.ts';
import { deliverFromHere } from '../session.ts';
import { clearState, readState, writeState } from '../state.ts';
import { adminPassword, demoKey } from './credentials.ts';
import { findPort } from './port.ts';
import { ingestSamples, missingSamples } from './sample.ts';
import { createSupervisor } from './supervisor.ts';
import { welcome } from './welcome.ts';

/** How long the API may take to answer /readyz. */
const READY_TIMEOUT_MS = 30_000;

/**
 * Everything on one machine: PostgreSQL, schema, regions, workers, the sample on the first run, the API. Returns
 * when a signal has stopped it all. What was killed in between is taken up by the next start.
 * @throws PlatError `already_running` in a checkout that has one running
 */
export async function up(config: Config): Promise<void> {
  const running = readState(config);
  if (running) throw new PlatError('already_running', `Plat is running here already (process ${running.pid}${running.apiUrl ? `, ${running.apiUrl}` : ''}). Stop that one first.`);
  mkdirSync(config.PLAT_DIR, { recursive: true });
  const stops: (() => Promise<void>)[] = [];
  const stopAll = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  const asked = new AbortController();
  const stopped = untilSignal(asked);
  const starting = start(config, stops, asked.signal);
  try {
    // A signal during the start ends it like one afterwards, once the step under way has been taken.
    await Promise.race([starting, stopped]);
    await stopped;
    print('Stopping.');
    await starting.catch(() => {});
  } finally {
    await stopAll();
  }
  print('Stopped.');
  process.exit(0);
}

async function start(base: Config, stops: (() => Promise<void>)[], signal: AbortSignal): Promise<void> {
  const log = createLogger({ LOG_LEVEL: 'warn' }, 'plat');
  const databaseUrl = base.DATABASE_URL ?? (await startPostgres(base, stops));
  const config = { ...base, DATABASE_URL: databaseUrl };
  writeState(config, { pid: process.pid, databaseUrl, apiUrl: null });
  stops.push(async () => clearState(config));

  const applied = await migrate(databaseUrl, { queue: config.REDIS_URL === undefined });
  if (applied.length > 0) print(`Schema: applied ${applied.length} migrations.`);
  const pool = createPool(config, log, { applicationName: 'plat up', max: 4 });
  stops.push(() => pool.end());
  const regions = await loadRegions(pool);
  print(`Regions: ${regions.counties.toLocaleString('en-US')} counties, ${regions.zips.toLocaleString('en-US')} ZIPs.`);
  signal.throwIfAborted();
  await runServices(config, pool, log, stops, signal);
}

async function startPostgres(config: Config, stops: (() => Promise<void>)[]): Promise<string> {
  const server = await startEmbedded(join(config.PLAT_DIR, 'postgres'));
  stops.push(() => server.stop());
  print(server.started ? 'PostgreSQL: started.' : 'PostgreSQL: took over the one that an earlier start left running.');
  return server.url;
}

async function runServices(
  config: Config & { DATABASE_URL: string },
  pool: Pool,
  log: Logger,
  stops: (() => Promise<void>)[],
  signal: AbortSignal,
): Promise<void> {
  const key = await demoKey(config, pool);
  const admin = adminPassword(config);
  const port = await findPort(config.HOST, config.PORT);
  if (port !== config.PORT) print(`Port ${config.PORT} is taken; using ${port}.`);
  const url = `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`;
  const logs = join(config.PLAT_DIR, 'logs');
  const env = { DATABASE_URL: config.DATABASE_URL, ADMIN_PASSWORD: admin, PORT: String(port), HOST: config.HOST };

  const supervisor = createSupervisor((label, how) => print(`${label} ended (${how}) and is started again; its log is in ${logs}.`));
  stops.push(() => supervisor.stop(config.SHUTDOWN_TIMEOUT_MS + 2_000));
  for (let i = 1; i <= config.WORKERS; i++) {
    supervisor.start({ label: `worker ${i}`, program: 'worker', env, logFile: join(logs, `worker-${i}.log`) });
  }
  supervisor.start({ label: 'api', program: 'api', env, logFile: join(logs, 'api.log') });

  const samples = config.SAMPLE_FEEDS ? await missingSamples(pool) : [];
  if (samples.length > 0) {
    print(`Ingesting ${samples.length} sample feeds through the workers:`);
    await ingestSamples(pool, samples, ids => deliverFromHere({ config, pool, log }, ids), signal);
  }
  await ready(url, logs, signal);
  writeState(config, { pid: process.pid, databaseUrl: config.DATABASE_URL, apiUrl: url });
  print(await welcome({ url, key, admin, logs: relative(process.cwd(), logs) || logs, keyFile: relative(process.cwd(), join(config.PLAT_DIR, 'demo-key')) }));
}

async function ready(url: string, logs: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const ok = await fetch(`${url}/readyz`).then(response => response.ok, () => false);
    if (ok) return;
    await sleep(100, undefined, { signal });
  }
  throw new PlatError('api_start', `The API did not become ready within ${READY_TIMEOUT_MS / 1000} s; see ${join(logs, 'api.log')}.`);
}

function untilSignal(asked: AbortController): Promise<void> {
  return new Promise(resolve => {
    const onSignal = () => {
      if (asked.signal.aborted) {
        print('Stopping at once.');
        process.exit(1);
      }
      asked.abort();
      resolve();
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}
