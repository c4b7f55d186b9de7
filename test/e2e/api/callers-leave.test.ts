import { afterAll, expect, test } from 'vitest';
import { ApiDb } from '../../../api/http/database.ts';
import { createPool } from '../../../shared/platform/connection-pool.ts';
import { createLogger } from '../../../shared/platform/log.ts';
import { whileLocked } from '../../support/api.ts';
import { createTestDatabase, lockWaits } from '../../support/database.ts';

const db = await createTestDatabase();
const log = createLogger(db.config, 'test');
const pool = createPool(db.config, log, { applicationName: 'plat api', max: 3, connectTimeoutMs: 300_000 });
const cancelPool = createPool(db.config, log, { applicationName: 'plat api cancel', max: 1 });
afterAll(() => Promise.all([pool.end(), cancelPool.end()]));

test('connections are freed when the callers that use all of them disconnect together', async () => {
  const database = new ApiDb(pool, cancelPool);
  const calls = Array.from({ length: 5 }, () => new AbortController());
  await whileLocked(db, ['lock table regions in access exclusive mode'], async () => {
    const answers = calls.map(controller =>
      database
        .stoppedBy({ abortController: () => controller })
        .run('market/list_stored_stats', { types: ['county'], codes: ['33019'] }),
    );
    const outcomes = Promise.allSettled(answers);
    await expect.poll(() => lockWaits(db)).toBe(3);
    for (const controller of calls) controller.abort();
    expect((await outcomes).map(({ status }) => status)).toEqual(calls.map(() => 'rejected'));
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
});
