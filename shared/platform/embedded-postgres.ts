import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { withConnection } from './db.ts';
import { errorCode } from './errors.ts';
import { rotateLog } from './log-files.ts';
import { findPort } from './port.ts';
import { embeddedError, nativeDir, type SystemUser, serverAccount, serverFolders } from './postgres-user.ts';

export type EmbeddedServer = {
  url: string;
  /** False if Plat reused a server that was already running. */
  started: boolean;
  /** Starts the server again on its port if it has died. */
  revive(): Promise<boolean>;
  stop(): Promise<void>;
  /** Stops the server without waiting. Its next start replays committed changes. */
  kill(): void;
};

const USER = 'plat';
const DATABASE = 'plat';
/** Covers the time that a killed postmaster's last backends hold its shared memory, plus crash recovery. */
const START_TIMEOUT_MS = 60_000;

/**
 * Settings for a workstation with 64 MB of shared memory and 2 cores, which the server shares with the
 * workers. Bulk loads need a larger WAL than the default.
 */
const SETTINGS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '120',
  shared_buffers: '256MB',
  maintenance_work_mem: '256MB',
  work_mem: '32MB',
  max_wal_size: '4GB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

type Paths = {
  base: string;
  data: string;
  password: string;
  log: string;
  native: string;
  account: SystemUser;
};

/**
 * Starts the PostgreSQL server that npm installed, with its files in `dir`. If a server is still running
 * there, such as after Plat was killed with kill -9, uses that one.
 * @throws PlatError `embedded_postgres` with the end of the server's log if it doesn't start
 */
export async function startEmbedded(
  dir: string,
  settings: Record<string, string> = {},
): Promise<EmbeddedServer> {
  const account = serverAccount();
  const { base, native } = serverFolders(dir, nativeDir(), account);
  const paths: Paths = {
    base,
    native,
    account,
    data: join(base, 'data'),
    password: join(base, 'password'),
    log: join(base, 'server.log'),
  };
  if (!existsSync(join(paths.data, 'PG_VERSION'))) await createCluster(paths);

  const { port, started } = await ensureRunning(paths, settings);
  const url = connectionUrl(paths, port);
  await ensureDatabase(url);
  return {
    url,
    started,
    async revive() {
      const running = readPid(paths.data);
      if (running !== undefined && isAlive(running.pid)) return false;
      return (await ensureRunning(paths, settings, port)).started;
    },
    stop: () => stopServer(paths),
    kill: () => killServer(paths),
  };
}

/** @param wanted the port to listen on. Default: any free port */
async function ensureRunning(
  paths: Paths,
  settings: Record<string, string>,
  wanted?: number,
): Promise<{ port: number; started: boolean }> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let failure: unknown;
  while (Date.now() < deadline) {
    const running = readPid(paths.data);
    if (running !== undefined) {
      if (await answers(connectionUrl(paths, running.port), paths.data))
        return { port: running.port, started: failure !== undefined };
      if (isAlive(running.pid)) {
        await sleep(200);
        continue;
      }
      rmSync(join(paths.data, 'postmaster.pid'), { force: true });
    }
    const port = wanted ?? (await findPort('127.0.0.1', 0));
    try {
      await start(paths, port, { ...SETTINGS, ...settings });
      return { port, started: true };
    } catch (error) {
      failure = error;
      await sleep(500);
    }
  }
  throw (
    failure ??
    embeddedError(`The server left running in ${paths.data} does not respond. Stop it and try again.`)
  );
}

async function createCluster(paths: Paths): Promise<void> {
  const fresh = `${paths.data}.new`;
  rmSync(fresh, { recursive: true, force: true });
  writeFileSync(paths.password, randomBytes(24).toString('base64url'), { mode: 0o600 });
  if (paths.account) chownSync(paths.password, paths.account.uid, paths.account.gid);
  const access = `-U ${USER} -A scram-sha-256 --data-checksums -E UTF8`;
  const locale = '--locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C';
  const words = `${access} ${locale}`.split(' ');
  await run(paths, 'initdb', ['-D', fresh, '--pwfile', paths.password, ...words]);
  renameSync(fresh, paths.data);
}

async function start(paths: Paths, port: number, settings: Record<string, string>): Promise<void> {
  const options = Object.entries({ ...settings, port: String(port) }).map(
    ([name, value]) => `-c ${name}=${value === '' ? "''" : value}`,
  );
  rotateLog(paths.log);
  await control(paths, 'start', '-l', paths.log, '-o', options.join(' '));
}

async function stopServer(paths: Paths): Promise<void> {
  if (readPid(paths.data) === undefined) return;
  await control(paths, 'stop', '-m', 'fast');
}

function control(paths: Paths, action: 'start' | 'stop', ...options: string[]): Promise<void> {
  return run(paths, 'pg_ctl', [action, '-w', '-t', '30', '-D', paths.data, ...options]);
}

/**
 * SIGQUIT is PostgreSQL's immediate shutdown: https://www.postgresql.org/docs/current/server-shutdown.html
 */
function killServer(paths: Paths): void {
  const running = readPid(paths.data);
  if (running !== undefined && isAlive(running.pid)) process.kill(running.pid, 'SIGQUIT');
}

function run(paths: Paths, program: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(join(paths.native, 'bin', program), args, {
      ...(paths.account ?? {}),
      cwd: paths.base,
      // Start it in its own process group, because Ctrl-C in the terminal must not stop the server before its
      // clients.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        PATH: process.env.PATH,
        LC_ALL: 'C',
        TZ: 'UTC',
        ...(process.env.SystemRoot ? { SystemRoot: process.env.SystemRoot } : {}),
      },
    });
    let output = '';
    child.stderr.on('data', chunk => {
      output += chunk;
    });
    child.on('error', reject);
    // Use `exit` rather than `close`, because the server inherits the pipe from pg_ctl and keeps it open.
    child.on('exit', code => {
      child.stderr.destroy();
      if (code === 0) resolve();
      else
        reject(
          embeddedError(`${program} failed (exit ${code}). ${output.trim()} ${logTail(paths.log)}`.trim()),
        );
    });
  });
}

function logTail(file: string): string {
  if (!existsSync(file)) return '';
  return `Last lines of ${file}: ${readFileSync(file, 'utf8').trimEnd().split('\n').slice(-5).join(' | ')}`;
}

/** postmaster.pid has the process id on its first line and the port on its fourth. */
function readPid(data: string): { pid: number; port: number } | undefined {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]) };
  } catch {
    return undefined;
  }
}

/**
 * Whether the process is running and is PostgreSQL. The id in a stale file may now belong to another program.
 */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.includes('(postgres)') && !stat.includes(') Z ');
  } catch {
    return process.platform !== 'linux';
  }
}

async function answers(url: string, data: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url.replace(/\/[^/]*$/, '/postgres'),
    connectionTimeoutMillis: 2_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ dir: string }>("select current_setting('data_directory') as dir");
    return rows[0]?.dir === data;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

function ensureDatabase(url: string): Promise<void> {
  return withConnection(url.replace(/\/[^/]*$/, '/postgres'), 'plat up', async (_db, client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  });
}

function connectionUrl(paths: Paths, port: number): string {
  const password = readFileSync(paths.password, 'utf8').trim();
  return `postgres://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`;
}
