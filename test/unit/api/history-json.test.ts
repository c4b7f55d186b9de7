import fc from 'fast-check';
import { expect, test } from 'vitest';
import { historyJson } from '../../../api/v1/market/history-json.ts';
import { placeOf } from '../../../api/v1/market/market-figures.ts';
import { FIGURE_KEYS } from '../../../shared/model/market-metrics.ts';

const figure = fc.oneof(
  fc.constantFrom(
    0,
    0.01,
    -0.01,
    0.1,
    0.29,
    1.005,
    9.99,
    10,
    100.5,
    21_474_836.47,
    21_474_836.48,
    1e300,
    1 / 3,
  ),
  fc.integer({ min: -3e9, max: 3e9 }).map(hundredths => hundredths / 100 + 0),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => value + 0),
);
const row = fc.option(fc.array(fc.option(figure), { minLength: 1, maxLength: 1 + FIGURE_KEYS.length }));

test('a history is written as JSON.stringify would write it, whatever its figures, with each key once', () => {
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 20 }),
      fc.array(fc.constantFrom(...FIGURE_KEYS), { minLength: 1 }),
      (rows, keys) => {
        const head = { bucket: '5 acre-10 acre, “é”' };
        const columns = keys.map(key => [key, rows.map(values => values?.[placeOf(key)] ?? null)]);
        const written = historyJson(
          head,
          keys,
          rows.map(values => values?.map(value => value ?? Number.NaN) ?? null),
        );
        expect(written.toString()).toBe(JSON.stringify({ ...head, keys: Object.fromEntries(columns) }));
      },
    ),
  );
  const most = Array.from({ length: 120 }, () => Array(1 + FIGURE_KEYS.length).fill(-Number.MAX_VALUE));
  expect(JSON.parse(String(historyJson({ bucket: '' }, FIGURE_KEYS, most))).keys.price_index).toHaveLength(
    120,
  );
});
