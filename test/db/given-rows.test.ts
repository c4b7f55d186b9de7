import { expect, test } from 'vitest';
import { type GivenRow, giveRows, listFreeRows } from '../../shared/parcels/given-rows.ts';
import { Db } from '../../shared/platform/db.ts';
import { expireRecords } from '../../workers/housekeeping/expire-records-job.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/workers.ts';

const db = await createTestDatabase();
const OURS = '00000000-0000-4000-8000-000000000001';
const THEIRS = '00000000-0000-4000-8000-000000000002';
const rows = (...ids: number[]): GivenRow[] => ids.map(id => ({ property_id: id, version: 7 }));
const [A, B, C] = [3_301_900_000_001, 3_301_900_000_002, 2_301_900_000_003];

const give = (company: string, given: readonly GivenRow[]) =>
  db.pool.transaction(client => giveRows(client, company, given));
const free = async (company: string, given: readonly GivenRow[]) => [
  ...(await listFreeRows(db.pool, company, given)),
];

test('a row costs a company once, in any county, and another company pays for itself', async () => {
  expect(await give(OURS, rows(B, A, C, A))).toBe(3);
  expect(await give(OURS, rows(A, B, C))).toBe(0);
  expect((await free(OURS, rows(A, B, C, 3_301_900_000_009))).sort()).toEqual([A, B, C].sort());
  expect(await free(THEIRS, rows(A))).toEqual([]);
  expect(await give(THEIRS, rows(A))).toBe(1);
});

test('a row that has changed since costs again', async () => {
  const changed = [{ property_id: A, version: 8 }];
  expect(await free(OURS, changed)).toEqual([]);
  expect(await give(OURS, [...changed, ...rows(B)])).toBe(1);
  expect(await free(OURS, changed)).toEqual([A]);
});

test('so does a row that was paid for 30 days ago, whose mark is deleted', async () => {
  const age = (days: number) =>
    db.pool.query(`update given_rows set given_at = now() - $1 * interval '1 day' where property_id = $2`, [
      days,
      C,
    ]);
  await age(29.9);
  expect(await give(OURS, rows(C))).toBe(0);
  await age(30);
  expect(await free(OURS, rows(C))).toEqual([]);
  expect(await give(OURS, rows(C))).toBe(1);
  await age(30);
  await expireRecords(db.pool, db.config);
  const { rows: left } = await db.pool.query('select property_id from given_rows order by property_id');
  expect(left.map(row => row.property_id)).not.toContain(C);
  expect(left).toHaveLength(3);
});

test('two calls with the same rows at once pay for them once', async () => {
  const wanted = rows(3_301_900_000_101, 3_301_900_000_102);
  const client = await db.pool.connect();
  await client.query('begin');
  expect(await giveRows(new Db(client), OURS, wanted)).toBe(2);
  const second = give(OURS, wanted);
  await eventually(async () => {
    const { rows: waiting } = await db.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return waiting.length > 0;
  });
  await client.query('commit');
  client.release();
  expect(await second).toBe(0);
});

test('nothing is marked if the charge is rolled back', async () => {
  const wanted = rows(3_301_900_000_201);
  await expect(
    db.pool.transaction(async client => {
      await giveRows(client, OURS, wanted);
      throw new Error('no quota');
    }),
  ).rejects.toThrow('no quota');
  expect(await free(OURS, wanted)).toEqual([]);
});
