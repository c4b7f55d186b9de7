import { expect, test } from 'vitest';
import { countyExtent } from '../../shared/regions/county-polygons.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { insertParcels, square } from '../support/parcels.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });
const ana = visitor(api);
await ana.signIn(await newUser(db, { operator: true }));

const partsIn = (text: string) => [...text.matchAll(/data-part[^>]*>([^<]*)</g)].map(([, part]) => part);

test('a county with only one town loaded says so wherever it is named', async () => {
  for (const path of ['/coverage', '/coverage/33019', '/admin/runs/1']) {
    const { status, text } = await ana.open(path);
    expect([path, status, partsIn(text)]).toEqual([path, 200, [expect.stringMatching(/\b1 .*Washington/)]]);
  }
  expect((await ana.open('/data')).text).toMatch(/Sullivan, NH<\/a><small>[^<]*\b1 .*Washington/);
});

test("a county with parcels throughout doesn't, and one without towns has no number", async () => {
  const [west, south, east, north] = countyExtent(23009)!;
  await insertParcels(db.pool, [
    { property_id: 23_009e8 + 1, boundary: square(west, south), situs_city: 'ELLSWORTH' },
    { property_id: 23_009e8 + 2, boundary: square(east, north), situs_city: 'ELLSWORTH' },
    { property_id: 23_019e8 + 1, boundary: square(-68.8, 44.8) },
  ]);
  const rowOf = (text: string, name: string) =>
    new RegExp(`<td[^>]*><a [^>]*>${name}</a>.*?</td>`, 's').exec(text)![0];
  const { text } = await ana.open('/coverage');
  expect(partsIn(rowOf(text, 'Hancock, ME'))).toEqual([]);
  expect(partsIn(rowOf(text, 'Penobscot, ME'))).toEqual([expect.not.stringMatching(/\d/)]);
});

test('a county without boundaries opens the map at its location, and says what is missing', async () => {
  await insertParcels(db.pool, [{ property_id: 23_003e8 + 1, acres: 5 }]);
  const { text } = await ana.open('/data?county=23003');
  expect(JSON.parse(/data-start="([^"]*)"/.exec(text)![1]!)).toEqual(countyExtent(23003));
  expect(text).toMatch(/class="notice warn"[^>]*>(?:(?!<\/p>).)*Aroostook, ME.*?href="\/admin\/files"/s);
  const box = await ana.open('/data/box.json?county=23003');
  expect(JSON.parse(box.text)).toEqual(countyExtent(23003));
  // One that is not loaded at all, too.
  const none = await ana.open('/data?county=01001');
  expect(JSON.parse(/data-start="([^"]*)"/.exec(none.text)![1]!)).toEqual(countyExtent(1001));
  // And nothing is said where boundaries are there.
  expect((await ana.open('/data?county=33019')).text).not.toContain('href="/admin/files"');
});
