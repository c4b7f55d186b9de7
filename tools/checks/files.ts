import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { sqlBlocks } from '../../shared/platform/statements.ts';

export type SourceFile = { path: string; text: string };

/** A statement file: its family and its name. */
const QUERY_FILE = /^sql\/queries\/(\w+)\/(\w+\.sql)$/;

/**
 * Files that aren't ours or aren't text: they are installed, created at run time, or data. `.git` is a file
 * in a worktree.
 */
const SKIPPED = new Set(['node_modules', 'dist', '.git', '.plat', '.vitest', 'bench-data', 'data']);
const TEXT = /\.(tsx?|css|mjs|sql|json|md|ya?ml|sh)$|(^|\/)(Dockerfile|run|\.[a-z.]+)$/;
const SKIPPED_FILES = new Set(['package-lock.json', 'client/src/openapi.ts']);

/** The repository's text files, with paths relative to `root` that use slashes. */
export function readSources(root: string): SourceFile[] {
  const files: SourceFile[] = [];
  const walk = (dir: string) => {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      if (SKIPPED.has(entry.name)) continue;
      const full = join(dir, entry.name);
      const path = relative(root, full).split(sep).join('/');
      if (entry.isDirectory()) walk(full);
      else if (entry.isFile() && TEXT.test(path) && !SKIPPED_FILES.has(path) && path !== '.env') {
        files.push({ path, text: readFileSync(full, 'utf8') });
      }
    }
  };
  walk(root);
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

export function statementsOf(files: SourceFile[]): Map<string, string> {
  return new Map(
    files.flatMap(({ path, text }) => {
      const [, family, file] = QUERY_FILE.exec(path) ?? [];
      if (family === undefined) return [];
      return [...sqlBlocks(file!, text)].map(([name, body]) => [`${family}/${name}`, body] as const);
    }),
  );
}
