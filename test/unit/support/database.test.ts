import { expect, test } from 'vitest';
import { assertSchemaVersion } from '../../../shared/platform/migrate.ts';
import { createTestDatabase } from '../../support/database.ts';

const one = await createTestDatabase();
const two = await createTestDatabase();

test('a test database is migrated, including the queue', async () => {
  await assertSchemaVersion(one.pool);
  const { rows } = await one.pool.query(
    "select 1 from information_schema.tables where table_schema = 'bullmq' limit 1",
  );
  expect(rows).toHaveLength(1);
});

test('two databases of one file share no rows', async () => {
  await one.pool.query('insert into county_serials (fips, last_serial) values (33019, 1)');
  const { rows } = await two.pool.query('select * from county_serials');
  expect(rows).toEqual([]);
});
