import { expect, test } from 'vitest';
import { readLines } from '../../workers/exports/read-rows.ts';
import { createTestDatabase } from '../support/database.ts';

const { pool } = await createTestDatabase();

/** More than the connection holds by itself. */
const COPY = "copy (select n, repeat('x', 1000) from generate_series(1, 30000) n) to stdout (null '')";

test('stopping early, or an error, returns the connection', async () => {
  await pool.connection(async (connection, client) => {
    for await (const lines of readLines(connection, COPY)) {
      expect(lines.subarray(0, 3).toString()).toBe('1\tx');
      break;
    }
    expect((await client.query('select 7 as answer')).rows).toEqual([{ answer: 7 }]);
    const failing = async () => {
      for await (const _ of readLines(connection, COPY.replace('n,', '1 / (20000 - n),')));
    };
    await expect(failing()).rejects.toThrow('division by zero');
    expect((await client.query('select 7 as answer')).rows).toEqual([{ answer: 7 }]);
    let lines = 0;
    for await (const some of readLines(connection, COPY)) lines += some.toString().split('\n').length - 1;
    expect(lines).toBe(30_000);
  });
});
