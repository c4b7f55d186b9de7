import { expect, test } from 'vitest';
import { newCaller, posting, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';

const db = await createTestDatabase({}, { regions: true });
const api = await startTestApi(db);
const V1 = '/api/public/v1';

/** A ring that runs a degree to the north and back so many times. */
function zigzag(teeth: number): string {
  const points = Array.from(
    { length: 2 * teeth },
    (_, i) => `${-72 + i / (2 * teeth)} ${i % 2 === 0 ? 43.1 : 44}`,
  );
  return `POLYGON((-72 43,${points.join(',')},-71 43,-72 43))`;
}

test.each(['/properties/filter/quote/', '/properties/filter/'])(
  '%s refuses a shape with too many long edges, at no cost',
  async path => {
    const { key, accountId } = await newCaller(db);
    const ask = (shape: string) =>
      api.call(V1 + path, posting(key, JSON.stringify({ geom_intersects: shape })));
    const heavy = await ask(zigzag(4_990));
    expect(heavy.status).toBe(422);
    expect(heavy.json).toMatchObject({ error: { code: 'unprocessable' } });
    expect((await usageOf(db, accountId)).tokens).toBe(0);
    expect((await ask(zigzag(20))).status).toBe(200);
  },
);
