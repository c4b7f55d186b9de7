import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { rootDir } from '../../shared/platform/root.ts';
import { testFolder } from '../support/folder.ts';

const folder = testFolder();
const installed = join(folder, 'node_modules', 'plat-client');

/** Runs a program in the folder of the consumer. @returns its output */
function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}

/** The name of the file that `npm pack` writes. */
const pack = (path: string): string =>
  JSON.parse(run('npm', 'pack', '--json', join(rootDir, path)))[0].filename;

beforeAll(() => {
  const packed = ['client', 'node_modules/openapi-fetch', 'node_modules/openapi-typescript-helpers'].map(
    pack,
  );
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  run('npm', 'install', '--offline', ...packed.map(name => `./${name}`));
});

test.each(['client/node_modules/typescript', 'node_modules/typescript'])(
  'calls compile under strict with %s, and wrong ones do not',
  compiler => {
    cpSync(join(rootDir, 'client', 'test', 'calls.ts'), join(folder, 'calls.ts'));
    const strict = '--strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --noEmit';
    const options = `${strict} --module nodenext --target es2022 --lib es2022,dom,dom.iterable`;
    run(process.execPath, join(rootDir, compiler, 'bin', 'tsc'), ...options.split(' '), 'calls.ts');
  },
);

test('the package runs in Node, and needs nothing of Node', async () => {
  const names = run(
    process.execPath,
    '--input-type=module',
    '-e',
    'console.log(Object.keys(await import("plat-client")).join())',
  );
  expect(names.trim().split(',')).toEqual(expect.arrayContaining(['Budget', 'connect', 'verifyWebhook']));
  const { outputFiles } = await build({
    stdin: { contents: "export * from 'plat-client'", resolveDir: folder },
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    minify: true,
  });
  expect(outputFiles[0]!.contents.length).toBeLessThan(30_000);
});

test('the installed command runs', () => {
  expect(run('npx', 'plat-client', '--help')).toContain('plat-client COMMAND');
});

test('the published types have no any', () => {
  const { types } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).exports['.'];
  for (const name of ['index', 'connect', 'openapi', 'budget', 'exports', 'results', 'rows', 'webhooks']) {
    const text = readFileSync(join(installed, types, '..', `${name}.d.ts`), 'utf8');
    expect(text.replaceAll(/\/\*.*?\*\//gs, '')).not.toMatch(/\bany\b/);
  }
});
