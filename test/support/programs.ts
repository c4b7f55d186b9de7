import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { programPath, rootDir } from '../../shared/platform/root.ts';
import { bundlePrograms } from '../../tools/build.mjs';

const OURS = [
  'test/support/ingest-child.ts',
  'test/support/job-child.ts',
  'test/support/dispatcher-child.ts',
] as const;

type Program = 'api/main.ts' | 'workers/main.ts' | (typeof OURS)[number];

const folder = join(inject('testServer').programs, String(process.pid));
mkdirSync(folder, { recursive: true });
symlinkSync(join(rootDir, 'node_modules'), join(folder, 'node_modules'), 'junction');
await bundlePrograms(OURS, folder);

const isOurs = (program: Program) => program.startsWith('test/');

/** Starts a built program in its own process. @param env its whole environment, except PATH and the build */
export function startProgram(
  program: Program,
  env: Record<string, string>,
  { args = [], stdio }: { args?: string[]; stdio: SpawnOptions['stdio'] },
): ChildProcess {
  const path = isOurs(program) ? join(folder, program.replace(/ts$/, 'mjs')) : programPath(program);
  return spawn(process.execPath, [path, ...args], {
    cwd: rootDir,
    env: { PATH: process.env.PATH, PLAT_BUILD: process.env.PLAT_BUILD, ...env },
    stdio,
  });
}
