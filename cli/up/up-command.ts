import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../shared/platform/config.ts';
import { createPool } from '../../shared/platform/connection-pool.ts';
import { Db } from '../../shared/platform/db.ts';
import { type DiskSpace, describeDisk, diskSpace } from '../../shared/platform/disk.ts';
import { type EmbeddedServer, startEmbedded } from '../../shared/platform/embedded-postgres.ts';
import { messageOf, PlatError } from '../../shared/platform/errors.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { migrate } from '../../shared/platform/migrate.ts';
import { localUrl, missingSettings } from '../../shared/platform/origin.ts';
import { findPort } from '../../shared/platform/port.ts';
import { installedFeeds } from '../../workers/ingest/feed-folders.ts';
import { loadRegions } from '../../workers/regions/load-regions.ts';
import { print, regionsLine } from '../common/cli-output.ts';
import { type ConnectedConfig, deliverJobs } from '../common/cli-session.ts';
import { claimState, clearState, writeState } from '../common/cli-state.ts';
import { webhookHosts } from './sandbox.ts';
import { createSupervisor } from './supervisor.ts';
import { addSampleDeals, finishDueJobs, ingestSamples, missingSamples } from './up-jobs.ts';
import { adminPassword, demoKey, demoLink, demoOwner, welcome } from './welcome.ts';

const READY_TIMEOUT_MS = 60_000;
/** Extra time for services to close after SHUTDOWN_TIMEOUT_MS. */
const CLOSING_MS = 3_000;

/** A part that was started. Parts are stopped in reverse order. */
type Part = { stop(): Promise<void>; kill(): void };

/** Runs everything. If killed, the next start resumes the work. @throws PlatError `already_running` */
export async function up(config: Config): Promise<void> {
  claimState(config);
  const parts: Part[] = [{ stop: async () => clearState(config), kill: () => clearState(config) }];
  const asked = new AbortController();
  const stopped = untilSignal(asked, () => {
    for (const part of parts.reverse()) part.kill();
  });
  const starting = start(config, parts, asked.signal);
  try {
    // A signal during startup also stops Plat, after the current step.
    await Promise.race([starting, stopped]);
    await stopped;
    print('Stopping.');
    await starting.catch(() => {});
  } finally {
    await stopAll(parts);
  }
  print('Stopped.');
  process.exit(0);
}

async function stopAll(parts: Part[]): Promise<void> {
  for (const part of parts.reverse()) {
    // If one part fails to stop, stop the others anyway.
    await part.stop().catch(error => print(`Couldn't stop a component: ${messageOf(error)}`));
  }
}

async function start(base: Config, parts: Part[], signal: AbortSignal): Promise<void> {
  let databaseUrl = base.DATABASE_URL;
  if (databaseUrl === undefined) {
    const server = await startPostgres(join(base.PLAT_DIR, 'postgres'));
    parts.push(server);
    databaseUrl = server.url;
  }
  const config = { ...base, DATABASE_URL: databaseUrl };
  writeState(config, { databaseUrl, apiUrl: null });
  signal.throwIfAborted();

  const applied = await migrate(databaseUrl, { say: print });
  if (applied.length > 0) print(`Schema: applied ${applied.length} migrations.`);
  // Logs only errors, because short database outages are already reported in plain words.
  const log = createLogger({ LOG_LEVEL: 'error' }, 'plat');
  const pool = createPool(config, log, { applicationName: 'plat up', max: 4 });
  const db = new Db(pool);
  parts.push({ stop: () => pool.end(), kill: () => {} });
  const watching = watchDisk(() => diskSpace(config.PLAT_DIR), print);
  parts.push({ stop: async () => clearInterval(watching), kill: () => clearInterval(watching) });

  signal.throwIfAborted();
  const services = await startServices({ ...config, WEBHOOK_PRIVATE_HOSTS: webhookHosts(base) }, db, parts);
  // Do this while the services load their programs.
  print(regionsLine(await loadRegions(db)));
  signal.throwIfAborted();

  for (const { error } of (await installedFeeds(config)).faults)
    print(`Skipping a feed until you fix its file: ${error.message}`);
  const context = { db, signal, deliver: (ids: string[]) => deliverJobs({ config, db, log }, ids) };
  const samples = await missingSamples(db, config);
  if (samples.length > 0) {
    print(`Loading ${samples.length} sample feeds:`);
    await ingestSamples(context, samples);
  }
  await finishDueJobs(context, samples.length > 0);
  await addSampleDeals(context, await demoOwner(db));

  const url = await ready(services, config.HOST, signal);
  for (const missing of missingSettings(config)) print(missing);
  writeState(config, { databaseUrl, apiUrl: url });
  const keyFile = shortest(join(config.PLAT_DIR, 'demo-key'));
  print(
    await welcome({ ...services, url, link: await demoLink(db), logs: shortest(services.logs), keyFile }),
  );
}

const DISK_LOOK_MS = 10_000;

