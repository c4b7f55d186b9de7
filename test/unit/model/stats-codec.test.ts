import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ACRE_BUCKETS } from '../../../shared/model/buckets.ts';
import { METRIC_KEYS, MORE_KEYS } from '../../../shared/model/market-metrics.ts';
import type { RegionStats } from '../../../shared/model/market-stats.ts';
import { packStats, unpackStats } from '../../../shared/model/stats-codec.ts';
import { runs } from '../../support/runs.ts';

const figure = fc.oneof(
  fc.constant(null),
  fc.constantFrom(0, 0.01, -0.01, 0.25, 100, -50, 1e12, 99_999_999_999.99, 1e300, 1 / 3, 2 ** 53),
  fc.nat(40),
  fc.integer({ min: -1e9, max: 1e9 }).map(hundredths => hundredths / 100),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => value + 0),
);
const of = (keys: readonly string[]) => fc.record(Object.fromEntries(keys.map(key => [key, figure])));
const bucket = fc.record({
  listings: fc.integer({ min: 1, max: 1e6 }),
  data: of(METRIC_KEYS),
  more: of(MORE_KEYS),
});
const stats = fc.array(fc.option(bucket), { minLength: ACRE_BUCKETS.length, maxLength: ACRE_BUCKETS.length });

test('figures come back as they were packed, whatever they are, and in few bytes', () => {
  fc.assert(
    fc.property(stats, buckets => {
      const packed = packStats({ asOf: null, buckets } as unknown as RegionStats);
      expect(unpackStats(packed, '2026-06-30')).toEqual({ asOf: '2026-06-30', buckets });
    }),
    { numRuns: runs(200) },
  );
  const same = { listings: 1, data: Object.fromEntries(METRIC_KEYS.map(key => [key, 5])), more: {} };
  const all = { asOf: null, buckets: ACRE_BUCKETS.map(() => same) } as unknown as RegionStats;
  expect(packStats(all).length).toBeLessThan(50);
});
