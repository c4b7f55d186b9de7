import { expect, test } from 'vitest';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });
const ana = visitor(api);
await ana.signIn(await newUser(db));

const linkOn = async (path: string) => {
  const { status, text } = await ana.open(path);
  expect(status).toBe(200);
  return /data-copies="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
};

test('the share page shows the link to a search or a parcel, which leads back to it', async () => {
  const search = '?county=33019&acres_min=5&map=12/43.1/-72.1';
  expect(await linkOn(`/data/share${search}`)).toBe(`${api.url}/data${search}`);
  const parcel = '?county=33019&parcel=3301900001247';
  expect(await linkOn(`/data/share${parcel}`)).toBe(`${api.url}/data${parcel}`);
  expect((await ana.open(`/data${parcel}`)).text).toContain(
    `href="/data/share${parcel.replace('&', '&amp;')}"`,
  );
  // The markup of a URL stays text.
  expect((await ana.open('/data/share?owner=%22%3E%3Cscript%3E')).text).not.toContain('"><script>');
  expect((await visitor(api).open('/data/share')).status).toBe(303);
});

test('a parcel page has the title of its heading', async () => {
  const unnamed = 3301900000047;
  await db.pool.query(
    "update parcels set situs_address = null, apn = '000007-000044' where fips = 33019 and property_id = $1",
    [unnamed],
  );
  for (const id of [3301900001247, unnamed]) {
    const { text } = await ana.open(`/data?parcel=${id}`);
    const heading = /<h1>([^<]+)<\/h1>/.exec(text)![1]!;
    expect(/<title>([^<]+)<\/title>/.exec(text)![1]).toBe(`${heading} · Plat`);
  }
});
