import { expect, test } from 'vitest';
import { startTestApi, usageOf } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { makeExports } from '../support/exports.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });
const SEARCH = '?county=33019&acres_min=100';

test('what a search finds is ordered with its price told, downloaded, free the second time, and deleted', async () => {
  const user = await newUser(db);
  const ana = visitor(api);
  await ana.signIn(user);
  expect((await ana.open('/exports')).text).toContain('No files yet');
  expect((await ana.open(`/data${SEARCH}`)).text).toContain(`href="/exports?county=33019&amp;acres_min=100"`);
  const form = (await ana.open(`/exports${SEARCH}`)).text;
  const cost = Number(/Export for (\d+) tokens/.exec(form)![1]);
  const filter = /name="filter" value="([^"]*)"/.exec(form)![1]!.replaceAll('&quot;', '"');
  const fields = { filter, kind: 'mail', tokens: String(cost) };
  expect((await ana.submit('/exports', fields)).headers.get('location')).toBe('/exports');
  expect((await ana.open('/exports')).text).toMatch(/waits for its turn.*Cancel/s);
  await makeExports(db);
  expect(await usageOf(db, user.accountId)).toEqual({ tokens: cost, calls: 1, daily: cost });
  const list = (await ana.open('/exports')).text;
  const file = await ana.open(/href="(\/files\/[^"]+)"/.exec(list)![1]!);
  expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="plat-[0-9a-f]{8}\.csv"$/);
  expect(file.text.trimEnd().split('\r\n')).toHaveLength(cost + 1);
  expect((await ana.open(`/exports${SEARCH}`)).text).toContain('Export for 0 tokens');
  const remove = /name="remove" value="([^"]+)"/.exec(list)![1]!;
  expect((await ana.submit('/exports', { remove })).status).toBe(303);
  expect((await ana.open('/exports')).text).toContain('No files yet');
});
