import { expect, test } from 'vitest';
import { ROWS } from '../../../api/pages/market/market-table.tsx';
import { METRIC_KEYS } from '../../../shared/model/market-metrics.ts';

test('the table has every statistic once', () => {
  const keys = ROWS.flatMap(([, cells]) => cells.filter(key => key !== null));
  expect(keys.toSorted()).toEqual([...METRIC_KEYS].toSorted());
  expect(new Set(ROWS.map(([, cells]) => cells.length))).toEqual(new Set([6]));
});
