import { beforeAll, expect, vi } from 'vitest';
import { main } from '../../workers/cli/main.ts';
import type { TestDatabase } from './database.ts';

export type CommandResult = { code: number; out: string; err: string };

/** The command line on a test's database, run in this process as bin/plat.mjs would. */
export function commandsOn(db: TestDatabase) {
  // A command line listens to them once; here are many in one process.
  beforeAll(() => {
    for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);
  });

  async function plat(...argv: string[]): Promise<CommandResult> {
    const text = { out: '', err: '' };
    const catching = (name: 'out' | 'err') => (chunk: string | Uint8Array) => {
      text[name] += chunk;
      return true;
    };
    const spies = [
      vi.spyOn(process.stdout, 'write').mockImplementation(catching('out')),
      vi.spyOn(process.stderr, 'write').mockImplementation(catching('err')),
    ];
    // Nothing of the environment of the test's runner.
    const before = process.env;
    process.env = { PATH: before.PATH, SUDO_USER: before.SUDO_USER, DATABASE_URL: db.url };
    try {
      return { code: await main(argv), ...text };
    } finally {
      process.exitCode = undefined;
      process.env = before;
      for (const spy of spies) spy.mockRestore();
    }
  }

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
