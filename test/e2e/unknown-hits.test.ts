import { expect, test } from 'vitest';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { insertRegions } from '../support/ingest.ts';
import { insertParcels } from '../support/parcels.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase();
const api = await startTestApi(db, { pages: true });

test('unknown values are counted next to the matches, and one click excludes them', async () => {
  await insertRegions(db.pool, [{ type: 'county', code: '23009', state: 'ME', fips: 23009 }]);
  await insertParcels(
    db.pool,
    Array.from({ length: 1_300 }, (_, n) => ({
      property_id: 23_009e8 + n + 1,
      corporate_owner: n < 12 ? null : n === 12,
    })),
  );
  const ana = visitor(api);
  await ana.signIn(await newUser(db));
  const open = async (query: string) => (await ana.open(`/data?county=23009&${query}`)).text;
  const countOf = (text: string) => /<output id="count">([\d,]+)/.exec(text)![1]!;
  const inSwitch = (text: string, name: string) =>
    new RegExp(`<small id="unknown-${name}">([^<]*)`).exec(text)![1]!.match(/[\d,]+/g);
  const text = await open('exclude_corp_owner=true');
  expect(countOf(text)).toBe('1,299');
  expect(inSwitch(text, 'exclude_corp_owner')).toEqual(['1,287', '12']);
  const [, href, inChip] = /<a href="([^"]*)" class="chip unknown"[^>]*>([\d,]+)/.exec(text)!;
  expect(inChip).toBe('12');
  const known = (await ana.open(href!.replaceAll('&amp;', '&'))).text;
  expect(countOf(known)).toBe('1,287');
  expect(known).not.toContain('class="chip unknown"');
  // No roads are loaded: access is unknown for every parcel.
  expect(inSwitch(await open('exclude_landlocked=true'), 'exclude_landlocked')).toEqual(['0', '1,300']);
});
