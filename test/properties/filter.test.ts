import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FILTERS } from '../../shared/parcels/filter/filters.ts';
import { newCaller, posting, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import {
  COUNTIES,
  generateFor,
  generation,
  giveList,
  insertGenerated,
  others,
  PARCELS,
  passes,
  sorted,
} from '../support/filter-generation.ts';
import { insertParcels, retireParcels } from '../support/parcels.ts';
import { READINGS } from '../support/plain-filter.ts';
import { runs } from '../support/runs.ts';

const PATH = '/api/public/v1/properties/filter/';
const db = await createTestDatabase();
const api = await startTestApi(db);
const { key, accountId } = await newCaller(db);

beforeAll(async () => {
  await insertGenerated(db.pool);
  await giveList(db.pool, accountId);
});

async function post(body: unknown, query = '') {
  const reply = await api.call(PATH + query, posting(key, JSON.stringify(body)));
  return { status: reply.status, text: reply.text, json: reply.json as Reply };
}
type Reply = { count: number; next: string | null; results: { property_id: number }[] };

async function walk(body: unknown, size: number, between?: () => Promise<void>): Promise<number[]> {
  const ids: number[] = [];
  for (let query: string | null = `?page_size=${size}`; query !== null; ) {
    const { status, json, text } = await post(body, query);
    if (status !== 200) throw new Error(text);
    ids.push(...json.results.map(row => row.property_id));
    query = json.next === null ? null : new URL(json.next).search;
    await between?.();
  }
  return ids;
}

test('every filter has a simple implementation', () => {
  const beyond = ['geom_intersects', 'list_id', 'owner_parcel_id'];
  expect([...Object.keys(READINGS), ...beyond].sort()).toEqual(FILTERS.map(filter => filter.name).sort());
});

let bodies = 0;
let matches = 0;
afterAll(() => {
  // A generator whose bodies match nothing would prove nothing.
  if (bodies >= 50) expect(matches).toBeGreaterThan(bodies);
});

test('the filter finds the same as a simple implementation of its definition, in its order', async () => {
  await fc.assert(
    fc.asyncProperty(generation, async generated => {
      const expected = sorted(
        PARCELS.filter(row => passes(row, generated)),
        generated.body.order,
      );
      const { status, json, text } = await post(generated.body, '?page_size=500');
      if (status !== 200) throw new Error(text);
      bodies++;
      matches += expected.length;
      expect(json.results.map(row => row.property_id)).toEqual(expected);
      expect(json.count).toBe(expected.length);
    }),
    { numRuns: runs(60) },
  );
});

test('each filter by itself finds the same as its simple implementation', async () => {
  for (const filter of others) {
    await fc.assert(
      fc.asyncProperty(generateFor(filter), async value => {
        const body: Record<string, unknown> = {
          ...(filter.scope ? {} : { counties: COUNTIES }),
          [filter.name]: value,
        };
        const expected = sorted(
          PARCELS.filter(row => passes(row, { body })),
          body.order,
        );
        const { json, text } = await post(body, '?page_size=500');
        expect(
          json.results?.map(row => row.property_id),
          `${filter.name} ${text.slice(0, 200)}`,
        ).toEqual(expected);
      }),
      { numRuns: runs(2) },
    );
  }
});

test('pages by cursor together are the whole list, whatever the page size', async () => {
  await fc.assert(
    fc.asyncProperty(generation, fc.integer({ min: 1, max: 40 }), async (generated, size) => {
      const expected = sorted(
        PARCELS.filter(row => passes(row, generated)),
        generated.body.order,
      );
      fc.pre(expected.length / size < 30);
      expect(await walk(generated.body, size)).toEqual(expected);
    }),
    { numRuns: runs(15) },
  );
});

test('a parcel that stays is returned exactly once while others come and go', async () => {
  let serial = 10_000;
  const comers: number[] = [];
  const commotion = async () => {
    const fresh = COUNTIES.map(county => ({
      property_id: county * 1e8 + ++serial,
      acres: serial % 7,
      vacant: true,
    }));
    await insertParcels(db.pool, fresh);
    comers.push(...fresh.map(row => row.property_id));
    await retireParcels(db.pool, comers.splice(0, 2));
  };
  for (const order of ['property_id', 'acres', '-acres', '-value', 'last_sale_date', '-buildable_acres']) {
    const seen = await walk({ counties: COUNTIES, order }, 30, commotion);
    expect(new Set(seen).size).toBe(seen.length);
    const stayed = seen.filter(id => id % 1e8 <= PARCELS.length);
    expect(stayed).toEqual(sorted(PARCELS, order));
  }
});
