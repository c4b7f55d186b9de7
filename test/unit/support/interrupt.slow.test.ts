import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { rootDir } from '../../../shared/base/root.ts';
import { eventually } from '../../support/workers.ts';

type Server = { pid: number; folder: string };

/** The PostgreSQL that a process has started, by its parent and its data folder. */
function serverOf(parent: number): Server | undefined {
  for (const name of readdirSync('/proc').filter(entry => /^\d+$/.test(entry))) {
    try {
      const [, ppid] = /^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))!;
      if (Number(ppid) !== parent) continue;
      const args = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      const at = args.indexOf('-D');
      if (/\bpostgres$/.test(args[0]!) && at > 0)
        return { pid: Number(name), folder: dirname(args[at + 1]!) };
    } catch {
      // It has ended since.
    }
  }
  return undefined;
}

const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}`);

test.runIf(existsSync('/proc/self/stat')).each(['SIGINT', 'SIGTERM'] as const)(
  'a run of tests that %s ends leaves no PostgreSQL and no folder',
  async signal => {
    const clean = Object.entries(process.env).filter(
      ([name]) => !/^(VITEST|TEST_|NODE_OPTIONS|PROPERTY_SHARE)/.test(name),
    );
    const vitest = join(rootDir, 'node_modules', 'vitest', 'vitest.mjs');
    const child = spawn(
      process.execPath,
      [vitest, 'run', '--project', 'shared', 'test/db/connection.test.ts'],
      {
        cwd: rootDir,
        env: Object.fromEntries(clean),
        stdio: 'ignore',
      },
    );
    const ended = once(child, 'exit');
    const server = await eventually(async () => serverOf(child.pid!));
    expect(existsSync(server.folder)).toBe(true);
    child.kill(signal);
    await ended;
    await eventually(async () => !isRunning(server.pid));
    expect(existsSync(server.folder)).toBe(false);
  },
);
