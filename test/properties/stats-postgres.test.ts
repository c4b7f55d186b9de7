import fc from 'fast-check';
import { expect, test } from 'vitest';
import { minusMonths } from '../../shared/kernels/stats/calendar.ts';
import { gini, median } from '../../shared/kernels/stats/region-stats.ts';
import { round2 } from '../../shared/kernels/stats/rounding.ts';
import { createTestDatabase } from '../support/database.ts';
import { dateOf, dayOf } from '../support/listing-columns.ts';

// A statement in SQL and the kernels must agree to the last digit, so the primitives they share are
// compared one by one.

const db = await createTestDatabase();

async function column(text: string, values: unknown[]): Promise<unknown[]> {
  const { rows } = await db.pool.query<{ value: unknown }>(text, values);
  return rows.map(row => row.value);
}

test('round2 is round(x::numeric, 2)', async () => {
  const amount = fc.oneof(
    fc.double({ min: -1e12, max: 1e12, noNaN: true, noDefaultInfinity: true }),
    fc.double({ min: 0, max: 1e5, noNaN: true }),
    fc.integer({ min: 0, max: 1e9 }).map(n => (n * 10 + 5) / 1000),
    fc.tuple(fc.integer({ min: 1, max: 1e8 }), fc.integer({ min: 1, max: 1e6 })).map(([a, b]) => a / b),
  );
  const amounts = fc.sample(amount, 20_000);
  const rounded = await column('select round(x::numeric, 2)::float8 as value from unnest($1::float8[]) x', [
    amounts,
  ]);
  const differing = amounts.filter((x, i) => round2(x) !== rounded[i]);
  expect(differing).toEqual([]);
});

test('minusMonths is date - interval', async () => {
  const days = fc.sample(fc.integer({ min: dayOf('1995-01-01'), max: dayOf('2035-12-31') }), 5000);
  const months = days.map((_, i) => [1, 3, 6, 12][i % 4]!);
  const earlier = await column(
    `select ((d - make_interval(months => m))::date)::text as value
     from unnest($1::date[], $2::int[]) as t (d, m)`,
    [days.map(dateOf), months],
  );
  expect(days.map((day, i) => dateOf(minusMonths(day, months[i]!)))).toEqual(earlier);
});

test('median and gini, rounded, equal those of a statement over doubles', async () => {
  const price = fc.integer({ min: 1, max: 1_000_000 }).map(n => n * 50);
  const acres = fc.integer({ min: 1, max: 10_000 }).map(n => n / 100);
  const sample = fc.array(
    fc.tuple(price, acres).map(([p, a]) => p / a),
    { minLength: 2, maxLength: 30 },
  );
  const samples = fc.sample(sample, 1000);
  const { rows } = await db.pool.query<{ middle: number; spread: number }>(
    `select round((percentile_cont(0.5) within group (order by x))::numeric, 2)::float8 as middle,
            round((100 * sum((2 * i - n - 1) * x order by x) / (max(n) * sum(x order by x)))::numeric, 2)::float8 as spread
     from (select s, x,
                  row_number() over (partition by s order by x) as i,
                  count(*) over (partition by s) as n
           from unnest($1::int[], $2::float8[]) as t (s, x)) ranked
     group by s order by s`,
    [samples.flatMap((list, s) => list.map(() => s)), samples.flat()],
  );
  const ours = samples.map(list => {
    const sorted = list.toSorted((a, b) => a - b);
    return { middle: round2(median(sorted, x => x)!), spread: round2(gini(sorted, x => x)!) };
  });
  expect(ours).toEqual(rows);
});
