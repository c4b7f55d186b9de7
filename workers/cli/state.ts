import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../shared/config.ts';

/** What a running `plat up` tells the other commands of the same checkout: .plat/up.json, readable by its owner. */
export type UpState = { pid: number; databaseUrl: string; apiUrl: string | null };

const FILE = 'up.json';

export function writeState(config: Config, state: UpState): void {
  mkdirSync(config.PLAT_DIR, { recursive: true });
  writeFileSync(join(config.PLAT_DIR, FILE), `${JSON.stringify(state)}\n`, { mode: 0o600 });
}

export function clearState(config: Config): void {
  rmSync(join(config.PLAT_DIR, FILE), { force: true });
}

/** The running `plat up`, or undefined when there is none (a killed one leaves its file behind). */
export function readState(config: Config): UpState | undefined {
  try {
    const state = JSON.parse(readFileSync(join(config.PLAT_DIR, FILE), 'utf8')) as UpState;
    process.kill(state.pid, 0);
    return state;
  } catch {
    return undefined;
  }
}
