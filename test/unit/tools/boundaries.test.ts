import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { rootDir } from '../../../shared/root.ts';

const folder = mkdtempSync(join(tmpdir(), 'plat-boundaries-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const biome = join(rootDir, 'node_modules', '.bin', process.platform === 'win32' ? 'biome.cmd' : 'biome');
let count = 0;

/** Lints a small tree of files under this repository's biome.json; the rules that object, with their files. */
function lint(files: Record<string, string>): string[] {
  const root = join(folder, String(++count));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  copyFileSync(join(rootDir, 'biome.json'), join(root, 'biome.json'));
  const run = spawnSync(
    biome,
    ['lint', '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none', '.'],
    {
      cwd: root,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    },
  );
  const report = JSON.parse(run.stdout) as {
    diagnostics: { category: string; severity: string; location: { path: string } }[];
  };
  const errors = report.diagnostics.filter(({ severity }) => severity === 'error');
  expect(run.status).toBe(errors.length > 0 ? 1 : 0);
  return [...new Set(errors.map(({ category, location }) => `${location.path} ${category}`))].sort();
}

/** A file that imports `from`, and the file that it names, so that nothing else is wrong with it. */
function importing(path: string, from: string): Record<string, string> {
  const target = from.startsWith('.') ? { [join(dirname(path), from)]: 'export const value = 1;\n' } : {};
  return { ...target, [path]: `import { value } from '${from}';\n\nexport const again = value;\n` };
}

describe('boundaries that lint keeps', () => {
  test.each([
    ['api/v1/a.ts', '../../workers/ingest/b.ts'],
    ['api/a.ts', '../workers/b.ts'],
    ['workers/market/a.ts', '../../api/http/b.ts'],
    ['workers/a.ts', '../api/b.ts'],
    ['shared/a.ts', '../workers/b.ts'],
    ['shared/a.ts', '../api/b.ts'],
    ['shared/domain/a.ts', '../../workers/b.ts'],
    ['shared/domain/a.ts', '../../api/v1/b.ts'],
    ['shared/kernels/stats/a.ts', '../../domain/b.ts'],
    ['shared/kernels/stats/a.ts', '../../errors.ts'],
    ['shared/kernels/stats/a.ts', '../../../workers/b.ts'],
    ['shared/kernels/stats/a.ts', '../../../api/b.ts'],
    ['shared/kernels/a.ts', '../errors.ts'],
    ['shared/kernels/a.ts', '../domain/b.ts'],
    ['shared/kernels/geometry/clip/a.ts', '../../../errors.ts'],
    ['shared/kernels/stats/a.ts', 'node:fs'],
    ['shared/kernels/stats/a.ts', 'fs'],
    ['shared/kernels/stats/a.ts', 'node:fs/promises'],
    ['shared/kernels/stats/a.ts', 'node:net'],
    ['shared/kernels/stats/a.ts', 'pg'],
    ['shared/kernels/stats/a.ts', 'bullmq'],
    ['shared/kernels/stats/a.ts', 'ioredis'],
  ])('%s must not import %s', (path, from) => {
    expect(lint(importing(path, from))).toContain(`${path} lint/style/noRestrictedImports`);
  });

  test.each([
    ['api/v1/a.ts', '../../shared/domain/b.ts'],
    ['api/v1/a.ts', '../http/b.ts'],
    ['workers/market/a.ts', '../../shared/kernels/stats/b.ts'],
    ['workers/market/a.ts', '../ingest/b.ts'],
    ['shared/domain/a.ts', '../kernels/stats/b.ts'],
    ['shared/kernels/stats/a.ts', './b.ts'],
    ['shared/kernels/stats/a.ts', '../geometry/b.ts'],
    ['shared/kernels/geometry/clip/a.ts', '../../stats/b.ts'],
    ['shared/kernels/geometry/a.ts', 'robust-predicates'],
    ['test/unit/a.test.ts', '../../workers/b.ts'],
  ])('%s may import %s', (path, from) => {
    expect(lint(importing(path, from))).toEqual([]);
  });

  test('a type or a dynamic import is a breach as well', () => {
    const value = { 'workers/b.ts': 'export type Value = number;\nexport const value = 1;\n' };
    const type = "import type { Value } from '../workers/b.ts';\n\nexport const again: Value = 1;\n";
    expect(lint({ ...value, 'api/a.ts': type })).toEqual(['api/a.ts lint/style/noRestrictedImports']);
    const dynamic = "export const load = () => import('../workers/b.ts');\n";
    expect(lint({ ...value, 'api/a.ts': dynamic })).toEqual(['api/a.ts lint/style/noRestrictedImports']);
    const passedOn = "export { value } from '../workers/b.ts';\n";
    expect(lint({ ...value, 'api/a.ts': passedOn })).toEqual(['api/a.ts lint/style/noRestrictedImports']);
  });

  test('modules must not import each other in a circle', () => {
    const cycle = {
      'shared/a.ts': "import { b } from './b.ts';\n\nexport const a = (): number => b();\n",
      'shared/b.ts': "import { c } from './domain/c.ts';\n\nexport const b = (): number => c();\n",
      'shared/domain/c.ts': "import { a } from '../a.ts';\n\nexport const c = (): number => a();\n",
    };
    expect(lint(cycle)).toEqual(Object.keys(cycle).map(path => `${path} lint/suspicious/noImportCycles`));
  });
});
