import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rootDir } from '../../../shared/platform/root.ts';
import { createTestDatabase } from '../../support/database.ts';
import { all, feedOf, ingest, square, writeFeatures } from '../../support/ingest.ts';

const { folder, pool } = await createTestDatabase();
const fixtures = join(rootDir, 'test', 'fixtures', 'feeds', 'sales');

/** A sale as `key status price acres address`, by key; `feed` brought it last. */
const comps = async (fips: number) =>
  (
    await all<{ text: string }>(
      pool,
      `select concat(f.name, ': ', l.source_id, ' ', l.status, ' ', l.price::int, ' ', round(l.lot_acres::numeric, 2), ' ',
         l.location is not null, ' ', l.address) as text
       from listings l join feeds f on f.id = l.feed_id where l.fips = $1 order by l.source_id`,
      [fips],
    )
  ).map(({ text }) => text);

/** Feeds are named after their files. */
const nameOf = (source: string) => source.split('.')[0]!;
const salesFeed = (preset: string, fips: string, listings: { source: string; format: string }) =>
  feedOf(folder, { name: nameOf(listings.source), kind: 'listings', fips, preset, listings });
const rollFeed = (preset: string, fips: string, source: string) =>
  feedOf(folder, {
    name: nameOf(source),
    kind: 'assessor',
    fips,
    preset,
    roll: { source, format: 'ndgeojson' },
  });

/** A lot in Miami-Dade County. */
const lotAt = (n: number) => square(-80.45 + 0.002 * n, 25.7, 0.001);

const NAL = {
  CO_NO: '23',
  DOR_UC: '000',
  LND_SQFOOT: 43_560,
  MULTI_PAR_SAL1: null,
  OR_BOOK1: null,
  OR_PAGE1: null,
  QUAL_CD1: null,
  VI_CD1: null,
  SALE_PRC1: null,
  SALE_YR1: null,
  SALE_MO1: null,
};

test("Florida's roll and its file of sales produce one comp per sale, with the roll's land", async () => {
  const parcel = (last: string, more: Record<string, unknown> = {}) => ({
    ...NAL,
    PARCEL_ID: `082128004003${last}`,
    PHY_ADDR1: `${last} SW 8 ST`,
    ...more,
  });
  const sold = {
    QUAL_CD1: '01',
    VI_CD1: 'V',
    SALE_PRC1: 90_000,
    SALE_YR1: 2024,
    SALE_MO1: 7,
    OR_BOOK1: '34321',
    OR_PAGE1: '0917',
  };
  const rows = ['1', '2', '3', '4', '5', '6', '7'].map(last => parcel(last, last === '1' ? sold : {}));
  writeFeatures(
    join(folder, 'nal.ndgeojson'),
    rows.map((properties, n) => ({ properties, geometry: lotAt(n) })),
  );
  copyFileSync(join(fixtures, 'florida-sdf.csv'), join(folder, 'sdf.csv'));
  const sdf = salesFeed('florida_sdf', '12086', { source: 'sdf.csv', format: 'csv' });
  const nal = rollFeed('florida_nal', '12086', 'nal.ndgeojson');
  expect((await ingest(pool, nal)).counts.sales).toEqual({ comps: 1, multi_parcel: 0, disqualified: 0 });
  const { status, counts } = await ingest(pool, sdf);
  expect([status, counts.sales, counts.matched_keys]).toEqual([
    'merged',
    { comps: 3, multi_parcel: 1, disqualified: 0, repeated: 1 },
    7,
  ]);
  const at = '12086/082128004003';
  const expected = [
    `nal: ${at}1/2024-07-01 SOLD 90000 1.00 t 1 SW 8 ST`,
    `sdf: ${at}2/2026-02-01 SOLD 72500 1.00 t 2 SW 8 ST`,
    `sdf: ${at}5/2026-04-01 OFF_MARKET 250000 1.00 t 5 SW 8 ST`,
    `sdf: ${at}6/2026-04-01 SOLD 81000 1.00 t 6 SW 8 ST`,
    `sdf: ${at}7/2026-04-01 SOLD 81000 1.00 t 7 SW 8 ST`,
  ];
  expect(await comps(12_086)).toEqual(expected);
  expect((await ingest(pool, sdf)).status).toBe('unchanged');
  expect((await ingest(pool, nal, { force: true })).counts.sales).toEqual({
    comps: 1,
    multi_parcel: 0,
    disqualified: 0,
  });
  // The Department disqualifies one afterwards.
  const text = readFileSync(join(folder, 'sdf.csv'), 'utf8');
  writeFileSync(join(folder, 'sdf.csv'), text.replace('35201,0088,,01', '35201,0088,,37'));
  const again = await ingest(pool, sdf, { force: true });
  expect(again.counts.sales).toEqual({ comps: 2, multi_parcel: 1, disqualified: 1, repeated: 1 });
  expect((await comps(12_086)).at(-1)).toBe(`sdf: ${at}7/2026-04-01 OFF_MARKET 81000 1.00 t 7 SW 8 ST`);
});

test('sales whose parcels arrive later, or are written differently, are placed then', async () => {
  copyFileSync(join(fixtures, 'new-jersey-sr1a.txt'), join(folder, 'sr1a.txt'));
  const sr1a = salesFeed('new_jersey_sr1a', '34025', { source: 'sr1a.txt', format: 'fixed_width' });
  expect((await ingest(pool, sr1a)).counts).toMatchObject({ matched_keys: 0, sales: { comps: 2 } });
  const lots = ['1310_29.02_4', '1310-30-5.01'];
  writeFeatures(
    join(folder, 'modiv.ndgeojson'),
    lots.map((PAMS_PIN, n) => ({
      properties: { PAMS_PIN, PROP_CLASS: '1', PROP_LOC: `${n} MAIN ST` },
      geometry: square(-74.3 + 0.002 * n, 40.3, 0.001),
    })),
  );
  const modiv = rollFeed('new_jersey', '34025', 'modiv.ndgeojson');
  await ingest(pool, modiv);
  const { status, counts } = await ingest(pool, sr1a);
  expect([status, counts.matched_keys, counts.changed]).toEqual(['merged', 2, 2]);
  expect(await comps(34_025)).toEqual([
    'sr1a: 34025/1310_29.02_4/2026-01-14 SOLD 118500 2.33 t MAIN ST',
    'sr1a: 34025/1310_30_5.01/2026-02-20 SOLD 95000 2.33 t 1 MAIN ST',
  ]);
});
