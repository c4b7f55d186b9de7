import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import { ACRE_BUCKETS } from '../../shared/model/buckets.ts';
import { recomputeStats } from '../../workers/market/recompute-stats.ts';
import { restateHistory } from '../../workers/market/restate-history.ts';
import { addFeed, addListings, keepFewRegions } from '../db/market-support.ts';
import { newCaller, posting, startTestApi, type TestReply, usageOf } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { runs } from '../support/runs.ts';

const V1 = '/api/public/v1/markets-stats';
/** Random calls; a long run sets more. */
const QUOTES = Number(process.env.QUOTES ?? 60);

const db = await createTestDatabase({}, { regions: true });
await keepFewRegions(db.pool);
const api = await startTestApi(db, { now: () => new Date('2026-07-01T12:00:00Z') });
const feed = await addFeed(db.pool, 'sold', null);
await addListings(
  db.pool,
  feed,
  [
    ...['2023-03-10', '2025-05-20', '2026-05-20'].map(sold => ({ acres: 6, price: 9_000, sold })),
    { acres: 0.5, price: 5_000, sold: '2026-06-02', fips: 23_019, zip: '' },
  ].map(one => ({ ...one, status: 'SOLD' as const })),
);
await recomputeStats(db.pool, { all: true }, { asOf: '2026-06-30' });
await restateHistory(db.pool, { today: dayOf('2026-07-01') });
const { rows: regions } = await db.pool.query<{ type: string; code: string }>(
  'select type, code from regions',
);

const monthEnd = fc
  .integer({ min: 0, max: 60 })
  .map(back => new Date(Date.UTC(2026, 6 - back, 0)).toISOString().slice(0, 10));
const bucket = fc.constantFrom(...ACRE_BUCKETS.map(({ label }) => label));
const compared = fc.record(
  {
    regions: fc.uniqueArray(fc.constantFrom(...regions.map(({ type, code }) => `${type}:${code}`)), {
      minLength: 1,
      maxLength: 25,
    }),
    bucket,
    as_of: monthEnd,
  },
  { requiredKeys: ['regions'] },
);
const history = fc
  .tuple(
    fc.constantFrom(...regions),
    fc.record(
      { bucket, from: monthEnd, to: monthEnd, every: fc.constantFrom('month', 'quarter', 'year') },
      { requiredKeys: [] },
    ),
  )
  .map(
    ([{ type, code }, query]) =>
      `${type === 'zip' ? '/zip' : ''}/${code}/history/?${new URLSearchParams(query)}`,
  );

const tokensOf = ({ headers }: TestReply) => Number(headers.get('x-tokens-used'));

test('quotes for comparisons and histories equal the charges', async () => {
  const { key, accountId } = await newCaller(db);
  let spent = 0;
  let charged = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(compared, history), async asked => {
      const path = typeof asked === 'string' ? asked : '/compare/?';
      const options = typeof asked === 'string' ? { key } : posting(key, JSON.stringify(asked));
      const quote = await api.call(`${V1}${path}&quote=true`, options);
      const reply = await api.call(V1 + path, options);
      expect([quote.status, tokensOf(quote)], path).toEqual([reply.status, 0]);
      if (reply.status !== 200) return;
      const tokens = tokensOf(reply);
      expect(quote.json, path).toEqual({ tokens, at_most: tokens });
      spent += tokens;
      if (tokens > 0) charged++;
    }),
    { numRuns: runs(QUOTES) },
  );
  expect((await usageOf(db, accountId)).tokens).toBe(spent);
  expect(charged).toBeGreaterThan(runs(QUOTES / 20));
});
