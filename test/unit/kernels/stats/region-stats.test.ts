import { expect, test } from 'vitest';
import { createStatsEncoder } from '../../../../shared/kernels/stats/encode-stats.ts';
import { createStatsKernel } from '../../../../shared/kernels/stats/region-stats.ts';
import { METRIC_COUNT, newStatsTable } from '../../../../shared/kernels/stats/stats-table.ts';
import { columnsOf, dayOf } from '../../../support/listing-columns.ts';
import type { PlainListing } from '../../../support/plain-stats.ts';

const listing: PlainListing = { status: 'ACTIVE', price: 900, acres: 3, soldDate: null, daysOnMarket: null };

test('a table that was filled before holds nothing of it', () => {
  const compute = createStatsKernel([{ minAcres: 1, maxAcres: 5 }]);
  const reused = newStatsTable(1);
  const fresh = newStatsTable(1);
  const columns = columnsOf([listing, { ...listing, status: 'SOLD', soldDate: '2025-01-01' }]);
  const today = dayOf('2025-01-10');
  compute(columns, Uint32Array.of(0, 1), 0, 2, today, reused);
  expect(reused.filled[0]).toBe(1);
  compute(columns, Uint32Array.of(0, 1), 0, 0, today, reused);
  compute(columns, Uint32Array.of(), 0, 0, today, fresh);
  expect(reused).toEqual(fresh);
});

test('the windows move with the day', () => {
  const compute = createStatsKernel([{ minAcres: 1, maxAcres: 5 }]);
  const table = newStatsTable(1);
  const columns = columnsOf([{ ...listing, status: 'SOLD', soldDate: '2025-01-01' }]);
  const soldIn1mo = ['2024-12-31', '2025-01-01', '2025-01-31', '2025-02-01'].map(date => {
    compute(columns, Uint32Array.of(0), 0, 1, dayOf(date), table);
    return table.hundredths[2]! / 100;
  });
  expect(soldIn1mo).toEqual([0, 1, 1, 0]);
});

test('more cells or other metrics than fit are refused', () => {
  const ranges = Array.from({ length: 70 }, (_, i) => ({ minAcres: i, maxAcres: i + 1 }));
  expect(() => createStatsKernel(ranges)).toThrow('70 cells');
  expect(() => createStatsEncoder(['a'], Array(METRIC_COUNT - 1).fill('k'))).toThrow(
    '42 keys for 43 metrics',
  );
});
