import { expect, test } from 'vitest';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { listsOf } from '../../support/lists.ts';
import { insertParcels } from '../../support/parcels.ts';

const db = await createTestDatabase({}, { regions: true });
const api = await startTestApi(db);
const S = 33_019e8;
await insertParcels(db.pool, [{ property_id: S + 1 }, { property_id: S + 2 }]);

test("a company can't exceed its number of lists and rows", async () => {
  const { key, accountId } = await newCaller(db);
  const { make, send } = listsOf(api, key);
  const { id } = await make();
  await db.pool.query(
    `insert into lists (company_id, name, one_per_owner, leave_out_lists)
     select company_id, 'x', false, '{}' from accounts, generate_series(2, 1000) where id = $1`,
    [accountId],
  );
  expect((await send('POST', '', { name: 'one more' })).status).toBe(422);
  const client = await db.pool.connect();
  // Without the look at the list for each of them.
  await client.query('set session_replication_role = replica');
  await client.query(
    'insert into list_rows (list_id, property_id) select $1, g from generate_series(1, 999999) g',
    [id],
  );
  client.release(true);
  expect((await send('POST', `${id}/rows/`, { property_ids: [S + 1, S + 2] })).status).toBe(422);
  expect((await send('POST', `${id}/rows/`, { property_ids: [S + 1] })).status).toBe(201);
});
