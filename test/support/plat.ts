import { beforeAll, expect, vi } from 'vitest';
import { main } from '../../cli/main.ts';
import type { TestDatabase } from './database.ts';

export type CommandResult = { code: number; out: string; err: string };

/**
 * Runs one command line in this process as bin/plat.mjs would, because starting a process takes as long as
 * dozens of commands. Run only one at a time.
 * @param env its settings. It reads nothing from the test runner's environment
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

/** Runs the command line on a test database. */
export function commandsOn(db: TestDatabase) {
  // Each command line adds listeners once, and this process runs many.
  beforeAll(() => {
    for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);
  });

  const plat = (...argv: string[]) =>
    runCommand({ SUDO_USER: process.env.SUDO_USER, DATABASE_URL: db.url }, argv);

  return {
    plat,
    /** Returns a command's output with --json, and expects no other output. */
    async json(...argv: string[]) {
      const { code, out, err } = await plat(...argv, '--json');
      expect([code, err]).toEqual([0, '']);
      return JSON.parse(out);
    },
    /** Expects a usage error: exit code 2, with this message and no stack trace. */
    async refused(argv: string[], reason: string | RegExp) {
      const { code, err } = await plat(...argv);
      expect([argv, code, err]).toEqual([argv, 2, expect.stringMatching(reason)]);
      expect(err).not.toMatch(/\n +at /);
    },
  };
}
