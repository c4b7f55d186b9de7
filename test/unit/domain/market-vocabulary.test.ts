import { describe, expect, test } from 'vitest';
import { ACRE_BUCKETS } from '../../../shared/domain/buckets.ts';
import { METRIC_KEYS } from '../../../shared/domain/metric-keys.ts';
import { Column, METRIC_COUNT } from '../../../shared/kernels/stats/stats-table.ts';
import { LABELS, rangeOf } from '../../support/plain-stats.ts';

describe('acre buckets', () => {
  test('are the 22 published ones, in order', () => {
    expect(ACRE_BUCKETS.map(bucket => bucket.label)).toEqual(LABELS);
    expect(ACRE_BUCKETS).toHaveLength(22);
  });

  test.each(ACRE_BUCKETS)('$label has the range that its label says', ({ label, minAcres, maxAcres }) => {
    expect([minAcres, maxAcres]).toEqual(rangeOf(label));
  });

  test('9.5k sqft is 9,500 of the 43,560 square feet of an acre', () => {
    expect(ACRE_BUCKETS[0].maxAcres).toBeCloseTo(0.218089990817, 12);
  });
});

describe('metric keys', () => {
  test('are the 43 published ones, in order', () => {
    const published = `Active|Pending|Sold: 1mo|Sold: 3mo|Sold: 6mo|Sold: 1yr|Pending STR|1mo STR|3mo STR|6mo STR|1yr STR
Avg DOM 1mo|Avg DOM 3mo|Avg DOM 6mo|Avg DOM 1yr
Median Price 1mo|Median Price 3mo|Median Price 6mo|Median Price 1yr|Median Pending Price|Median Active Price
Median Active Acreage|Median Pending Acreage|Median Sold Acreage|Median Pending PPA|Median Active PPA|Median Sold PPA
Active PPA Min|Active PPA Max|Pending PPA Min|Pending PPA Max|PPA Range 1mo Min|PPA Range 1mo Max
PPA Range 3mo Min|PPA Range 3mo Max|PPA Range 6mo Min|PPA Range 6mo Max|PPA Range 1yr Min|PPA Range 1yr Max
Gini 1mo|Gini 3mo|Gini 6mo|Gini 1yr`;
    expect(METRIC_KEYS).toEqual(published.split(/[|\n]/));
    expect(METRIC_KEYS).toHaveLength(METRIC_COUNT);
  });

  test('stand at the columns that the kernel fills', () => {
    const keyAt = Object.fromEntries(
      Object.entries(Column).map(([column, index]) => [column, METRIC_KEYS[index]]),
    );
    expect(keyAt).toEqual({
      active: 'Active',
      pending: 'Pending',
      sold: 'Sold: 1mo',
      pendingStr: 'Pending STR',
      str: '1mo STR',
      avgDom: 'Avg DOM 1mo',
      medianPrice: 'Median Price 1mo',
      medianPendingPrice: 'Median Pending Price',
      medianActivePrice: 'Median Active Price',
      medianActiveAcreage: 'Median Active Acreage',
      medianPendingAcreage: 'Median Pending Acreage',
      medianSoldAcreage: 'Median Sold Acreage',
      medianPendingPpa: 'Median Pending PPA',
      medianActivePpa: 'Median Active PPA',
      medianSoldPpa: 'Median Sold PPA',
      activePpaMin: 'Active PPA Min',
      activePpaMax: 'Active PPA Max',
      pendingPpaMin: 'Pending PPA Min',
      pendingPpaMax: 'Pending PPA Max',
      ppaRange: 'PPA Range 1mo Min',
      gini: 'Gini 1mo',
    });
  });
});
