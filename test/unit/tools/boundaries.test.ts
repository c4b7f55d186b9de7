import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rootDir } from '../../../shared/platform/root.ts';

const biome = join(rootDir, 'node_modules', '.bin', process.platform === 'win32' ? 'biome.cmd' : 'biome');

/** Lints a tree of files under this repository's biome.json; the rules that object, as `path rule`. */
function lint(files: Record<string, string>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'plat-boundaries-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    copyFileSync(join(rootDir, 'biome.json'), join(root, 'biome.json'));
    const options = ['--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none'];
    const run = spawnSync(biome, ['lint', ...options, '.'], {
      cwd: root,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    const report = JSON.parse(run.stdout) as {
      diagnostics: { category: string; severity: string; location: { path: string } }[];
    };
    const errors = report.diagnostics.filter(({ severity }) => severity === 'error');
    expect(run.status).toBe(errors.length > 0 ? 1 : 0);
    return errors.map(({ category, location }) => `${location.path} ${category}`).sort();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** What each file imports, of its folder and the thing imported. Both kinds are linted in one tree. */
const breaches: [folder: string, from: string][] = [
  ['api/v1', '../../workers/ingest/b.ts'],
  ['workers/market', '../../api/http/b.ts'],
  ['shared', '../workers/b.ts'],
  ['shared/model', '../../workers/b.ts'],
  ['shared/kernels/stats', '../../model/b.ts'],
  ['shared/kernels/stats', '../../errors.ts'],
  ['shared/kernels/stats', '../../../workers/b.ts'],
  ['shared/kernels', '../errors.ts'],
  ['shared/kernels/stats', 'node:fs'],
  ['shared/kernels/stats', 'fs'],
  ['shared/kernels/stats', 'node:net'],
  ['shared/kernels/stats', 'pg'],
];

const allowed: [folder: string, from: string][] = [
  ['api/v1', '../../shared/model/b.ts'],
  ['api/v1', '../http/b.ts'],
  ['workers/market', '../../shared/kernels/stats/b.ts'],
  ['shared/model', '../kernels/stats/b.ts'],
  ['shared/kernels/stats', './b.ts'],
  ['shared/kernels/stats', '../frontage/b.ts'],
  ['shared/kernels/stats', '../../geo/b.ts'],
  ['shared/kernels/frontage', 'robust-predicates'],
  ['test/unit', '../../workers/b.ts'],
];

const importer = ([folder]: [string, string], kind: string, index: number) => `${folder}/${kind}${index}.ts`;
const value = (from: string) => `import { value } from '${from}';\n\nexport const again = value;\n`;

function importers(cases: [string, string][], kind: string): Record<string, string> {
  const entries = cases.flatMap((one, index) => {
    const path = importer(one, kind, index);
    const target = one[1].startsWith('.') ? [[join(dirname(path), one[1]), 'export const value = 1;\n']] : [];
    return [...target, [path, value(one[1])]];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

describe('boundaries that lint enforces', () => {
  const found = lint({ ...importers(breaches, 'breach'), ...importers(allowed, 'allowed') });

  test.each(
    breaches.map((one, index) => ({ folder: one[0], from: one[1], path: importer(one, 'breach', index) })),
  )('$folder must not import $from', ({ path }) =>
    expect(found).toContain(`${path} lint/style/noRestrictedImports`),
  );

  test.each(
    allowed.map((one, index) => ({ folder: one[0], from: one[1], path: importer(one, 'allowed', index) })),
  )('$folder may import $from', ({ path }) =>
    expect(found.filter(problem => problem.startsWith(path))).toEqual([]),
  );

  test('a type, a dynamic import, and a re-export are violations as well', () => {
    const files = {
      'api/dynamic.ts': "export const load = () => import('../workers/b.ts');\n",
      'api/passed-on.ts': "export { value } from '../workers/b.ts';\n",
      'api/type.ts': "import type { Value } from '../workers/b.ts';\n\nexport const again: Value = 1;\n",
    };
    const target = { 'workers/b.ts': 'export type Value = number;\nexport const value = 1;\n' };
    expect(lint({ ...target, ...files })).toEqual(
      Object.keys(files).map(path => `${path} lint/style/noRestrictedImports`),
    );
  });
});
