import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rootDir } from '../../shared/platform/root.ts';
import { createTestDatabase } from '../support/database.ts';
import { commandsOn } from '../support/plat.ts';

const db = await createTestDatabase();
const { plat } = commandsOn(db);

const COMMANDS = [
  'up',
  'migrate',
  'api',
  'worker',
  'runs',
  'runs show',
  'runs undo',
  'feed',
  'feed list',
  'feed check',
  'feed run',
  'feed remove',
  'recompute',
  'changes',
  'recompute stats',
  'recompute attributes',
  'recompute valuations',
  'backtest',
  'backtest valuations',
  'parcel',
  'parcel show',
  'export',
  'publish',
  'status',
  'account',
  'account create',
  'account list',
  'account set',
  'account show',
  'account history',
  'tier',
  'tier list',
  'tier set',
  'tier history',
  'usage',
  'key',
  'key create',
  'key list',
  'key revoke',
  'user',
  'user create',
  'user invite',
  'user link',
  'user list',
  'user remove',
  'deal',
  'deal add',
  'deal list',
  'deal move',
  'deal show',
];

describe('help', () => {
  test.each(COMMANDS)('plat %s --help', async command => {
    const { code, out } = await plat(...command.split(' '), '--help');
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^Usage: plat ${command.split(' ').join('( \\S+)* ')}`));
    expect(out.split('\n')[2]).toMatch(/\S/);
    if (
      /^(feed (check|run|remove)|runs|recompute (stats|attributes|valuations)|backtest valuations|status|account (create|set)|tier set|usage|key (create|revoke)|user remove|worker)$/.test(
        command,
      )
    )
      expect(out).toMatch(/Examples?\b.*:\n {2}plat /);
  });

  test('for a backtest states the first date of the sales', async () => {
    const { out } = await plat('backtest', 'valuations', '--help');
    expect(out.replace(/\s+/g, ' ')).toMatch(/\(YYYY-MM-DD\).*\(1900-01-01\)/);
  });

  test('the program lists every command, examples and exit codes', async () => {
    const { code, out } = await plat('--help');
    expect(code).toBe(0);
    for (const command of COMMANDS) expect(out).toContain(`  ${command.split(' ')[0]}`);
    expect(out).toMatch(/\b0 \S+, 1 \S+, 2 .*, 3 /);
  });

  test.each([
    ['person', 'person'],
    ['account frob', 'frob'],
    ['key user create', 'user'],
  ])('of a command that is not there is refused: plat %s --help', async (command, unknown) => {
    for (const flag of ['--help', '-h']) {
      const { code, out, err } = await plat(...command.split(' '), flag);
      expect([code, out, err]).toEqual([2, '', `error: unknown command '${unknown}'\n`]);
    }
  });

  test('plat help, and plat help for a command', async () => {
    expect(await plat('help')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Usage: plat [options]'),
    });
    expect((await plat('help', 'usage')).out).toContain('Usage: plat usage --account <account> [options]\n');
    expect(await plat('help', 'person')).toMatchObject({ code: 2, out: '' });
  });

  test('the version', async () => {
    expect(await plat('--version')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  test('an unknown command exits with code 2 in a separate process', () => {
    const program = join(rootDir, 'bin', 'plat.mjs');
    const wrong = spawnSync(process.execPath, [program, 'fed', 'run'], { encoding: 'utf8', cwd: tmpdir() });
    expect(wrong).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining("unknown command 'fed'"),
    });
  });
});
