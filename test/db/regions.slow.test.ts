import { expect, test } from 'vitest';
import { loadRegions } from '../../workers/regions/load-regions.ts';
import { createTestDatabase } from '../support/database.ts';
import { SULLIVAN, ZIP_03280 } from '../support/regions.ts';

const db = await createTestDatabase();

async function rowsOf<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
  return (await db.pool.query<T>(text, values)).rows;
}

const stored = async () => {
  const regions = await rowsOf('select * from regions order by type, code');
  const stats = await rowsOf<{ xmin: string }>(
    'select type, code, etag, md5(body) as body, xmin::text as xmin from region_stats order by type, code',
  );
  return JSON.stringify([regions, stats]);
};

test('every county and ZIP is loaded, each with a response that says so', async () => {
  const loaded = await loadRegions(db.pool);

  // The Census Bureau counts 3,144 in the states and DC (2023) and 78 in Puerto Rico; with the islands 3,233.
  expect(loaded).toEqual({
    counties: 3_233,
    zips: 40_977,
    skipped: { military: 511, abroad: 2 },
    changed: 3_233 + 40_977,
  });
  expect(
    await rowsOf('select type, count(*)::int as n from region_stats group by type order by type'),
  ).toEqual([
    { type: 'county', n: 3_233 },
    { type: 'zip', n: 40_977 },
  ]);
  const bodies = await rowsOf<{ body: Buffer; etag: string }>(
    "select body, etag from region_stats where (type, code) in (('county', '33019'), ('zip', '03280')) order by type",
  );
  expect(bodies.map(row => JSON.parse(row.body.toString()))).toEqual([
    { ...SULLIVAN, as_of: null, stats: [] },
    { ...ZIP_03280, as_of: null, stats: [] },
  ]);
  expect(new Set(bodies.map(row => row.etag)).size).toBe(2);
});

test.each([
  ['03280', 33_019, 'Sullivan', 'NH'],
  ['04401', 23_019, 'Penobscot', 'ME'],
  ['90210', 6_037, 'Los Angeles', 'CA'],
  ['99689', 2_282, 'Yakutat', 'AK'], // the file still has the former Skagway-Hoonah-Angoon
  ['96863', 15_003, 'Honolulu', 'HI'], // and this one twice, once as a fleet post office
])('ZIP %s lies in county %i', async (zip, fips, county, state) => {
  expect(
    await rowsOf("select fips, county_name, state from regions where type = 'zip' and code = $1", [zip]),
  ).toEqual([{ fips, county_name: county, state }]);
});

test('no Connecticut ZIP is left in a former county', async () => {
  const [row] = await rowsOf<{ n: number; least: number; greatest: number }>(
    "select count(*)::int as n, min(fips) as least, max(fips) as greatest from regions where type = 'zip' and state = 'CT'",
  );
  expect(row?.n).toBeGreaterThan(400);
  expect([row?.least, row?.greatest]).toEqual([9_110, 9_190]);
});

test('loading again changes no row', async () => {
  const before = await stored();
  expect(await loadRegions(db.pool)).toMatchObject({ counties: 3_233, zips: 40_977, changed: 0 });
  expect(await stored()).toBe(before);
});

test('missing or changed regions are restored, and only those: statistics survive', async () => {
  await db.pool.query(
    "update region_stats set body = 'kept', etag = 'kept' where type = 'county' and code = '01001'",
  );
  const before = await stored();
  await db.pool.query("delete from region_stats where type = 'county' and code = '23019'");
  await db.pool.query(
    "update regions set name = 'Soolivan', county_name = 'Soolivan' where type = 'county' and code = '33019'",
  );
  expect(await loadRegions(db.pool)).toMatchObject({ changed: 1 });
  const after = await stored();
  const without23019 = (text: string) =>
    text.replace(/\{"type":"county","code":"23019"[^}]*xmin":"\d+"\}/, '');
  expect(without23019(after)).toBe(without23019(before));
  // The stored response of a corrected region is written anew by the next recompute.
  expect(await rowsOf('select type, code from stats_dirty')).toEqual([{ type: 'county', code: '33019' }]);
});
