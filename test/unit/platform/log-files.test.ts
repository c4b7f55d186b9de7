import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSupervisor } from '../../../cli/up/supervisor.ts';
import { rotateLog } from '../../../shared/platform/log-files.ts';
import { testFolder } from '../../support/folder.ts';
import { eventually } from '../../support/workers.ts';

const folder = testFolder();
const limits = { maxBytes: 1000, kept: 2 };

/** The logs of a name and what is in them, the newest first. */
function logs(name: string): string[] {
  const files = readdirSync(folder).filter(file => file.startsWith(name));
  return files.sort().map(file => readFileSync(join(folder, file), 'utf8'));
}

test('a full log is set aside at startup, and only so many are kept', () => {
  const path = join(folder, 'start.log');
  rotateLog(path, limits);
  for (const letter of ['a', 'b', 'c', 'd']) {
    writeFileSync(path, letter.repeat(1000));
    rotateLog(path, limits);
    writeFileSync(path, 'short');
    rotateLog(path, limits);
  }
  expect(logs('start').map(text => text.slice(0, 5))).toEqual(['short', 'ddddd', 'ccccc']);
});

test('one that is being written is emptied, and its writer continues at the beginning', async () => {
  const path = join(folder, 'open.log');
  const file = openSync(path, 'a');
  const child = spawn(
    process.execPath,
    ['-e', `process.stdin.on('data', text => process.stdout.write(text))`],
    {
      stdio: ['pipe', file, 'ignore'],
    },
  );
  closeSync(file);
  const write = async (text: string) => {
    const before = statSync(path).size;
    child.stdin!.write(text);
    await eventually(async () => statSync(path).size === before + text.length);
  };
  await write('1'.repeat(999));
  rotateLog(path, limits);
  await write('2');
  rotateLog(path, limits);
  await write('3');
  expect(logs('open')).toEqual(['3', `${'1'.repeat(999)}2`]);
  child.kill();
  await once(child, 'exit');
});

test('services: at startup, and while they run', async () => {
  const path = join(folder, 'service.log');
  writeFileSync(path, 'x'.repeat(1000));
  // It ends with an error, says so in its log, and is started again.
  const supervisor = createSupervisor(() => {}, { maxBytes: 100, kept: 2, checkMs: 20 });
  await supervisor.start({ label: 'w', program: 'worker', env: { DATABASE_URL: 'none' }, logFile: path });
  expect(logs('service')).toEqual(['', 'x'.repeat(1000)]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await eventually(async () => logs('service').length === 3);
  expect(logs('service')[2]).toBe('x'.repeat(1000));
  expect(logs('service')[1]).toContain('DATABASE_URL');
  await supervisor.stop(100);
});
