import { expect, test } from 'vitest';
import { ACRE_BUCKETS, sizes } from '../../../shared/model/buckets.ts';

test('acreage buckets read as people say them', () => {
  expect(ACRE_BUCKETS.map(({ label }) => sizes(label))).toEqual([
    'under 9,500 sq ft',
    'under 0.25 acres',
    '0.15 to 1 acre',
    '0.2 to 100 acres',
    '9,500 sq ft to 1 acre',
    '0.25 to 1 acre',
    '1 to 2 acres',
    '1 to 3 acres',
    '2 to 5 acres',
    '2 to 100 acres',
    '3 to 5 acres',
    '5 to 10 acres',
    '5 to 100 acres',
    '5 to 10,000 acres',
    '10 to 20 acres',
    '20 to 40 acres',
    '40 to 60 acres',
    '40 to 100 acres',
    '40 to 10,000 acres',
    '60 to 80 acres',
    '80 to 500 acres',
    '100 to 10,000 acres',
  ]);
});
