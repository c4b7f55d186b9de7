import { spawnSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rootDir } from '../../shared/platform/root.ts';
import { testFolder } from '../support/folder.ts';

const folder = testFolder();
/** Runs a program of the packages here, and tells what it complained of. */
function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(rootDir, program), ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return status === 0 ? '' : `${program} ended with ${status}: ${stdout}${stderr}`;
}

test('a client generated from openapi.json compiles calls under strict, and rejects wrong ones', () => {
  symlinkSync(join(rootDir, 'node_modules'), join(folder, 'node_modules'));
  cpSync(join(rootDir, 'client', 'test', 'calls.ts'), join(folder, 'calls.ts'));
  const generator = 'client/node_modules/openapi-typescript/bin/cli.js';
  expect(run(generator, join(rootDir, 'openapi.json'), '-o', 'openapi.d.ts')).toBe('');
  const strict = '--strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --noEmit';
  const options = `${strict} --module nodenext --target es2022 --lib es2022,dom,dom.iterable --types node`;
  expect(run('node_modules/typescript/bin/tsc', ...options.split(' '), 'calls.ts')).toBe('');
});
