import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
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
const COPIED = ['tools/build.mjs', 'tsconfig.json', 'package-lock.json', 'shared/platform/root.ts'];
const PACKAGES = ['esbuild', '@esbuild', 'fflate', 'maplibre-gl', '@fontsource-variable'];

let root: string;
beforeEach(() => {
  root = testFolder();
  for (const program of PROGRAMS) write(program, 'console.log(import.meta.url)');
  write('api/pages/map/map.css', "@import './bar.css'; @font-face { src: url('inter.woff2') }");
  write('api/pages/map/bar.css', '.bar { color: red }');
  write('api/pages/map/client/map-client.ts', "import { Map } from 'maplibre-gl';\nnew Map(MAP_WORKER);");
  write('package.json', '{"version": "1.2.3"}');
  mkdirSync(join(root, 'sql'));
  for (const path of COPIED) write(path, readFileSync(join(rootDir, path), 'utf8'));
  mkdirSync(join(root, 'node_modules'));
  for (const name of PACKAGES)
    symlinkSync(join(rootDir, 'node_modules', name), join(root, 'node_modules', name), 'junction');
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const SCRIPT = `import { build } from './tools/build.mjs';
  await import(await build() + '/api/main.mjs');`;
const ARGS = ['--input-type=module', '-e', SCRIPT];

/** What the API prints, started as a command would. */
const run = () => execFileSync(process.execPath, ARGS, { cwd: root, encoding: 'utf8' });

const builds = () => readdirSync(join(root, 'dist'));

test('a build is used as long as the sources stay the same, and programs have their own URLs', () => {
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

test('page files have content-based URLs, which style sheets and scripts use', () => {
  run();
  const build = join(root, 'dist', builds()[0]!);
  const assets = JSON.parse(readFileSync(join(build, 'assets.json'), 'utf8'));
  const textOf = (name: string) => readFileSync(join(build, assets[name].path), 'utf8');
  expect(textOf('map.css')).toContain(assets['inter.woff2'].path);
  expect(textOf('map.css')).toContain('.bar');
  expect(assets).not.toHaveProperty(['bar.css']);
  expect(textOf('map.mjs')).toContain(assets['maplibre-gl.mjs'].path);
  expect(textOf('map.mjs')).toContain(assets['maplibre-gl-worker.mjs'].path);
  expect(assets['map.mjs'].path).toMatch(/^\/assets\/map-[0-9a-f]{12}\.mjs$/);
});

test('two processes that find a stale build at once both run, and leave one build', async () => {
  const started = await Promise.all(
    [1, 2].map(() => promisify(execFile)(process.execPath, ARGS, { cwd: root })),
  );
  for (const { stdout } of started) expect(stdout).toContain('api/main.ts');
  expect(builds()).toHaveLength(1);
});

test('a process loads the rest of its build even after a newer one', async () => {
  write(
    'api/main.ts',
    `process.stdout.write('ready\\n');
    process.stdin.once('data', async () => {
      const { late } = await import('../shared/late.ts');
      process.stdout.write(late, () => process.exit());
    });`,
  );
  write('shared/late.ts', "export const late: string = 'of the first build';");
  const first: ChildProcess = spawn(process.execPath, ARGS, {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(first.stdout!, 'data');
  write('shared/late.ts', "export const late: string = 'of the second';");
  execFileSync(process.execPath, ['tools/build.mjs'], { cwd: root });
  expect(builds()).toHaveLength(2);
  first.stdin!.write('go\n');
  const [said] = await once(first.stdout!, 'data');
  expect(String(said)).toBe('of the first build');
});

test('a new build deletes those that nobody has started for a week', () => {
  run();
  const [old] = builds();
  utimesSync(join(root, 'dist', old!), 0, 0);
  write('shared/changed.ts', '');
  run();
  expect(builds()).toHaveLength(1);
  expect(existsSync(join(root, 'dist', old!))).toBe(false);
});

test('a read-only checkout runs anyway, with its packages and files', () => {
  write('dist', 'no folder');
  write(
    'api/main.ts',
    `import { strToU8 } from 'fflate';
     import { existsSync } from 'node:fs';
     import { buildPath, version } from '../shared/platform/root.ts';
     console.log(strToU8('A')[0], version, existsSync(buildPath('assets.json')));`,
  );
  expect(run()).toBe('65 1.2.3 true\n');
  rmSync(join(root, 'dist'));
  expect(run()).toBe('65 1.2.3 true\n');
});

test('an image runs the build that it contains', () => {
  write('cli/main.ts', 'export const main = async () => { console.log(import.meta.url); return 3; };');
  write('bin/plat.mjs', readFileSync(join(rootDir, 'bin/plat.mjs'), 'utf8'));
  execFileSync(process.execPath, ['tools/build.mjs'], { cwd: root });
  rmSync(join(root, 'tools'), { recursive: true });
  const { status, stdout } = spawnSync(process.execPath, ['bin/plat.mjs'], { cwd: root, encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 3, stdout: expect.stringContaining('cli/main.ts') });
});
