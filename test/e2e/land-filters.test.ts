import { expect, test } from 'vitest';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { insertRegions } from '../support/ingest.ts';
import { insertParcels } from '../support/parcels.ts';
import { newUser, visitor } from '../support/visitor.ts';

const db = await createTestDatabase();
const api = await startTestApi(db, { pages: true });
const COUNTY = 23_009e8;

const BUILDABLE = { buildable_acres: 2.4, buildable_percent: 60, buildable_patch_acres: 1.5 };

/** Parcels 1 to 5: access and landlocked as stored, and whether they are on water. */
const LAND = [
  { access: 'public_road', landlocked: false, waterfront: true, waterfront_ft: 120.25, ...BUILDABLE },
  { access: 'private_road', landlocked: false, waterfront: false, waterfront_ft: 0 },
  { access: 'unmapped', landlocked: false, waterfront: null },
  { access: 'none', landlocked: true, waterfront: null },
  { access: null, landlocked: null, waterfront: null },
];

const count = (text: string) => Number(/<output id="count">([\d,]+)/.exec(text)![1]);
const checked = (text: string) =>
  [...text.matchAll(/<input type="checkbox" name="access" value="(\w+)" checked/g)].map(([, value]) => value);

test('the filter form keeps the chosen kinds of access, and a parcel page shows the access', async () => {
  await insertRegions(db.pool, [{ type: 'county', code: '23009', state: 'ME', fips: 23009 }]);
  await insertParcels(
    db.pool,
    LAND.map((land, n) => ({ property_id: COUNTY + n + 1, ...land })),
  );
  const ana = visitor(api);
  await ana.signIn(await newUser(db));
  const open = async (query: string) => (await ana.open(`/data?county=23009&${query}`)).text;

  const some = await open('access=none&access=unmapped');
  expect([count(some), checked(some)]).toEqual([2, ['unmapped', 'none']]);
  const unknown = await open('access=unknown');
  expect([count(unknown), checked(unknown)]).toEqual([1, ['unknown']]);
  expect(checked(await open('access=private_road,public_road'))).toEqual(['public_road', 'private_road']);
  expect(count(await open('exclude_landlocked=true'))).toBe(4);
  expect(count(await open('only_landlocked=true'))).toBe(1);
  expect(count(await open('waterfront=true'))).toBe(1);
  expect(count(await open('waterfront_ft_min=120.25'))).toBe(1);
  expect(count(await open('waterfront_ft_min=120.26'))).toBe(0);
  expect(count(await open('buildable_acres_min=2.4&buildable_percent_max=60'))).toBe(1);
  expect(count(await open('buildable_patch_acres_min=1.51'))).toBe(0);

  /** The states of the facts about a parcel's land: first its access, then its shore if it has one. */
  const facts = async (n: number) => {
    const [, list] = /<ul class="land">(.*?)<\/ul>/s.exec(await open(`parcel=${COUNTY + n}`))!;
    return [...list!.matchAll(/<li class="(\w+)">/g)].map(([, state]) => state);
  };
  expect((await facts(1)).slice(0, 2)).toEqual(['yes', 'yes']);
  expect((await facts(1)).length).toBe((await facts(2)).length + 1);
  for (const [n, state] of ['yes', 'part', 'no', 'unknown'].entries())
    expect((await facts(n + 2))[0]).toBe(state);
});

test('the map colors by access, by shore, and by buildable acres', async () => {
  const ana = visitor(api);
  await ana.signIn(await newUser(db));
  const counts = async (color: string) => {
    const { text } = await ana.open(`/data?county=23009&color=${color}`);
    const [, list] = /<ul>(.*?)<\/ul>/s.exec(text.slice(text.indexOf('id="legend"')))!;
    return [...list!.matchAll(/<b>([\d,]+)<\/b>/g)].map(([, parcels]) => Number(parcels));
  };
  // Each class, then unknown. There are no other parcels.
  expect(await counts('access')).toEqual([1, 1, 1, 1, 1]);
  expect(await counts('waterfront')).toEqual([1, 1, 3]);
  expect(await counts('buildable')).toEqual([0, 0, 1, 0, 0, 4]);
});

test('a color that is unknown for all results has no empty classes, and comes after colors with data', async () => {
  const ana = visitor(api);
  await ana.signIn(await newUser(db));
  const { text } = await ana.open('/data?county=23009&color=slope');
  const legend = text.slice(text.indexOf('id="legend"'));
  expect([...legend.matchAll(/<b>([\d,]+)<\/b>/g)].map(([, parcels]) => Number(parcels))).toEqual([5]);
  expect(/<p>(.*?)<\/p>/.exec(legend)![1]).toMatch(/slope.*23009, ME/);
  const colors = [...legend.matchAll(/<a href="[^"]*color=(\w+)"[^>]*>[^<]*<\/a>(<small>)?/g)];
  const marks = colors.map(([, , mark]) => mark !== undefined);
  expect(colors.filter((_, n) => !marks[n]).map(([, color]) => color)).toEqual(['none', 'acres']);
  expect(marks).toEqual(marks.toSorted());
  // Some parcels have a figure, so nothing needs an explanation.
  const { text: some } = await ana.open('/data?county=23009&color=access');
  expect(some.slice(some.indexOf('id="legend"'))).not.toContain('<p>');
});
