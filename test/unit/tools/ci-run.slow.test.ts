import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rootDir } from '../../../shared/platform/root.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'plat-ci-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Stands for vitest: writes the report where it is told to, and takes standard input to be closed. */
const TESTS = `
import { readFileSync, writeFileSync } from 'node:fs';
const [passed, failed] = [Number(process.env.PASSED), Number(process.env.FAILED)];
if (readFileSync(0).length > 0) throw new Error('standard input is not empty');
// Part of the tests runs again on another server, and only that part: its fast files, then some slow ones.
const isAnotherRun = process.argv.some(argument => argument === 'test/db' || argument === 'migrate.slow.test.ts');
if (isAnotherRun !== (process.env.TEST_DATABASE_URL === process.env.TEST_POSTGRES_15_URL)) throw new Error('the wrong server');
const file = process.argv.find(argument => argument.startsWith('--outputFile.json=')).split('=')[1];
const assertionResults = [...Array(passed).fill('passed'), ...Array(failed).fill('failed')].map(status => ({ status }));
const broke = Number(process.env.BROKE);
const testResults = [{ status: failed ? 'failed' : 'passed', assertionResults }, ...Array(broke).fill({ status: 'failed', assertionResults: [] })];
if (passed + failed > 0) writeFileSync(file, JSON.stringify({ success: !failed && !broke, numPassedTests: passed, numFailedTests: failed, testResults }));
process.exitCode = failed || broke ? 1 : 0;
`;

/** Runs .ci/run in a folder whose `check` and `test` end as they are told to. */
function ci(check: 'true' | 'false', passed: number, failed: number, broke = 0) {
  for (const path of ['.ci/run', 'tools/test-summary.mjs']) cpSync(join(rootDir, path), join(root, path));
  mkdirSync(join(root, 'tools'), { recursive: true });
  writeFileSync(join(root, 'tools', 'install.mjs'), '');
  writeFileSync(join(root, 'tests.mjs'), TESTS);
  // Else it is downloaded.
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'bin', 'promtool'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(root, 'package.json'), JSON.stringify({ scripts: { check, test: 'node tests.mjs' } }));
  const { stdout, status } = spawnSync(join(root, '.ci', 'run'), {
    encoding: 'utf8',
    cwd: tmpdir(),
    input: 'not for the tests',
    env: {
      ...process.env,
      PATH: `${join(root, 'bin')}:${process.env.PATH}`,
      TEST_REDIS_URL: 'redis://127.0.0.1:1',
      TEST_POSTGRES_15_URL: 'postgres://127.0.0.1:1/postgres',
      PASSED: `${passed}`,
      FAILED: `${failed}`,
      BROKE: `${broke}`,
    },
  });
  return { last: stdout.trimEnd().split('\n').at(-1), status };
}

describe.skipIf(process.platform === 'win32')('.ci/run', () => {
  test('ends with the counts of all runs', () =>
    expect(ci('true', 3, 0)).toEqual({ last: '9 passed, 0 failed', status: 0 }));
  test('fails with a test, and a file that broke before its tests counts as one', () =>
    expect(ci('true', 3, 2, 1)).toEqual({ last: '9 passed, 9 failed', status: 1 }));
  test('fails with the check, and still runs the tests', () =>
    expect(ci('false', 3, 0)).toEqual({ last: '9 passed, 0 failed', status: 1 }));
  test('fails if the tests leave no report', () => expect(ci('true', 0, 0)).toMatchObject({ status: 1 }));
});
