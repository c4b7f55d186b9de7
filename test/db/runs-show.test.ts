import { join } from 'node:path';
import { expect, test } from 'vitest';
import { showRun } from '../../cli/runs-command.ts';
import { createTestDatabase } from '../support/database.ts';
import { geographicKeys, writeTiff } from '../support/geotiff.ts';
import { feedOf, ingest, writeFeatures } from '../support/ingest.ts';
import { road, roadFeed, writeRoads } from '../support/layers.ts';

const { folder, pool } = await createTestDatabase();

/** What `plat runs show` prints of a run. */
const shown = async (runId: number): Promise<string> => (await showRun({ db: pool }, runId))[1];

test('plat runs show describes what happened to a layer, without anything about parcels', async () => {
  writeRoads(folder, 'shown', [road(0), road(0), road(1, 'S1200'), road(2, 'S1820'), road(3, '')]);
  const feed = roadFeed(folder, 'shown', { gates: { max_reject_percent: 50 } });
  const text = await shown((await ingest(pool, feed)).runId);
  expect(text).toMatch(/run \d+ of shown: merged/);
  const figures = Object.fromEntries(
    [...text.matchAll(/^ {2}(\w+) {2,}(.*)$/gm)].map(match => match.slice(1)),
  );
  expect(figures).toMatchObject({
    read: 'layer 5',
    rows: '2',
    new: '2',
    unchanged: '0',
    retired: '0',
    identical: '1',
    extent: 'longitudes -72.15 to -72.14, latitudes 43.2 to 43.202',
    coverage: expect.any(String),
    counting: 'local 2, normal 1',
    not_counting: 'S1820 1',
    rejected: 'missing_class 1',
  });
  for (const figure of ['parts', 'returned', 'dropped', 'filled']) expect(figures).not.toHaveProperty(figure);
  expect(text).toContain('layer row 5, class: missing_class: ');
});

test.each<[string, object, string]>([
  ['a county', { fips: '33019' }, 'county 33019'],
  ['a box', { coverage: [-72.5, 43, -72, 43.5] }, 'longitudes -72.5 to -72, latitudes 43 to 43.5'],
])('it tells where the layer is taken for complete: %s', async (_what, scope, words) => {
  writeRoads(folder, 'scoped', [road(0), road(1)]);
  const { runId } = await ingest(pool, roadFeed(folder, 'scoped', { ...scope }));
  expect(await shown(runId)).toMatch(new RegExp(`^  coverage +${words}$`, 'm'));
});

test('an elevation run shows its file but no bytes, because only headers are read', async () => {
  writeTiff(join(folder, 'plane.tif'), {
    width: 4,
    height: 4,
    at: () => 7,
    keys: geographicKeys(4269),
    grid: { originX: -73, originY: 44, stepX: 0.25, stepY: -0.25 },
  });
  const feed = feedOf(folder, { name: 'plane', kind: 'elevation', elevation: { source: 'plane.tif' } });
  const text = await shown((await ingest(pool, feed)).runId);
  expect(text).toMatch(/^ {2}elevation +.*plane\.tif$/m);
  expect(text).not.toContain('bytes');
});

test('a roll run shows the results of its sales, the reasons for rejects, and the gate that blocks it', async () => {
  const columns = { situs_city: 'TOWN', last_sale_date: 'SOLD', last_sale_price: 'PRICE' };
  const roll = { source: 'sold.ndgeojson', format: 'ndgeojson', key: 'PIN', columns };
  const feed = (minPrice: number) =>
    feedOf(folder, {
      name: 'sold',
      kind: 'assessor',
      fips: '09001',
      roll,
      gates: { max_reject_percent: 50 },
      sales: { label: 'sold', min_price: minPrice },
    });
  const parcel = (pin: string, town: string | null, price: number) => ({
    properties: { PIN: pin, TOWN: town, SOLD: '2024-05-01', PRICE: price },
    geometry: null,
  });
  writeFeatures(join(folder, 'sold.ndgeojson'), [
    parcel('A', 'Shelton', 1_000),
    parcel('B', 'Shelton', 5_000),
    parcel('C', null, 9_000),
  ]);
  const text = await shown((await ingest(pool, feed(500))).runId);
  expect(text).toMatch(/^ {2}sales +comps 2, disqualified 0, multi_parcel 0$/m);
  expect(text).toMatch(/^ {2}rejected +former_county 1$/m);
  expect(text).toContain('roll row 3, fips: former_county: 09001 ');
  expect(await shown((await ingest(pool, feed(2_000))).runId)).toMatch(
    /^ {2}gate sales: 1 of 2 sales .*\b50\.0%.*\b10%/m,
  );
});
