import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Caller } from '../../api/http/callers.ts';
import { openMeter } from '../../api/http/meter.ts';
import { PRICES } from '../../shared/model/prices.ts';
import { newCaller, usageOf } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { runs } from '../support/runs.ts';

const db = await createTestDatabase();
const EACH = PRICES.tiles.each;

/** A tile, or a call that costs this many tokens. */
const call = fc.oneof(
  fc.constant('tile' as const),
  fc.constant('tile' as const),
  fc.integer({ min: 1, max: 8 }),
);
/** Calls that arrive at the same time, at one of two processes. */
const burst = fc.array(fc.tuple(call, fc.boolean()), { minLength: 1, maxLength: 45 });

test('whatever is charged together, every 20 tiles cost a token, and nothing beyond the limit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(burst, { minLength: 1, maxLength: 6 }), fc.nat(40), async (bursts, limit) => {
      const { accountId } = await newCaller(db, { tokensIncluded: limit });
      const caller = {
        account: { id: accountId, tokensUsed: 0, tilesPaid: 0 },
        mode: 'direct',
      } as unknown as Caller;
      const meters = [openMeter(db.pool.forApi()), openMeter(db.pool.forApi())];
      let tiles = 0;
      let other = 0;
      let reported = 0;
      for (const calls of bursts) {
        const results = await Promise.allSettled(
          calls.map(([kind, second]) =>
            kind === 'tile'
              ? meters[Number(second)]!.charge(caller, 'public_tiles', 1, { each: EACH })
              : meters[Number(second)]!.charge(caller, 'public_comps', kind),
          ),
        );
        for (const [at, result] of results.entries()) {
          const [kind] = calls[at]!;
          if (result.status === 'rejected') {
            expect(result.reason.code).toBe('usage_limit_exceeded');
            continue;
          }
          reported += result.value;
          if (kind === 'tile') tiles++;
          else other += kind;
        }
        const used = other + Math.ceil(tiles / EACH);
        expect(used).toBeLessThanOrEqual(limit);
        expect(reported).toBe(used);
        expect(await usageOf(db, accountId)).toMatchObject({ tokens: used, daily: used });
        const { rows } = await db.pool.query('select tiles_paid from usage_periods where account_id = $1', [
          accountId,
        ]);
        expect(rows).toEqual([{ tiles_paid: (EACH - (tiles % EACH)) % EACH }]);
        // A refused tile means that no token was left at the end.
        const isTileRefused = results.some(
          ({ status }, at) => status === 'rejected' && calls[at]![0] === 'tile',
        );
        if (isTileRefused) expect([used, tiles % EACH]).toEqual([limit, 0]);
      }
    }),
    { numRuns: runs(60) },
  );
});
