import { expect, test } from 'vitest';
import { createAccount, createKey, revokeKey } from '../../shared/accounts/accounts.ts';
import { changeAccount, saveTier } from '../../shared/accounts/contracts.ts';
import { dumpSchema } from '../../tools/checks/generated-files.ts';
import { createTestDatabase } from '../support/database.ts';

const db = await createTestDatabase();

const read = async () => (await db.pool.query('select * from audit order by id')).rows;

test('everything about accounts, keys, users, companies, and tiers is recorded, with who did it', async () => {
  await createAccount(db.pool, { name: 'acme', tier: 'growth', user: 'ana@acme.example' });
  const { id } = await createKey(db.pool, 'acme', { name: 'web' });
  await changeAccount(db.pool, 'acme', { userName: 'Ana Lima', company: 'Acme Land', overageAllowed: true });
  await revokeKey(db.pool, id);
  await saveTier(db.pool, 'growth', { tokensIncluded: 1 });
  const kept = (await read()).map(({ entity, action, before, after }) => ({ entity, action, before, after }));
  for (const change of [
    { entity: 'companies', action: 'insert', before: null, after: { name: 'acme' } },
    { entity: 'users', action: 'insert', before: null, after: { email: 'ana@acme.example', name: '' } },
    { entity: 'accounts', action: 'insert', before: null, after: { name: 'acme', tier: 'growth' } },
    { entity: 'api_keys', action: 'insert', before: null, after: { name: 'web' } },
    { entity: 'users', action: 'update', before: { name: '' }, after: { name: 'Ana Lima' } },
    { entity: 'companies', action: 'insert', before: null, after: { name: 'Acme Land' } },
    {
      entity: 'accounts',
      action: 'update',
      before: { overage_allowed: false },
      after: { overage_allowed: true },
    },
    { entity: 'api_keys', action: 'update', before: { revoked_at: null } },
    { entity: 'tiers', action: 'update', before: { tokens_included: 50_000 }, after: { tokens_included: 1 } },
  ])
    expect(kept).toContainEqual(expect.objectContaining(matching(change)));
  expect((await read()).every(({ actor }) => actor !== '')).toBe(true);
});

/** The same with its objects to be contained, not equalled. */
function matching(change: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(change).map(([name, value]) => [
      name,
      value !== null && typeof value === 'object' ? expect.objectContaining(value) : value,
    ]),
  );
}

test.each([
  "update audit set actor = 'nobody'",
  'update audit set before = null where id = 1',
  'delete from audit',
  'delete from audit where id = 1',
  'delete from audit where false',
  'truncate audit',
  'truncate audit restart identity cascade',
  `insert into audit (id, actor, action, entity, entity_id) overriding system value values (1, 'x', 'x', 'x', 'x')
   on conflict (id) do update set actor = 'nobody'`,
  'merge into audit a using (select 1 as id) s on a.id = s.id when matched then delete',
])('the audit table refuses: %s', async statement => {
  const before = await read();
  expect(before.length).toBeGreaterThan(0);
  await expect(db.pool.query(statement)).rejects.toMatchObject({
    code: '42501',
    message: expect.stringContaining('audit'),
  });
  expect(await read()).toEqual(before);
});

test('the schema dump has the protection', async () => {
  const dump = await dumpSchema(db.pool);
  expect(dump).toContain(
    'CREATE TRIGGER keeps_all BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit FOR EACH STATEMENT',
  );
  for (const table of ['accounts', 'api_keys', 'companies', 'tiers', 'users'])
    expect(dump).toMatch(
      new RegExp(`CREATE TRIGGER record_change AFTER .* ON public\\.${table} FOR EACH ROW`),
    );
});
