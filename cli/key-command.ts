import { type Command, Option } from 'commander';
import { createKey, listKeys, revokeKey, rotateKey } from '../shared/accounts/accounts.ts';
import { SCOPES, type Scope } from '../shared/accounts/tiers.ts';
import { endOfFutureDay, wholeNumber } from './common/cli-options.ts';
import { printNote, table } from './common/cli-output.ts';
import { action } from './common/cli-session.ts';

type KeyFlags = { name: string; scope: Scope[]; expires?: Date };

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('API keys');
  addCreate(key);
  addList(key);
  addRotate(key);
  addRevoke(key);
  addRotateImages(key);
}

function addCreate(key: Command): void {
  const create = key
    .command('create')
    .argument('<account>', 'its name or id')
    .option('--name <name>', 'what the key is for', 'default')
    .addOption(
      new Option('--scope <scope...>', 'what it may be used for').choices(SCOPES).default(['api:direct']),
    )
    .option('--expires <date>', 'last day of validity in UTC (YYYY-MM-DD)', endOfFutureDay)
    .description('a new key; it is shown this once and stored only as a hash')
    .addHelpText('after', '\nExample:\n  plat key create acme --name website --expires 2027-12-31');
  action(create, async ({ db }, account: string, { name, scope, expires }: KeyFlags) => {
    const terms = { name, scopes: scope, ...(expires ? { expiresAt: expires } : {}) };
    const created = await createKey(db, account, terms);
    return [created, created.key];
  });
}

function addList(key: Command): void {
  const list = key
    .command('list')
    .option('--account <account>', 'of one account')
    .description('the keys, without their secrets');
  action(list, async ({ db }, { account }: { account?: string }) => {
    const keys = await listKeys(db, account);
    const columns = 'id account name prefix scopes expires_at revoked_at last_used_at'.split(' ');
    return [keys, table(keys, columns)];
  });
}

function addRotate(key: Command): void {
  const rotate = key
    .command('rotate')
    .argument('<key>', 'its id, its prefix or the key itself')
    .option('--overlap <hours>', 'how long the old one goes on working; 0 revokes it', wholeNumber, 24)
    .description('a new key in the place of one, with its name, scopes and expiry; it is shown this once')
    .addHelpText('after', '\nExample:\n  plat key rotate plat_HR3tpD --overlap 72');
  action(rotate, async ({ db }, old: string, flags: { overlap: number; json?: boolean }) => {
    const rotated = await rotateKey(db, old, flags.overlap);
    if (!flags.json && flags.overlap > 0)
      printNote(`the old key works until ${rotated.old_until.toISOString()}.`);
    return [rotated, rotated.key];
  });
}

function addRevoke(key: Command): void {
  const revoke = key
    .command('revoke')
    .argument('<key>', 'its id, its prefix or the key itself')
    .description('ends a key for good, in every process within 5 seconds')
    .addHelpText('after', '\nExample:\n  plat key revoke plat_HR3tpD');
  action(revoke, async ({ db }, text: string) => {
    const revoked = await revokeKey(db, text);
    return [revoked, `Key ${revoked.name} (${revoked.id}) is revoked.`];
  });
}

function addRotateImages(key: Command): void {
  const rotateImages = key
    .command('rotate-images')
    .description('a new secret signs the addresses of pictures; those of the one before it go on working')
    .addHelpText('after', '\nTwice ends all addresses that were given out before.');
  action(rotateImages, async ({ db }) => {
    await db.run('platform/rotate_signing_secret');
    return [{ rotated: true }, 'A new secret signs from now on; the API takes it up within a minute.'];
  });
}
