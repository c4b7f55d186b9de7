import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, fchmodSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOG_FILES, type LogLimits, rotateLog } from '../../shared/platform/log-files.ts';
import { programPath } from '../../shared/platform/root.ts';
import type { ConnectedConfig } from '../common/cli-session.ts';

const PROGRAMS = { api: 'api/main.ts', worker: 'workers/main.ts' } as const;
export type ServiceName = keyof typeof PROGRAMS;

const RUNTIME = ['--enable-source-maps'];

/**
 * What node is started with. There are as many workers as cores are to be used, so each collects its garbage
 * on its own thread and not on the cores of the others: two workers on two cores computed the land attributes
 * of 60,000 parcels in 6.6 s and not 7.3 (means of four, alternating), one alone in 10.4 and 10.3. Garbage
 * may grow the heap by 80 % and not by several times: a worker that ingests 1,000,000 parcels peaked at 363
 * MB in 98 s and not at 477.
 */
export const RUNTIMES: Record<ServiceName, string[]> = {
  api: RUNTIME,
  worker: ['--single-threaded-gc', '--heap-growing-percent=80', ...RUNTIME],
};

/**
 * What is set in the services' environment, where nothing else is. glibc keeps freed memory by thread: 16
 * pictures at once took 178 to 215 MB above idle, 105 to 152 with two arenas, at the same speed; a worker
 * that ingests 150,000 parcels peaked at 447 MB and not 485.
 * Other C libraries take no notice.
 */
export const ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };

export const programOf = (name: ServiceName): string => programPath(PROGRAMS[name]);

/** Outside the terminal's process group, because Ctrl-C would reach it twice, and twice means "at once". */
function forked(
  name: ServiceName,
  program: string,
  env: Record<string, string>,
  output: 'inherit' | number,
): ChildProcess {
  return fork(program, [], {
    execArgv: RUNTIMES[name],
    env: { ...ENVIRONMENT, ...process.env, ...env },
    stdio: ['ignore', output, output, 'ipc'],
    detached: true,
  });
}

export async function runService(name: ServiceName, { DATABASE_URL }: ConnectedConfig): Promise<void> {
  const child = forked(name, programOf(name), { DATABASE_URL }, 'inherit');
  let asked = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      asked = true;
      child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      // Asked to stop before it could listen to signals: it had nothing to finish.
      const early = asked && (signal === 'SIGINT' || signal === 'SIGTERM');
      process.exitCode = early ? 0 : (code ?? 1);
      resolve();
    });
  });
}

export type Service = {
  label: string;
  program: ServiceName;
  /** As it is when the service is started, or started again. */
  env: Record<string, string>;
  logFile: string;
  onMessage?(message: unknown): void;
};

/** A service that keeps dying is started again ever later, at most this much later. */
const MAX_RESTART_DELAY_MS = 10_000;
/** So far a log may grow beyond its limit: what is written in this time. */
const LOG_CHECK_MS = 10_000;
/** One that has run this long starts afresh with short delays. */
const STABLE_MS = 60_000;

export type Supervisor = {
  start(service: Service): void;
  stop(deadlineMs: number): Promise<void>;
  kill(): void;
};

/** Restarts child processes when they die. They end when this process is gone. */
export function createSupervisor(
  onRestart: (label: string, how: string) => unknown,
  logs: LogLimits & { checkMs: number } = { ...LOG_FILES, checkMs: LOG_CHECK_MS },
): Supervisor {
  const children = new Map<string, ChildProcess>();
  let stopping = false;
  const logFiles = new Set<string>();
  const rotation = setInterval(() => {
    for (const file of logFiles) tidy(file, logs);
  }, logs.checkMs);
  rotation.unref();
  const kill = () => {
    stopping = true;
    clearInterval(rotation);
    for (const child of children.values()) child.kill('SIGKILL');
  };

  function start(service: Service, delay = 250): void {
    if (stopping) return;
    mkdirSync(dirname(service.logFile), { recursive: true, mode: 0o700 });
    tidy(service.logFile, logs);
    logFiles.add(service.logFile);
    const log = openSync(service.logFile, 'a', 0o600);
    fchmodSync(log, 0o600);
    const child = forked(service.program, programOf(service.program), service.env, log);
    closeSync(log);
    const begun = Date.now();
    children.set(service.label, child);
    child.on('exit', async (code, signal) => {
      children.delete(service.label);
      if (stopping) return;
      await onRestart(service.label, signal ?? `exit ${code}`);
      const wait = Date.now() - begun > STABLE_MS ? 250 : delay;
      await sleep(wait, undefined, { ref: false });
      start(service, Math.min(wait * 2, MAX_RESTART_DELAY_MS));
    });
    child.on('error', () => {});
    if (service.onMessage) child.on('message', service.onMessage);
  }

  return {
    start: service => start(service),
    async stop(deadlineMs) {
      stopping = true;
      const open = [...children.values()];
      const gone = open.map(child => new Promise<void>(resolve => child.once('exit', () => resolve())));
      for (const child of open) child.kill('SIGTERM');
      await Promise.race([Promise.all(gone), sleep(deadlineMs, undefined, { ref: false })]);
      kill();
    },
    kill,
  };
}

/** A disk that is full or a file that is held must not end the services: the next look tries again. */
function tidy(file: string, logs: LogLimits): void {
  try {
    rotateLog(file, logs);
  } catch {
    // As said.
  }
}
