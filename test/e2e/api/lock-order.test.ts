import { beforeAll, expect, test } from 'vitest';
import { giveRows } from '../../../shared/parcels/given-rows.ts';
import { Db } from '../../../shared/platform/db.ts';
import { newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase, lockWaits } from '../../support/database.ts';
import { look, makeExports, order, periodOf } from '../../support/exports.ts';
import { listsOf } from '../../support/lists.ts';
import { insertParcels } from '../../support/parcels.ts';
import { eventually } from '../../support/workers.ts';

const db = await createTestDatabase({}, { regions: true });
const api = await startTestApi(db);
const IDS = Array.from({ length: 60 }, (_, i) => 33_019e8 + i + 1);
beforeAll(() =>
  insertParcels(
    db.pool,
    IDS.map(property_id => ({ property_id, acres: 5 })),
  ),
);

const newList = async (company: string) => {
  const caller = await newCaller(db, { company });
  const lists = listsOf(api, caller.key);
  const { id } = await lists.make();
  await lists.add(id, { property_ids: IDS });
  return { ...caller, id, read: (query: string) => lists.send('GET', `${id}/rows/${query}`) };
};

test('a reader of rows that are being billed in a file waits, and both succeed', async () => {
  const { key, accountId, id, read } = await newList('one after the other');
  const file = await order(api, key, { list_id: id, format: 'csv' });
  const { rows: companies } = await db.pool.query('select company_id as id from accounts where id = $1', [
    accountId,
  ]);
  // Another call gives the last row, so that the file's bill waits with the first rows in its hands.
  const client = await db.pool.connect();
  await client.query('begin');
  await giveRows(new Db(client), companies[0].id, [{ property_id: IDS.at(-1)!, version: 1 }]);
  const billed = makeExports(db);
  await eventually(async () => (await lockWaits(db)) === 1);
  const reading = read('?page_size=5');
  await eventually(async () => (await lockWaits(db)) === 2);
  await client.query('rollback');
  client.release();
  await billed;
  expect((await reading).status).toBe(200);
  expect(await look(api, key, file.id)).toMatchObject({ state: 'ready', tokens: IDS.length });
  expect(await periodOf(db.pool, accountId)).toEqual({ used: IDS.length, held: 0 });
});

test('concurrent reads and billing of the same rows: no call fails, and each row is paid for once', async () => {
  const { key, accountId, id, read } = await newList('all at once');
  for (let n = 0; n < 3; n++) await order(api, key, { list_id: id, format: 'csv' });
  const pages = Array.from({ length: 24 }, (_, n) => read(`?page_size=${20 + n}&page=${1 + (n % 2)}`));
  const [replies] = await Promise.all([Promise.all(pages), makeExports(db), makeExports(db)]);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  await makeExports(db);
  const { rows } = await db.pool.query('select distinct state from exports where account_id = $1', [
    accountId,
  ]);
  expect(rows).toEqual([{ state: 'ready' }]);
  expect(await periodOf(db.pool, accountId)).toEqual({ used: IDS.length, held: 0 });
  expect((await usageOf(db, accountId)).daily).toBe(IDS.length);
});

test('a transaction that was aborted by a deadlock runs again from the start', async () => {
  await db.pool.query('create table accounts_of_two (id int primary key, n int not null)');
  await db.pool.query('insert into accounts_of_two values (1, 0), (2, 0)');
  let tries = 0;
  const arrived: (() => void)[] = [];
  const both = new Promise<void>(resolve => {
    arrived.push(() => arrived.length === 3 && resolve());
  });
  const add = (first: number, second: number) =>
    db.pool.transaction(async client => {
      tries++;
      const one = (id: number) => client.query('update accounts_of_two set n = n + 1 where id = $1', [id]);
      await one(first);
      arrived.push(() => {});
      arrived[0]!();
      await both;
      await one(second);
    });
  await Promise.all([add(1, 2), add(2, 1)]);
  // The retry can lock its first row before the other transaction wakes, which is another deadlock.
  expect(tries).toBeGreaterThanOrEqual(3);
  const { rows } = await db.pool.query('select n from accounts_of_two');
  expect(rows).toEqual([{ n: 2 }, { n: 2 }]);
});