/** Warns once when the disk is nearly full, and again only if space was freed in the meantime. */
export function watchDisk(
  look: () => Promise<DiskSpace>,
  say: (text: string) => void,
  everyMs = DISK_LOOK_MS,
): NodeJS.Timeout {
  let warned = false;
  return setInterval(async () => {
    const disk = await look().catch(() => undefined);
    if (disk?.low && !warned)
      say(`The disk is nearly full: ${describeDisk(disk)}. Free some space. Workers pause while it is full.`);
    if (disk !== undefined) warned = disk.low;
  }, everyMs);
}

type Services = { port?: number; key: string; admin: string; logs: string };

async function startServices(config: ConnectedConfig, db: Db, parts: Part[]): Promise<Services> {
  const services: Services = {
    key: await demoKey(config, db),
    admin: adminPassword(config),
    logs: join(config.PLAT_DIR, 'logs'),
  };
  const { logs } = services;
  const env = {
    DATABASE_URL: config.DATABASE_URL,
    ADMIN_PASSWORD: services.admin,
    PORT: await freePort(config),
    HOST: config.HOST,
    WEBHOOK_PRIVATE_HOSTS: config.WEBHOOK_PRIVATE_HOSTS,
  };

  const supervisor = createSupervisor(async (label, how) => {
    print(`${label} stopped (${how}) and is restarting. Its log is in ${logs}.`);
    // Another program, such as a second `plat up`, may have taken the port in the meantime.
    if (services.port === undefined) env.PORT = await freePort(config);
  });
  parts.push({
    stop: () => supervisor.stop(config.SHUTDOWN_TIMEOUT_MS + CLOSING_MS),
    kill: supervisor.kill,
  });
  supervisor.start({
    label: 'api',
    program: 'api',
    env,
    logFile: join(logs, 'api.log'),
    onMessage: message => Object.assign(services, message),
  });
  for (let i = 0; i < config.WORKERS; i++) {
    // Each worker gets its own health port.
    const portSetting = config.WORKER_PORT && { WORKER_PORT: String(config.WORKER_PORT + i) };
    supervisor.start({
      label: `worker ${i + 1}`,
      program: 'worker',
      env: { ...env, ...portSetting },
      logFile: join(logs, `worker-${i + 1}.log`),
    });
  }
  return services;
}

async function freePort({ HOST, PORT }: Config): Promise<string> {
  const port = await findPort(HOST, PORT);
  if (port !== PORT && PORT !== 0) print(`Port ${PORT} is in use. Using ${port}.`);
  return String(port);
}

/**
 * Waits for the API and returns its URL. Checks that it is our own process, in case another one took the
 * port.
 */
async function ready(services: Services, host: string, signal: AbortSignal): Promise<string> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const url = localUrl(host, services.port ?? 0);
    const ok =
      services.port !== undefined &&
      (await fetch(`${url}/readyz`).then(
        response => response.ok,
        () => false,
      ));
    if (ok) return url;
    await sleep(50, undefined, { signal });
  }
  throw new PlatError(
    'api_start',
    `The API wasn't ready after ${READY_TIMEOUT_MS / 1000} seconds. See ${join(services.logs, 'api.log')}.`,
  );
}

/** The path relative to the current folder, if it is inside it. */
function shortest(path: string): string {
  const seen = relative(process.cwd(), path);
  return seen === '' || seen.startsWith('..') ? path : seen;
}

/** Resolves at the first Ctrl-C, SIGTERM, or closing of the terminal. The second one kills everything. */
function untilSignal(asked: AbortController, kill: () => void): Promise<void> {
  return new Promise(resolve => {
    const onSignal = () => {
      if (asked.signal.aborted) {
        print('Stopping immediately.');
        kill();
        process.exit(1);
      }
      asked.abort();
      resolve();
    };
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  });
}

const WATCH_MS = 1_000;

/** Starts the PostgreSQL in `folder`, and restarts it when it dies. Its clients reconnect. */
async function startPostgres(folder: string): Promise<Part & { url: string }> {
  const server = await startEmbedded(folder);
  print(
    server.started
      ? 'PostgreSQL: started.'
      : 'PostgreSQL: using the server that an earlier start left running.',
  );
  const stopping = new AbortController();
  const watching = watch(server, stopping.signal);
  return {
    url: server.url,
    async stop() {
      stopping.abort();
      await watching;
      await server.stop();
    },
    kill: server.kill,
  };
}

async function watch(server: EmbeddedServer, signal: AbortSignal): Promise<void> {
  let isReported = false;
  while (!signal.aborted) {
    try {
      if (await server.revive()) print('PostgreSQL stopped and was restarted.');
      isReported = false;
    } catch (error) {
      if (!isReported) print(`PostgreSQL stopped and can't be restarted: ${messageOf(error)}`);
      isReported = true;
    }
    await sleep(WATCH_MS, undefined, { signal }).catch(() => {});
  }
}
