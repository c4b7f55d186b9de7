import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { newCaller, posting, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { EXPORTS, exportFile, periodOf } from '../support/exports.ts';
import { generation, giveList, insertGenerated } from '../support/filter-generation.ts';
import { runs as share } from '../support/runs.ts';

/** Exports of random filters; a long run sets more. */
const QUOTES = Number(process.env.QUOTES ?? 40);
/** Of them one company orders so many, so that some rows were given before. */
const A_COMPANY = 10;

const db = await createTestDatabase();
const api = await startTestApi(db);
beforeAll(() => insertGenerated(db.pool));

type Quote = { tokens: number | null; at_most: number };

test('a file never costs more than its quote, and exactly that if the quote is exact', async () => {
  let caller = await newCaller(db);
  let runs = 0;
  let told = 0;
  await fc.assert(
    fc.asyncProperty(generation, fc.boolean(), async ({ body: filter }, one_per_owner) => {
      if (++runs % A_COMPANY === 0) caller = await newCaller(db);
      await giveList(db.pool, caller.accountId);
      const body = { filter, format: 'csv', columns: ['apn'], one_per_owner };
      const reply = await api.call(`${EXPORTS}?quote=true`, posting(caller.key, JSON.stringify(body)));
      expect(reply.status, reply.text).toBe(200);
      const quote = reply.json as Quote;
      const before = await periodOf(db.pool, caller.accountId);
      const made = await exportFile(db, api, caller.key, body);
      expect(made.state).toBe('ready');
      expect(made.tokens).toBeLessThanOrEqual(quote.at_most);
      if (quote.tokens !== null) {
        told++;
        expect([made.tokens, quote.at_most]).toEqual([quote.tokens, quote.tokens]);
      }
      const after = await periodOf(db.pool, caller.accountId);
      expect([after.used - before.used, after.held]).toEqual([made.tokens, 0]);
    }),
    { numRuns: share(QUOTES) },
  );
  expect(told).toBeGreaterThanOrEqual(share(QUOTES / 20));
});
