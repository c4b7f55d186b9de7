import { describe, expect, test } from 'vitest';
import { failLostExports } from '../../../shared/exports/end-export.ts';
import { expireRecords } from '../../../workers/housekeeping/expire-records-job.ts';
import { posting, startTestApi, type TestReply } from '../../support/api.ts';
import { createTestDatabase, lockWaits } from '../../support/database.ts';
import { EXPORTS, look, makeExports, newCompany, order, periodOf } from '../../support/exports.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const COUNTY = { county: '33019' };
const COUNTY_ROWS = 2_028;

const cancel = (key: string, id: string) => api.call(`${EXPORTS}${id}/cancel/`, { key, method: 'POST' });
const remove = (key: string, id: string) => api.call(`${EXPORTS}${id}/`, { key, method: 'DELETE' });
const refusalOf = ({ status, json }: TestReply) => [status, (json as { error: { code: string } }).error.code];
const CONFLICT = [409, 'unprocessable'];

describe('while an export runs', () => {
  test('it is canceled, and its reserved tokens are returned', async () => {
    const { key, accountId } = await newCompany(db);
    const { id } = await order(api, key, { filter: COUNTY, format: 'csv' });
    expect(refusalOf(await remove(key, id))).toEqual(CONFLICT);
    expect((await cancel(key, id)).json).toMatchObject({ id, state: 'cancelled', tokens: null });
    await makeExports(db);
    expect(await look(api, key, id)).toMatchObject({ state: 'cancelled', rows: null, parts: [] });
    expect(await periodOf(db.pool, accountId)).toEqual({ used: 0, held: 0 });
    expect((await cancel(key, id)).status).toBe(200);
    expect((await remove(key, id)).status).toBe(204);
    expect((await api.call(`${EXPORTS}${id}/`, { key })).status).toBe(404);
    expect((await cancel(key, id)).status).toBe(404);
  });

  test('it is canceled or billed, never both, if it finishes at that moment', async () => {
    const { key, accountId } = await newCompany(db);
    const { id } = await order(api, key, { filter: COUNTY, format: 'csv' });
    // As the worker bills it, up to the commit.
    const worker = await db.pool.connect();
    await worker.query('begin');
    await worker.query("update exports set state = 'running', attempt = 1 where id = $1", [id]);
    await worker.query(
      "update exports set state = 'ready', tokens_held = 0, rows = 1, free_rows = 0, tokens = 1, ended_at = now(), expires_at = now() + interval '1 day' where id = $1",
      [id],
    );
    await worker.query(
      'update usage_periods set tokens_used = 1, tokens_held = 0 where account_id = $1 and period_end is null',
      [accountId],
    );
    const late = cancel(key, id);
    await expect.poll(() => lockWaits(db)).toBe(1);
    await worker.query('commit');
    worker.release();
    expect(refusalOf(await late)).toEqual(CONFLICT);
    expect(await look(api, key, id)).toMatchObject({ state: 'ready', tokens: 1 });
    expect(await periodOf(db.pool, accountId)).toEqual({ used: 1, held: 0 });
    expect((await remove(key, id)).status).toBe(204);
  });

  test('a company can have three exports in progress', async () => {
    const { key, colleague } = await newCompany(db);
    const body = { filter: { ...COUNTY, acres_min: 500 }, format: 'csv' };
    for (let i = 0; i < 3; i++) await order(api, key, body);
    const fourth = await api.call(EXPORTS, posting(colleague, JSON.stringify(body)));
    expect([fourth.status, fourth.headers.get('retry-after')]).toEqual([429, '10']);
    await makeExports(db);
    await order(api, colleague, body);
    await makeExports(db);
  });

  test('a part that a dead attempt still writes is not used by the next one', async () => {
    const { key } = await newCompany(db);
    const { id } = await order(api, key, { filter: COUNTY, format: 'csv' });
    await db.pool.query("update exports set state = 'running', attempt = 1 where id = $1", [id]);
    const dead = await db.pool.connect();
    await dead.query('begin');
    await dead.query('select from exports where id = $1 for share', [id]);
    await dead.query("insert into export_parts values ($1, 1, 'half', 'sum')", [id]);
    const made = makeExports(db);
    await expect.poll(() => lockWaits(db)).toBe(1);
    await dead.query('commit');
    dead.release();
    await made;
    expect(await look(api, key, id)).toMatchObject({ state: 'ready', rows: COUNTY_ROWS, parts: [{ n: 1 }] });
  });

  test('a file that was never completed is not kept', async () => {
    const { key } = await newCompany(db);
    const canceled = await order(api, key, { filter: COUNTY, format: 'csv' });
    const failed = await order(api, key, { filter: COUNTY, format: 'csv' });
    const ids = [canceled.id, failed.id];
    await db.pool.query("insert into export_parts select unnest($1::uuid[]), 1, 'half', 'sum'", [ids]);
    await cancel(key, canceled.id);
    await db.pool.query("update exports set state = 'failed' where id = $1", [failed.id]);
    await expireRecords(db.pool, db.config);
    const { rows } = await db.pool.query('select from export_parts where export_id = any ($1)', [ids]);
    expect(rows).toHaveLength(0);
  });

  test('an export whose job is lost fails, and its reserved tokens are returned', async () => {
    const { key, accountId } = await newCompany(db);
    const { id } = await order(api, key, { filter: COUNTY, format: 'csv' });
    await db.pool.query(
      "update jobs set status = 'failed', finished_at = now() where id = (select job_id from exports where id = $1)",
      [id],
    );
    await failLostExports(db.pool);
    expect(await look(api, key, id)).toMatchObject({ state: 'failed', error: { code: 'internal_error' } });
    expect((await periodOf(db.pool, accountId)).held).toBe(0);
  });
});
