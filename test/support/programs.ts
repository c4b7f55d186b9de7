import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { inject } from 'vitest';
import { rootDir } from '../../shared/base/root.ts';

const PROGRAMS = [
  'api/main.ts',
  'workers/main.ts',
  'test/support/ingest-child.ts',
  'test/support/job-child.ts',
] as const;

/** Sources keep their own addresses, from which they find the files beside them. */
const addresses: Plugin = {
  name: 'addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.tsx?$/ }, async ({ path }) => ({
      loader: path.endsWith('x') ? 'tsx' : 'ts',
      contents: (await readFile(path, 'utf8'))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
    }));
  },
};

const folder = join(inject('testServer').programs, String(process.pid));
mkdirSync(folder, { recursive: true });
symlinkSync(join(rootDir, 'node_modules'), join(folder, 'node_modules'), 'junction');
await build({
  absWorkingDir: rootDir,
  entryPoints: [...PROGRAMS],
  outdir: folder,
  outbase: rootDir,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  plugins: [addresses],
});

/**
 * Starts a program in a process of its own, bundled: loading 260 sources by tsx took 1.4 s of the 2.5 s in
 * which the API starts.
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
