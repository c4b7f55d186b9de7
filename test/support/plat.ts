import { beforeAll, expect, vi } from 'vitest';
import { main } from '../../cli/main.ts';
import type { TestDatabase } from './database.ts';

export type CommandResult = { code: number; out: string; err: string };

/**
 * One command line, run in this process as bin/plat.mjs would: starting a process takes as long as dozens of
 * commands. One at a time.
 * @param env its settings, with nothing of the environment of the test's runner.
 */
export async function runCommand(
  env: Record<string, string | undefined>,
  argv: string[],
): Promise<CommandResult> {
  const text = { out: '', err: '' };
  const catching = (name: 'out' | 'err') => (chunk: string | Uint8Array) => {
    text[name] += chunk;
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(catching('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(catching('err')),
  ];
  const before = process.env;
  process.env = { PATH: before.PATH, PLAT_BUILD: before.PLAT_BUILD, ...env };
  process.exitCode = undefined;
  try {
    return { code: await main(argv), ...text };
  } finally {
    process.exitCode = undefined;
    process.env = before;
    for (const spy of spies) spy.mockRestore();
  }
}

/** The command line on a test's database. */
export function commandsOn(db: TestDatabase) {
  // A command line listens to them once; here are many in one process.
  beforeAll(() => {
    for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);
  });

  const plat = (...argv: string[]) =>
    runCommand({ SUDO_USER: process.env.SUDO_USER, DATABASE_URL: db.url }, argv);

  return {
    plat,
    /** What a command prints with --json, saying nothing else. */
    async json(...argv: string[]) {
      const { code, out, err } = await plat(...argv, '--json');
      expect([code, err]).toEqual([0, '']);
      return JSON.parse(out);
    },
    /** Called wrongly: exit code 2 with this message, and no stack. */
    async refused(argv: string[], reason: string | RegExp) {
      const { code, err } = await plat(...argv);
      expect([argv, code, err]).toEqual([argv, 2, expect.stringMatching(reason)]);
      expect(err).not.toMatch(/\n +at /);
    },
  };
}
