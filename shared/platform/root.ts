import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function findRoot(from: string): string {
  for (let dir = from; ; dir = dirname(dir)) {
    if (existsSync(join(dir, 'package.json')) && existsSync(join(dir, 'sql'))) return dir;
    if (dir === dirname(dir)) throw new Error(`No folder above ${from} has a package.json and a sql/ folder`);
  }
}

/** The folder of the checkout, which contains sql/, the bundled feeds, and `.plat/`. */
export const rootDir = findRoot(dirname(fileURLToPath(import.meta.url)));

/** The path of a file in the build that this process was started from (see tools/build.mjs). */
export function buildPath(path: string): string {
  if (process.env.PLAT_BUILD === undefined)
    throw new Error('PLAT_BUILD is not set. Call build() in tools/build.mjs first.');
  return join(process.env.PLAT_BUILD, path);
}

/** The built file of a program that runs in its own process or thread. `source` is its TypeScript file. */
export const programPath = (source: string): string => buildPath(source.replace(/\.ts$/, '.mjs'));

/** The version in the program's package. */
export const { version } = JSON.parse(readFileSync(join(rootDir, 'package.json'), 'utf8')) as {
  version: string;
};
