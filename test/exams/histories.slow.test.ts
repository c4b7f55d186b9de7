import { expect, test } from 'vitest';
import { insertRegions } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { FULL } from '../support/filter-parcels.ts';
import { insertParcels } from '../support/parcels.ts';
import { ALLOTMENT, accountModel } from './account-model.ts';
import { faultsOfReads } from './change-reads.ts';
import { startFragileApis } from './fragile-api.ts';
import { longestOrder } from './linearizable.ts';
import { recordHistory } from './record-history.ts';

/** `npm run check:histories` records 20. HISTORY_SEED repeats the faults and calls of one. */
const COUNT = Number(process.env.HISTORIES ?? 1);
const FIRST_SEED = Number(process.env.HISTORY_SEED ?? 1);

const db = await createTestDatabase();
await insertRegions(db);
await insertParcels(db.pool, [FULL]);
const apis = await startFragileApis(db, 2);

test.each(Array.from({ length: COUNT }, (_, n) => FIRST_SEED + n))(
  'seed %i: calls by 8 clients on 2 processes that are killed, paused, and cut off are linearizable',
  { timeout: 600_000 },
  async seed => {
    const { calls, faults, reads, writes } = await recordHistory(db, apis, seed);
    const unknown = calls.filter(call => call.end === undefined).length;
    const refused = calls.filter(call => call.output?.status === 402).length;
    process.stderr.write(
      `seed ${seed}: ${calls.length} calls, ${unknown} with an unknown result, ${refused} over the allotment, ${reads.length} reads of changes, ${faults.join(', ')}\n`,
    );
    const { known, ordered } = longestOrder(calls, accountModel(ALLOTMENT));
    expect(ordered).toBe(known);
    expect(faultsOfReads(reads, writes)).toEqual([]);
    // The history is worth checking.
    expect(known).toBeGreaterThan(200);
    expect(unknown).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
    expect(reads.some(read => read.changes.length > 0)).toBe(true);
  },
);
