import { expect, test } from 'vitest';
import { minusMonths, utcDay } from '../../../../shared/kernels/stats/calendar.ts';
import { dateOf, dayOf } from '../../../support/listing-columns.ts';

test.each([
  ['2025-09-28', 1, '2025-08-28'],
  ['2025-03-31', 1, '2025-02-28'],
  ['2024-03-31', 1, '2024-02-29'],
  ['2025-05-31', 3, '2025-02-28'],
  ['2025-08-31', 6, '2025-02-28'],
  ['2024-02-29', 12, '2023-02-28'],
  ['2025-01-15', 1, '2024-12-15'],
])('%s less %d months is %s', (date, months, expected) => {
  expect(dateOf(minusMonths(dayOf(date), months))).toBe(expected);
});

test('a day is that of UTC, before the epoch too', () => {
  expect(utcDay(Date.parse('2025-09-28T23:59:59Z'))).toBe(dayOf('2025-09-28'));
  expect(utcDay(Date.parse('1969-12-31T23:59:59Z'))).toBe(-1);
});
