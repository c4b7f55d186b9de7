import { expect, test } from 'vitest';
import { VALUE_EXAMPLE_ID } from '../../api/v1/examples/examples.ts';
import { orderingOf } from '../../shared/kernels/valuation/backtest.ts';
import { enqueueDueRecord } from '../../workers/valuation/record-county-job.ts';
import { createRandom } from '../bench/generate/random.ts';
import { newCaller, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const { pool } = db;
const api = await startTestApi(db, { pages: true });
const { key } = await newCaller(db);
const ana = visitor(api);
await ana.signIn(await newUser(db));

async function ranksOf(): Promise<unknown> {
  const path = `/api/public/v1/properties/${VALUE_EXAMPLE_ID}/ai-comp-value/?explain=true`;
  const { json } = await api.call(path, { key });
  return (json as { explanation: { confidence_ranks: boolean | null } }).explanation.confidence_ranks;
}
const store = (order: object | undefined) =>
  pool.query(
    `update county_records set record = (
       record::jsonb - 'confidence_order'
       || case when $1::text is null then '{}' else jsonb_build_object('confidence_order', $1::jsonb) end
     )::json where fips = 33019`,
    [order === undefined ? null : JSON.stringify(order)],
  );

test.each([
  [true, { sales: 400, points: 20, low: 3, high: 35 }],
  [false, { sales: 400, points: 20, low: -0.5, high: 35 }],
  [false, { sales: 29, points: null, low: null, high: null }],
  [null, undefined],
])('confidence_ranks is %s, and the pages agree', async (ranks, order) => {
  await store(order);
  expect(await ranksOf()).toBe(ranks);
  const parcel = await ana.open(`/data?parcel=${VALUE_EXAMPLE_ID}`);
  expect(parcel.text).toContain(`data-ranks="${ranks}"`);
  const record = await ana.open('/coverage/33019');
  expect(record.text.includes('data-confidence-ranks')).toBe(ranks !== null);
  if (ranks !== null) expect(record.text).toContain(`data-confidence-ranks="${ranks}"`);
});

test('a record made before confidence was measured is due for replacement', async () => {
  await store({ sales: 0, points: null, low: null, high: null });
  expect(await enqueueDueRecord(pool, 33_019)).toHaveLength(0);
  await store(undefined);
  expect(await enqueueDueRecord(pool, 33_019)).toHaveLength(1);
});

test('confidence ranks errors if it is related to them, but not if it is random', () => {
  const random = createRandom(3);
  const sales = (related: boolean) =>
    Array.from({ length: 200 }, () => {
      const error = random();
      const confidence = related ? 95 - 90 * error : 95 * random();
      return { price: 100, confidence, estimates: { model: 100 * (1 + error) } };
    });
  expect(orderingOf(sales(true))!.low).toBeGreaterThan(0);
  expect(orderingOf(sales(false))!.low).toBeLessThanOrEqual(0);
});
