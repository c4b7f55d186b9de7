import { type Command, Option } from 'commander';
import { createKey, listKeys, revokeKey, rotateKey } from '../../shared/accounts.ts';
import { SCOPES, type Scope } from '../../shared/domain/tiers.ts';
import { endOfDayAhead, wholeNumber } from './common/options.ts';
import { answer, printNote, table } from './common/output.ts';
import { withSession } from './common/session.ts';

type KeyFlags = { name: string; scope: Scope[]; expires?: Date; json?: boolean };

const COLUMNS = [
  'id',
  'account',
  'name',
  'prefix',
  'scopes',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const;

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('API keys');

  key
    .command('create')
    .argument('<account>', 'its name or id')
    .option('--name <name>', 'what the key is for', 'default')
    .addOption(
      new Option('--scope <scope...>', 'what it may be used for').choices(SCOPES).default(['api:direct']),
    )
    .option('--expires <date>', 'last day of validity in UTC (YYYY-MM-DD)', endOfDayAhead)
    .option('--json', 'print JSON')
    .description('a new key; it is shown this once and stored only as a hash')
    .addHelpText('after', '\nExample:\n  plat key create acme --name website --expires 2027-12-31')
    .action((account: string, flags: KeyFlags) =>
      withSession(async ({ pool }) => {
        const created = await createKey(pool, account, {
          name: flags.name,
          scopes: flags.scope,
          ...(flags.expires ? { expiresAt: flags.expires } : {}),
        });
        answer(flags.json, created, created.key);
      }),
    );

  key
    .command('list')
    .option('--account <account>', 'of one account')
    .option('--json', 'print JSON')
    .description('the keys, without their secrets')
    .action(({ account, json }: { account?: string; json?: boolean }) =>
      withSession(async ({ pool }) => {
        const keys = await listKeys(pool, account);
        answer(json, keys, table(keys, [...COLUMNS]));
      }),
    );

  key
    .command('rotate')
    .argument('<key>', 'its id, its prefix or the key itself')
    .option('--overlap <hours>', 'how long the old one goes on working; 0 revokes it', wholeNumber, 24)
    .option('--json', 'print JSON')
    .description('a new key in the place of one, with its name, scopes and expiry; it is shown this once')
    .addHelpText('after', '\nExample:\n  plat key rotate plat_HR3tpD --overlap 72')
    .action((old: string, { overlap, json }: { overlap: number; json?: boolean }) =>
      withSession(async ({ pool }) => {
        const rotated = await rotateKey(pool, old, overlap);
        answer(json, rotated, rotated.key);
        if (!json && overlap > 0) printNote(`the old key works until ${rotated.old_until.toISOString()}.`);
      }),
    );

  key
    .command('revoke')
    .argument('<key>', 'its id, its prefix or the key itself')
    .option('--json', 'print JSON')
    .description('ends a key for good, in every process within 5 seconds')
    .addHelpText('after', '\nExample:\n  plat key revoke plat_HR3tpD')
    .action((text: string, { json }: { json?: boolean }) =>
      withSession(async ({ pool }) => {
        const revoked = await revokeKey(pool, text);
        answer(json, revoked, `Key ${revoked.name} (${revoked.id}) is revoked.`);
      }),
    );
}
