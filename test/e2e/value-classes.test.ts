import { beforeAll, expect, test } from 'vitest';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });
const ana = visitor(api);

beforeAll(async () => ana.signIn(await newUser(db)));

/** The colors of a map's legend, and the words and counts of all of its classes. */
async function legendOf(search: string) {
  const { text } = await ana.open(`/data?${search}`);
  const legend = /<details id="legend".*?<\/ul>/s.exec(text)![0];
  return {
    colors: /data-colors="([^"]*)"/.exec(legend)?.[1],
    classes: [...legend.matchAll(/<span>([^<]*)<\/span><b>([^<]*)<\/b>/g)].map(([, ...all]) => all),
  };
}

test("a whole county's legend is counted with its valuations, and is the same as counting its parcels", async () => {
  const whole = await legendOf('county=33019');
  expect(whole.colors).toBeDefined();
  const { classes, colors } = await legendOf('counties=33019');
  expect(whole).toEqual({ classes, colors });
  expect((await legendOf('county=33019&color=value_per_acre')).colors).toBe(colors);
});

test('parcels that came after the valuations count as unknown', async () => {
  const unknown = async () => Number((await legendOf('county=33019')).classes.at(-1)![1]);
  const before = await unknown();
  await db.pool.query('update county_coverage set parcels = parcels + 7 where fips = 33019');
  expect(await unknown()).toBe(before + 7);
  // Parcels that have left the roll don't make it negative.
  await db.pool.query('update county_coverage set parcels = 1 where fips = 33019');
  expect((await legendOf('county=33019')).classes).toHaveLength(5);
});

test('a county without valuations has no colors until one is chosen', async () => {
  await db.pool.query('update valuation_counties set ppa_breaks = null, ppa_counts = null');
  expect((await legendOf('county=33019')).colors).toBeUndefined();
  expect((await legendOf('county=33019&color=value_per_acre')).colors).toBeDefined();
  // With a class of unknown acres.
  expect((await legendOf('county=33019&color=acres')).classes).toHaveLength(6);
});
