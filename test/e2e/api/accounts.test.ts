import { expect, test } from 'vitest';
import { createAccount, createKey, listAccounts, listKeys, revokeKey } from '../../../shared/accounts.ts';
import { createTestDatabase } from '../../support/database.ts';

const db = await createTestDatabase();

test('an account begins with the allotment of its tier and the default limits', async () => {
  const account = await createAccount(db.pool, { name: 'acme', tier: 'growth' });
  expect(account).toMatchObject({
    name: 'acme',
    tokens_included: 50_000,
    rate_per_minute: 60,
    rate_burst: 120,
    tokens_used: 0,
  });
  expect(await listAccounts(db.pool)).toEqual([account]);
});

test('names are unique', async () => {
  await expect(createAccount(db.pool, { name: 'acme', tier: 'free' })).rejects.toMatchObject({
    code: 'account_exists',
  });
});

test('a key is made for an account by name or id, and is shown once', async () => {
  const [account] = await listAccounts(db.pool);
  const byName = await createKey(db.pool, 'acme', { name: 'laptop' });
  const byId = await createKey(db.pool, account!.id, {
    name: 'server',
    scopes: ['api:direct', 'api:mcp'],
    expiresAt: new Date('2100-01-01'),
  });
  expect(byName.key).toMatch(/^plat_[A-Za-z0-9_-]{43}$/);
  const keys = await listKeys(db.pool, 'acme');
  expect(keys.map(key => [key.name, key.prefix, key.scopes, key.expires_at])).toEqual([
    ['laptop', byName.prefix, ['api:direct'], null],
    ['server', byId.prefix, ['api:direct', 'api:mcp'], new Date('2100-01-01')],
  ]);
  expect(JSON.stringify(keys)).not.toContain(byName.key);
  expect((await listAccounts(db.pool))[0]!.keys).toBe(2);
});

test('a key is revoked by id, prefix or itself, and keeps the date of the first time', async () => {
  const [byId, byPrefix, bySelf] = await Promise.all(
    ['a', 'b', 'c'].map(name => createKey(db.pool, 'acme', { name })),
  );
  const first = await revokeKey(db.pool, byId!.id);
  expect((await revokeKey(db.pool, byId!.id)).revoked_at).toEqual(first.revoked_at);
  expect((await revokeKey(db.pool, byPrefix!.prefix)).name).toBe('b');
  expect((await revokeKey(db.pool, bySelf!.key)).name).toBe('c');
  expect((await listKeys(db.pool)).filter(key => key.revoked_at !== null)).toHaveLength(3);
});

test('what does not exist is said by name', async () => {
  await expect(createKey(db.pool, 'nobody', { name: 'x' })).rejects.toMatchObject({
    code: 'account_unknown',
  });
  await expect(createKey(db.pool, 'acme', { name: 'x', scopes: [] })).rejects.toMatchObject({
    code: 'key_scopes',
  });
  await expect(
    createKey(db.pool, 'acme', { name: 'x', scopes: ['api:admin'] as never }),
  ).rejects.toMatchObject({ code: 'key_scopes' });
  await expect(revokeKey(db.pool, 'plat_nothing')).rejects.toMatchObject({ code: 'key_unknown' });
});
