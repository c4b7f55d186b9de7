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
 * Node options. There is one worker per core, so each worker collects garbage on its own thread instead of on
 * other cores. Two workers on two cores computed land attributes for 60,000 parcels in 6.6 s instead of 7.3 s
 * (means of four alternating runs). One worker alone took 10.4 and 10.3 s. The heap may grow by 80% before a
 * collection, not several times. A worker that loaded 1,000,000 parcels peaked at 363 MB instead of 477 MB,
 * and took 98 s.
 */
export const RUNTIMES: Record<ServiceName, string[]> = {
  api: RUNTIME,
  worker: ['--single-threaded-gc', '--heap-growing-percent=80', ...RUNTIME],
};

/**
 * Defaults for the services' environment. glibc keeps freed memory per thread. With two arenas, drawing 16
 * pictures at once took 105 to 152 MB above idle instead of 178 to 215 MB, at the same speed. A worker that
 * loaded 150,000 parcels peaked at 447 MB instead of 485 MB. Other C libraries ignore this setting.
 */
export const ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };

export const programOf = (name: ServiceName): string => programPath(PROGRAMS[name]);

/**
 * Starts a process outside the terminal's process group. Otherwise, Ctrl-C would reach it twice, and the
 * second signal means "stop at once".
 */
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
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      isStopping = true;
      child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      // The child stopped before it could handle signals, so it had nothing to finish.
      const early = isStopping && (signal === 'SIGINT' || signal === 'SIGTERM');
      process.exitCode = early ? 0 : (code ?? 1);
      resolve();
    });
  });
}

export type Service = {
  label: string;
  program: ServiceName;
  /** Read every time the service starts or restarts. */
  env: Record<string, string>;
  logFile: string;
  onMessage?(message: unknown): void;
};

/** Maximum delay before restarting a service that keeps crashing. */
const MAX_RESTART_DELAY_MS = 10_000;
/** How often to check log sizes. A log can exceed its limit by the amount written between checks. */
const LOG_CHECK_MS = 10_000;
/** After a service has run this long, its next restart uses the shortest delay again. */
const STABLE_MS = 60_000;

export type Supervisor = {
  start(service: Service): void;
  stop(deadlineMs: number): Promise<void>;
  kill(): void;
};

/** Restarts child processes when they die. The child processes end when this process ends. */
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
    const startedAt = Date.now();
    children.set(service.label, child);
    child.on('exit', async (code, signal) => {
      children.delete(service.label);
      if (stopping) return;
      await onRestart(service.label, signal ?? `exit ${code}`);
      const wait = Date.now() - startedAt > STABLE_MS ? 250 : delay;
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

/** A full disk or a locked file must not stop the services. The next check will try again. */
function tidy(file: string, logs: LogLimits): void {
  try {
    rotateLog(file, logs);
  } catch {
    // The next check will try again.
  }
}
