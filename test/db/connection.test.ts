import { expect, test } from 'vitest';
import { connectionOf, IDLE_IN_TRANSACTION } from '../../shared/platform/connection-pool.ts';
import { isRetryable } from '../../shared/platform/errors.ts';
import { LOCKS } from '../../shared/platform/locks.ts';
import { literal } from '../../shared/platform/statements.ts';
import { createTestDatabase } from '../support/database.ts';
import { openTestDb } from '../support/test-db.ts';

const db = await createTestDatabase();

/** DATABASE_URL with settings of the operator's own. */
function urlWith(options: string): string {
  const url = new URL(db.url);
  url.searchParams.set('options', options);
  return url.href;
}

test('whatever DATABASE_URL sets, months are added in UTC; its other settings apply', async () => {
  const config = { ...db.config, DATABASE_URL: urlWith('-c timezone=America/New_York -c work_mem=7MB') };
  const pool = openTestDb(config, {
    applicationName: 'test',
    settings: IDLE_IN_TRANSACTION,
  });
  const { rows } = await pool.query(
    `select current_setting('timezone') as timezone, current_setting('work_mem') as work_mem,
       current_setting('idle_in_transaction_session_timeout') as rest,
       '2026-02-28T10:00:00Z'::timestamptz + make_interval(months => 1) = '2026-03-28T10:00:00Z' as same_hour`,
  );
  await pool.end();
  expect(rows).toEqual([{ timezone: 'UTC', work_mem: '7MB', rest: '5s', same_hour: true }]);
});

test('work for which no connection was free in time may be retried', async () => {
  const pool = openTestDb(db.config, { applicationName: 'test', max: 1 });
  const client = await pool.connect();
  pool.pool.options.connectionTimeoutMillis = 20;
  expect(isRetryable(await pool.query('select 1').catch((error: unknown) => error))).toBe(true);
  client.release();
  await pool.end();
});

test('the rest of DATABASE_URL stays unchanged', () => {
  const url = 'postgresql://a%40b:p%2Fw@[::1]:5433/plat?sslmode=require';
  expect(connectionOf({ ...db.config, DATABASE_URL: url }, { jit: 'off' })).toMatchObject({
    connectionString: url,
    options: expect.stringMatching(/-c jit=off$/),
  });
});

test('work whose connection was lost while idle may be retried', async () => {
  const client = await db.pool.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const ended = new Promise(resolve => client.once('end', resolve));
  await db.pool.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
  await ended;
  expect(isRetryable(await client.query('select 1').catch((error: unknown) => error))).toBe(true);
  client.release(true);
});

test('the server notices within half a minute that a host is gone without notice', async () => {
  const { rows } = await db.pool.query(
    "select current_setting('tcp_keepalives_idle') as idle, current_setting('tcp_user_timeout') as unheard",
  );
  expect(rows).toEqual([{ idle: '10', unheard: '30000' }]);
});

test('a literal in a statement means the same as the parameter', async () => {
  const texts = ['O\'Neil \\ "x"', '{a,b}', '', 'null', '--', ' '];
  const values = [...texts, -5, 0, 1.25e-7, 2 ** 52, true, null];
  const { rows } = await db.pool.query<{ value: unknown }>(
    values.map(value => `select (${literal(value)})::text as value`).join(' union all '),
  );
  expect(rows.map(row => row.value)).toEqual([
    ...texts,
    '-5',
    '0',
    '0.000000125',
    '4503599627370496',
    'true',
    null,
  ]);
  const arrays = await db.pool.query(
    `select ${literal(texts)}::text[] as texts, ${literal([-3, 4])}::int[] as numbers, ${literal([])}::int[] as none`,
  );
  expect(arrays.rows).toEqual([{ texts, numbers: [-3, 4], none: [] }]);
  expect(() => literal(Number.NaN)).toThrow(RangeError);
});

test('no two advisory locks have the same number', () => {
  expect(new Set(Object.values(LOCKS)).size).toBe(Object.keys(LOCKS).length);
});
