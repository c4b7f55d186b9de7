import { expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { all, insertRegions } from '../../support/ingest.ts';
import { listingFeed, row } from './listing-support.ts';

const { folder, pool } = await createTestDatabase();

test('another as_of makes statistics and values outdated, even if no listing changed', async () => {
  await insertRegions(pool, [
    { type: 'county', code: '33019', state: 'NH', fips: 33019 },
    { type: 'zip', code: '03280', state: 'NH', fips: 33019 },
  ]);
  const { run } = listingFeed(pool, folder, { asOf: '2025-09-28' });
  await run([row('A')]);
  const clear = () => pool.query('delete from stats_dirty; delete from valuations_dirty; delete from jobs');
  await clear();
  expect(await run([row('A')])).toMatchObject({ status: 'unchanged', follow: [] });
  const { status, follow } = await run([row('A')], '2025-09-30');
  expect(status).toBe('unchanged');
  expect(await all(pool, 'select type, code from stats_dirty order by 1')).toEqual([
    { type: 'county', code: '33019' },
    { type: 'zip', code: '03280' },
  ]);
  expect(await all(pool, 'select fips from valuations_dirty')).toEqual([{ fips: 33019 }]);
  expect(follow.length).toBeGreaterThan(0);
  await clear();
  expect(await run([row('A')], '2025-09-30')).toMatchObject({ follow: [] });
});
