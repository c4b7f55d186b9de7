import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { rootDir } from '../../../shared/platform/root.ts';
import { eventually } from '../../support/workers.ts';

const VITEST = join(rootDir, 'node_modules', 'vitest', 'vitest.mjs');

/** The PostgreSQL whose PATH has the mark: pg_ctl starts it, so no process is its parent. */
function findServer(mark: string) {
  for (const pid of readdirSync('/proc').filter(entry => /^\d+$/.test(entry))) {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mark)) continue;
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      if (args[0]!.endsWith('/postgres')) return { pid, folder: dirname(args[args.indexOf('-D') + 1]!) };
    } catch {
      // It has ended since.
    }
  }
  return undefined;
}

test.runIf(existsSync('/proc/self/environ')).each(['SIGINT', 'SIGTERM'] as const)(
  'a test run that %s ends leaves no PostgreSQL and no folder',
  async signal => {
    const mark = `/${randomUUID()}`;
    const options = ['run', '--project', 'shared', '--reporter', 'verbose'];
    const child = spawn(process.execPath, [VITEST, ...options, 'test/db/co', 'test/db/me'], {
      cwd: rootDir,
      env: { PATH: `${process.env.PATH}:${mark}`, HOME: process.env.HOME },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(child, 'exit');
    await new Promise<void>(resolve => {
      child.stdout.on('data', text => String(text).includes('\u2713') && resolve());
      child.on('exit', () => resolve());
    });
    const server = findServer(mark)!;
    expect(existsSync(server.folder)).toBe(true);
    child.kill(signal);
    expect(await ended).not.toEqual([0, null]);
    await eventually(async () => !existsSync(`/proc/${server.pid}`));
    expect(existsSync(server.folder)).toBe(false);
  },
);
