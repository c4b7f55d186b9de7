import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { bundle } from '../../shared/platform/compile.mjs';
import { rootDir } from '../../shared/platform/root.ts';

const PROGRAMS = [
  'api/main.ts',
  'workers/main.ts',
  'test/support/ingest-child.ts',
  'test/support/job-child.ts',
  'test/support/dispatcher-child.ts',
] as const;

const folder = join(inject('testServer').programs, String(process.pid));
mkdirSync(folder, { recursive: true });
symlinkSync(join(rootDir, 'node_modules'), join(folder, 'node_modules'), 'junction');
await bundle(PROGRAMS, folder);

/**
 * Starts a program in a process of its own, compiled.
 * @param env all of its environment but PATH
 */
export function startProgram(
  program: (typeof PROGRAMS)[number],
  env: Record<string, string>,
  { args = [], stdio }: { args?: string[]; stdio: SpawnOptions['stdio'] },
): ChildProcess {
  return spawn(process.execPath, [join(folder, program.replace(/ts$/, 'mjs')), ...args], {
    cwd: rootDir,
    env: { PATH: process.env.PATH, ...env },
    stdio,
  });
}
