import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../shared/platform/config.ts';
import { errorCode, PlatError } from '../../shared/platform/errors.ts';

/** What a running `plat up` writes to .plat/up.json. A URL is null until its server responds. */
export type UpState = { pid: number; born: string | null; databaseUrl: string | null; apiUrl: string | null };

type Urls = Pick<UpState, 'databaseUrl' | 'apiUrl'>;

const fileOf = (config: Config) => join(config.PLAT_DIR, 'up.json');

/** Makes this process the checkout's only `plat up`. @throws PlatError `already_running`, `plat_dir` */
export function claimState(config: Config): void {
  try {
    mkdirSync(config.PLAT_DIR, { recursive: true });
    // When Plat runs as root, PostgreSQL runs as another user, which needs access to the folder. Secrets in
    // the folder have their own permissions.
    chmodSync(config.PLAT_DIR, process.getuid?.() === 0 ? 0o711 : 0o700);
    while (!createExclusively(config)) {
      const running = readState(config);
      if (running) throw alreadyRunning(running);
      // A killed process left its file behind.
      rmSync(fileOf(config), { force: true });
    }
  } catch (cause) {
    const code = errorCode(cause);
    if (cause instanceof PlatError || code === undefined) throw cause;
    const message = `Can't write to ${config.PLAT_DIR} (${code}). Make it writable for this user, or set PLAT_DIR to another folder.`;
    throw new PlatError('plat_dir', message, { cause });
  }
}

function alreadyRunning({ pid, apiUrl }: UpState): PlatError {
  const where = apiUrl === null ? 'starting' : apiUrl;
  return new PlatError(
    'already_running',
    `Plat is already running here (process ${pid}, ${where}). Stop it first.`,
  );
}

/**
 * Returns whether this process created the file. If several processes start at once, only one of them does.
 */
function createExclusively(config: Config): boolean {
  try {
    writeFileSync(fileOf(config), textOf({ databaseUrl: null, apiUrl: null }), { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Replaces the file by renaming, so that readers never see half of it. */
export function writeState(config: Config, urls: Urls): void {
  const fresh = `${fileOf(config)}.new`;
  writeFileSync(fresh, textOf(urls), { mode: 0o600 });
  renameSync(fresh, fileOf(config));
}

export function clearState(config: Config): void {
  rmSync(fileOf(config), { force: true });
}

function textOf(urls: Urls): string {
  const state: UpState = { pid: process.pid, born: birthOf(process.pid) ?? null, ...urls };
  return `${JSON.stringify(state)}\n`;
}

export function readState(config: Config): UpState | undefined {
  let state: UpState;
  try {
    state = JSON.parse(readFileSync(fileOf(config), 'utf8')) as UpState;
  } catch {
    return undefined;
  }
  const born = birthOf(state.pid);
  return born !== undefined && born === state.born ? state : undefined;
}

/** When a process started, or undefined if it has ended. Ids are reused, so an id alone isn't enough. */
function birthOf(pid: number): string | undefined {
  try {
    // The fields after the name in parentheses start with the state. The 22nd field of the line is the start
    // time in ticks since boot.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    if (process.platform === 'linux') return undefined;
  }
  if (process.platform === 'win32') return isAlive(pid) ? 'unknown' : undefined;
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout?.trim() || undefined;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
