import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { migrateFrom } from '../support/migrations.ts';

const db = await createTestDatabase();

/** Everything before 0008_saved_markets.sql. */
const BEFORE = 7;

test('accounts of before there were companies get one each, of their name, and keep everything', () =>
  migrateFrom(
    db,
    BEFORE,
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
