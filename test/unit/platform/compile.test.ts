import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { rootDir } from '../../../shared/platform/root.ts';
import { testFolder } from '../../support/folder.ts';

const PROGRAMS = [
  'cli/main.ts',
  'api/main.ts',
  'api/shapes/shape-thread.ts',
  'workers/main.ts',
  'workers/formats/reader-child.ts',
];
const COMPILE = 'shared/platform/compile.mjs';

let root: string;
beforeEach(() => {
  root = testFolder();
  for (const program of PROGRAMS) write(program, 'console.log(import.meta.url)');
  mkdirSync(join(root, 'shared/platform'), { recursive: true });
  cpSync(join(rootDir, COMPILE), join(root, COMPILE));
  mkdirSync(join(root, 'node_modules'));
  for (const name of ['esbuild', '@esbuild', 'fflate'])
    symlinkSync(join(rootDir, 'node_modules', name), join(root, 'node_modules', name), 'junction');
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** What the API prints, started as a command would. */
function run(): string {
  const script = `const { compiledProgram } = await import('./${COMPILE}');
    await import(await compiledProgram('api/main.ts'));`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    encoding: 'utf8',
  });
}

const builds = () => readdirSync(join(root, 'node_modules/.cache/plat'));

test('sources are compiled once for as long as they stay as they are, and know their own addresses', () => {
  expect(run()).toContain('api/main.ts');
  const [first] = builds();
  expect(run()).toContain('api/main.ts');
  expect(builds()).toEqual([first]);

  write('shared/changed.ts', "export const text: string = 'changed';");
  write('api/main.ts', "import { text } from '../shared/changed.ts';\nconsole.log(text);");
  expect(run()).toBe('changed\n');
  write('shared/changed.ts', "export const text: string = 'again';");
  expect(run()).toBe('again\n');
  expect(builds()).toHaveLength(3);
});

test('an installation that may not be written runs all the same, with its packages', () => {
  write('node_modules/.cache', 'no folder');
  write('api/main.ts', "import { strToU8 } from 'fflate';\nconsole.log(strToU8('A')[0]);");
  expect(run()).toBe('65\n');
  rmSync(join(root, 'node_modules/.cache'));
  expect(run()).toBe('65\n');
});
