import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { migrateFrom } from '../support/migrations.ts';

const db = await createTestDatabase();

/** Everything before 0008_saved_markets.sql, and before 0014_users.sql. */
const BEFORE_COMPANIES = 7;
const BEFORE = 13;

test('accounts of before there were companies get one each, of their name, and keep everything', () =>
  migrateFrom(
    db,
    BEFORE_COMPANIES,
    query =>
      query(
        `insert into accounts (name, tier, tokens_included, period_anchor, period_start, period_end)
         select name, 'starter', 5, now(), now(), now() + interval '1 month' from unnest(array['acme', 'other']) as name`,
      ),
    async query => {
      const { rows } = await query(
        `select a.name, c.name as company, a.tokens_included::int from accounts a join companies c on c.id = a.company_id order by 1`,
      );
      expect(rows).toEqual([
        { name: 'acme', company: 'acme', tokens_included: 5 },
        { name: 'other', company: 'other', tokens_included: 5 },
      ]);
    },
  ));

test("accounts' e-mail addresses become users, one an address, of the oldest account's company", () =>
  migrateFrom(
    db,
    BEFORE,
    query =>
      query(`
        insert into companies (name) values ('Acme'), ('Other');
        insert into accounts (name, tier, tokens_included, company_id, user_email, created_at)
        select v.name, null, 0, c.id, v.email, now() + v.minute * interval '1 minute'
        from (values
          ('first', 'Acme', ' Ana@acme.example', 0), ('second', 'Acme', 'ana@ACME.example', 1), ('elsewhere', 'Other', 'ana@acme.example', 2),
          ('nobody', 'Acme', null, 3), ('blank', 'Acme', ' ', 4), ('bob', 'Other', 'bob@other.example', 5)
        ) as v (name, company, email, minute)
        join companies c on c.name = v.company`),
    async query => {
      const { rows } = await query(
        `select a.name, u.email, c.name as company from accounts a
         left join users u on u.id = a.user_id left join companies c on c.id = u.company_id order by a.created_at`,
      );
      expect(rows).toEqual([
        { name: 'first', email: 'Ana@acme.example', company: 'Acme' },
        { name: 'second', email: 'Ana@acme.example', company: 'Acme' },
        { name: 'elsewhere', email: null, company: null },
        { name: 'nobody', email: null, company: null },
        { name: 'blank', email: null, company: null },
        { name: 'bob', email: 'bob@other.example', company: 'Other' },
      ]);
      expect((await query('select email from users order by email')).rows).toHaveLength(2);
      // What was given up is known still.
      const { rows: kept } = await query(
        "select after ->> 'user_email' as email from audit where entity = 'accounts' and after ->> 'name' = 'elsewhere'",
      );
      expect(kept).toEqual([{ email: 'ana@acme.example' }]);
      const { rows: made } = await query("select distinct actor from audit where entity = 'users'");
      expect(made).toEqual([{ actor: 'migration 0014_users.sql' }]);
    },
  ));

test('a user is of one company, and so are the accounts', async () => {
  const { rows } = await db.pool.query<{ id: string }>(
    "insert into companies (name) values ('Acme'), ('Other') returning id",
  );
  const [acme, other] = rows.map(row => row.id);
  const { rows: users } = await db.pool.query<{ id: string }>(
    "insert into users (company_id, email) values ($1, 'ana@acme.example') returning id",
    [acme],
  );
  const insert = (name: string, company: string) =>
    db.pool.query(
      'insert into accounts (name, tokens_included, company_id, user_id) values ($1, 0, $2, $3)',
      [name, company, users[0]!.id],
    );
  await insert('mine', acme!);
  await expect(insert('theirs', other!)).rejects.toMatchObject({ constraint: 'accounts_user' });
  await expect(
    db.pool.query("insert into users (company_id, email) values ($1, 'ANA@acme.example')", [other]),
  ).rejects.toMatchObject({ constraint: 'users_email' });
});
