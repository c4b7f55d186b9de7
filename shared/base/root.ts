import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function findRoot(from: string): string {
  for (let dir = from; ; dir = dirname(dir)) {
    if (existsSync(join(dir, 'package.json')) && existsSync(join(dir, 'sql'))) return dir;
    if (dir === dirname(dir)) throw new Error(`No package.json with a sql/ folder beside it above ${from}`);
  }
}

/** The folder of the checkout: sql/, the bundled feeds and `.plat/` are found from here. */
export const rootDir = findRoot(dirname(fileURLToPath(import.meta.url)));
