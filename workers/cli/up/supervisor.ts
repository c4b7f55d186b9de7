import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOG_FILES, type LogLimits, rotateLog, rotateOpenLog } from '../../../shared/log-files.ts';
import { programOf, RUNTIMES, type ServiceName } from './service.ts';

export type Service = { label: string; program: ServiceName; env: Record<string, string>; logFile: string };

/** A service that keeps dying is started again ever later, at most this much later. */
const MAX_RESTART_DELAY_MS = 10_000;
/** So far a log may grow beyond its limit: what is written in this time. */
const LOG_CHECK_MS = 10_000;
/** One that has run this long starts afresh with short delays. */
const STABLE_MS = 60_000;

export type Supervisor = {
  start(service: Service): void;
  /** Asks every service to stop, waits, and kills what is left. */
  stop(deadlineMs: number): Promise<void>;
  /** Kills every service at once. */
  kill(): void;
};

/**
 * Keeps services running: each is a child process with its log in a file of bounded size, started again when it dies. Children
 * notice when this process is gone and stop by themselves.
 */
export function createSupervisor(
  onRestart: (label: string, how: string) => void,
  logs: LogLimits & { checkMs: number } = { ...LOG_FILES, checkMs: LOG_CHECK_MS },
): Supervisor {
  const children = new Map<string, ChildProcess>();
  let stopping = false;
  const logFiles = new Set<string>();
  const rotation = setInterval(() => {
    for (const file of logFiles) tidy(() => rotateOpenLog(file, logs));
  }, logs.checkMs);
  rotation.unref();
  const kill = () => {
    stopping = true;
    clearInterval(rotation);
    for (const child of children.values()) child.kill('SIGKILL');
  };

  function start(service: Service, delay = 250): void {
    mkdirSync(dirname(service.logFile), { recursive: true });
    // Nothing writes it yet, so nothing is lost.
    if (!logFiles.has(service.logFile)) tidy(() => rotateLog(service.logFile, logs));
    logFiles.add(service.logFile);
    const log = openSync(service.logFile, 'a');
    const child = fork(programOf(service.program), [], {
      execArgv: RUNTIMES[service.program],
      env: { ...process.env, ...service.env },
      stdio: ['ignore', log, log, 'ipc'],
      // Out of the terminal's process group: Ctrl-C is for the supervisor, which stops things in their order.
      detached: true,
    });
    closeSync(log);
    const begun = Date.now();
    children.set(service.label, child);
    child.on('exit', async (code, signal) => {
      children.delete(service.label);
      if (stopping) return;
      onRestart(service.label, signal ?? `exit ${code}`);
      const wait = Date.now() - begun > STABLE_MS ? 250 : delay;
      await sleep(wait, undefined, { ref: false });
      if (!stopping) start(service, Math.min(wait * 2, MAX_RESTART_DELAY_MS));
    });
    child.on('error', () => {});
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

/** A disk that is full or a file that is held must not end the services. */
function tidy(rotate: () => void): void {
  try {
    rotate();
  } catch {
    // Tried again at the next look.
  }
}
