import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { newCaller, posting, startTestApi, usageOf } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { generation, giveList, insertGenerated, PARCELS, passes } from '../support/filter-generation.ts';
import { runs } from '../support/runs.ts';

/** Quotes of random filters; a long run sets more. */
const QUOTES = Number(process.env.QUOTES ?? 60);

const PATH = '/api/public/v1/properties/filter/';
const db = await createTestDatabase();
const api = await startTestApi(db);
const { key, accountId } = await newCaller(db);
beforeAll(async () => {
  await insertGenerated(db.pool);
  await giveList(db.pool, accountId);
});

/** Reads all pages of 500. */
async function walk(body: object, as: string): Promise<void> {
  for (let query: string | null = '?page_size=500'; query !== null; ) {
    const { json } = await api.call(PATH + query, posting(as, JSON.stringify(body)));
    const { next } = json as { next: string | null };
    query = next === null ? null : new URL(next).search;
  }
}

/** Filters that name a parcel or a person. */
const NAMING =
  'apn property_id owner_parcel_id list_id owner_name owner_name_2 owner_name_includes owner_name_excludes seller_name_contains'.split(
    ' ',
  );

type Quote = {
  quotable: boolean;
  count: number | null;
  at_most: number | null;
  tokens: { all_pages: number; export: number } | null;
  counties: { fips: string; count: number | null; at_most: number }[];
};

test('a quote counts what the filter finds, from 25 up, and then all pages cost what it says', async () => {
  let told = 0;
  await fc.assert(
    fc.asyncProperty(generation, async generated => {
      const { body, shape: area } = generated;
      const expected = PARCELS.filter(row => passes(row, generated));
      const reply = await api.call(`${PATH}quote/`, posting(key, JSON.stringify(body)));
      const quote = reply.json as Quote;
      expect(reply.status, reply.text).toBe(200);
      const isFlat = area !== undefined && (area.west === area.east || area.south === area.north);
      // A step of 0.005 degrees is some 400 by 550 m here.
      const isSmall = area !== undefined && (area.east - area.west) * (area.north - area.south) < 5;
      if (isFlat || NAMING.some(name => name in body)) expect(quote.quotable).toBe(false);
      else if (!isSmall) expect(quote.quotable).toBe(true);
      if (!quote.quotable) {
        expect(quote).toMatchObject({ count: null, at_most: null, tokens: null, counties: [] });
        return;
      }
      expect(quote.at_most).toBeGreaterThanOrEqual(expected.length);
      expect(quote.count).toBe(expected.length < 25 ? null : expected.length);
      for (const { fips, count, at_most } of quote.counties) {
        const own = expected.filter(row => Math.floor(row.property_id / 1e8) === Number(fips)).length;
        expect(at_most).toBeGreaterThanOrEqual(own);
        if (count !== null) expect([count, count >= 25]).toEqual([own, true]);
      }
      if (quote.tokens === null) return;
      told++;
      const caller = await newCaller(db);
      await walk(body, caller.key);
      expect((await usageOf(db, caller.accountId)).tokens).toBe(quote.tokens.all_pages);
      expect(quote.tokens.export).toBe(expected.length);
    }),
    { numRuns: runs(QUOTES) },
  );
  expect(told).toBeGreaterThan(runs(QUOTES / 20));
});
