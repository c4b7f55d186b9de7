import { expect, test } from 'vitest';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { insertParcels } from '../support/parcels.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db, { pages: true });
const user = await newUser(db);
const browser = visitor(api);
await browser.signIn(user);

test('a market starts with its figures, recent months, and narrow sizes; other markets are compared with it', async () => {
  const { text } = await browser.open('/markets/33019');
  expect(text).toContain('id="past"');
  expect(text).toContain('Aug 2025');
  expect(text).not.toContain('Sep 2025');
  expect(text).toContain('under 0.25 acres');
  expect(text).not.toContain('5 to 100 acres');
  expect(text).toContain('All, 0.2 to 100 acres');
  // Over 100 %: explained where it stands.
  expect(text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')).toMatch(/150% 3 [^\d]* 2 /);
  expect((await browser.open('/markets/33019?sizes=overlapping')).text).toContain('5 to 100 acres');

  const compared = await browser.open(
    '/markets/33019?with=03280&with=Sulivan&bucket=2+acre-100+acre&years=1',
  );
  expect(compared.text).toContain('03280 (Sullivan, NH)');
  expect(compared.text).toContain('“Sulivan”');
  expect(compared.text).toContain('Sep 2024');
  expect((await browser.open('/markets/zip/03280')).text).toContain(
    '<a href="/markets/33019">Sullivan, NH</a>',
  );
});

test("a county without sales says why, and one that isn't loaded says how to load it, alone and in a comparison", async () => {
  const unloaded = /class="(notice|empty).*Autauga, AL/s;
  const alone = await browser.open('/markets/01001');
  expect(alone.text).toMatch(unloaded);
  expect(alone.text).not.toContain('type=zip&amp;county=01001');
  expect((await browser.open('/markets?type=zip&county=01001')).text).toMatch(unloaded);

  await insertParcels(db.pool, [{ property_id: 2_301_900_000_001, feed_id: 99 }]);
  const beside = (await browser.open('/markets/33019?with=23019&with=01001&bucket=2+acre-5+acre&years=10'))
    .text;
  const words = beside.replace(/<[^>]+>/g, '').replace(/\s+/g, ' ');
  expect(words).toContain('Penobscot, ME; Autauga, AL');
  expect(words).toMatch(/Penobscot, ME: [^.]*sale/);
  expect(words).toMatch(/Autauga, AL: [^.]*parcels/);
  expect(words).toMatch(/ \d+ figures /);
  expect((await browser.open('/markets/33019?years=10')).text).toContain(' 1 figure ');
});

test('its months can be downloaded', async () => {
  const { text, headers } = await browser.open(
    '/markets/zip/03280?format=csv&years=10&bucket=2+acre-100+acre',
  );
  expect(headers.get('content-disposition')).toContain('.csv');
  const lines = text.trim().split('\r\n');
  expect(lines[0]).toContain('as_of,kind,n,bucket,Active,Pending');
  expect(lines).toHaveLength(121);
  expect(lines.at(-1)).toMatch(/^2025-08-31,restated,\d+,2 acre-100 acre,/);
});
