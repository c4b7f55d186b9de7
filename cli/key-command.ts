import { type Command, Option } from 'commander';
import { createKey, listKeys, revokeKey, rotateKey } from '../shared/accounts/accounts.ts';
import { MAP_SCOPE, SCOPES, type Scope } from '../shared/accounts/tiers.ts';
import { endOfFutureDay, wholeNumber } from './common/cli-options.ts';
import { printNote, table } from './common/cli-output.ts';
import { action } from './common/cli-session.ts';

type KeyFlags = { name: string; scope: Scope[]; origin?: string[]; expires?: Date };

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('manage API keys');
  addCreate(key);
  addList(key);
  addRotate(key);
  addRevoke(key);
  addRotateImages(key);
}

function addCreate(key: Command): void {
  const create = key
    .command('create')
    .argument('<account>', 'name or id of the account')
    .option('--name <name>', 'what the key is for', 'default')
    .addOption(
      new Option('--scope <scope...>', 'what the key can be used for')
        .choices([...SCOPES, MAP_SCOPE])
        .default(['api:direct']),
    )
    .option(
      '--origin <url...>',
      `websites that can use a key with the scope ${MAP_SCOPE}; without any, only desktop programs can`,
    )
    .option('--expires <date>', 'last day on which the key works, in UTC (YYYY-MM-DD)', endOfFutureDay)
    .description('create a key; it is shown once and stored only as a hash')
    .addHelpText('after', '\nExample:\n  plat key create acme --name website --expires 2027-12-31');
  action(create, async ({ db }, account: string, { name, scope, origin, expires }: KeyFlags) => {
    const terms = {
      name,
      scopes: scope,
      ...(origin && { origins: origin }),
      ...(expires && { expiresAt: expires }),
    };
    const created = await createKey(db, account, terms);
    return [created, created.key];
  });
}

function addList(key: Command): void {
  const list = key
    .command('list')
    .option('--account <account>', 'keys of one account')
    .description('list keys, without their secrets');
  action(list, async ({ db }, { account }: { account?: string }) => {
    const keys = await listKeys(db, account);
    const columns = 'id account name prefix scopes origins expires_at revoked_at last_used_at'.split(' ');
    return [keys, table(keys, columns)];
  });
}

function addRotate(key: Command): void {
  const rotate = key
    .command('rotate')
    .argument('<key>', 'id or prefix of the key, or the key itself')
    .option('--overlap <hours>', 'how long the old key keeps working; 0 revokes it now', wholeNumber, 24)
    .description(
      'replace a key with a new one that has the same name, scopes, and expiration date; it is shown once',
    )
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
    .argument('<key>', 'id or prefix of the key, or the key itself')
    .description('revoke a key for good; takes effect everywhere within 5 seconds')
    .addHelpText('after', '\nExample:\n  plat key revoke plat_HR3tpD');
  action(revoke, async ({ db }, text: string) => {
    const revoked = await revokeKey(db, text);
    return [revoked, `Revoked key ${revoked.name} (${revoked.id}).`];
  });
}

function addRotateImages(key: Command): void {
  const rotateImages = key
    .command('rotate-images')
    .description(
      'replace the secret that signs image URLs; URLs signed with the previous secret keep working',
    )
    .addHelpText('after', '\nRun it twice to invalidate all earlier URLs.');
  action(rotateImages, async ({ db }) => {
    await db.run('platform/rotate_signing_secret');
    return [{ rotated: true }, 'Created a new secret. The API starts using it within a minute.'];
  });
}
