import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readInput } from '../../../workers/formats/read-format.ts';
import type { SourceRow } from '../../../workers/formats/row-batch.ts';
import { loadFeed, parseFeed } from '../../../workers/ingest/load-feeds.ts';
import { suggestJoined } from '../../../workers/setup/suggest-joined.ts';
import { testFolder } from '../../support/folder.ts';
import { assessor, sampleFeeds } from '../feeds/support.ts';

const folder = testFolder();
/** Parcels of Bangor without a unit, of which MAPLOTUNIT and MAP_LOT are one number. */
async function bangor(): Promise<SourceRow[]> {
  const { roll, baseDir } = assessor(await loadFeed(join(sampleFeeds, 'bangor-me.yaml')));
  const context = { baseDir, tmpDir: '/tmp', signal: new AbortController().signal, env: {} };
  const rows = new Map<unknown, SourceRow>();
  for await (const batch of readInput(roll.input, context)) {
    for (const row of batch.rows)
      if (/^\d{3}-\d{3}$/.test(String(row.values.MAP_LOT))) rows.set(row.values.MAP_LOT, row);
    if (rows.size >= 400) break;
  }
  return [...rows.values()];
}

const rows = await bangor();
const parcels = rows.map(({ values }) => values);
// In another order than the rolls have.
const features = rows
  .map(({ values, geometry }) => ({ type: 'Feature', properties: values, geometry }))
  .reverse();
const SHAPES = 'parcels.geojson';
writeFileSync(join(folder, SHAPES), JSON.stringify({ type: 'FeatureCollection', features }));

function csv(name: string, rows: readonly Record<string, unknown>[]): void {
  const names = Object.keys(rows[0]!);
  const lines = [names, ...rows.map(row => names.map(each => `"${row[each] ?? ''}"`))];
  writeFileSync(join(folder, name), `${lines.map(line => line.join(',')).join('\n')}\n`);
}

const suggest = (...sources: string[]) =>
  suggestJoined({
    inputs: sources.map(source => ({ source, format: source.endsWith('.csv') ? 'csv' : 'geojson' })),
    baseDir: folder,
    file: join(folder, 'bangor.yaml'),
    rows: 300,
    head: { name: 'bangor' },
  });

test('a roll and shapes are joined on the columns whose values agree, however they are written', async () => {
  csv(
    'roll.csv',
    parcels.map((row, i) => ({
      NO: i + 1,
      // Without its dash, and of every tenth parcel one that the shapes do not have.
      PARCEL: i % 10 === 0 ? `9999${i}` : String(row.MAP_LOT).replace('-', ''),
      OWNER: `DOE JOHN ${i} LLC`,
      TOTAL_VALUE: row.VALUE_TOT,
    })),
  );
  const found = await suggest('roll.csv', SHAPES);
  const [only] = found.joins;
  expect([only?.columns, only?.checked, only?.matched]).toEqual([['PARCEL', 'MAPLOTUNIT'], 300, 270]);
  expect([found.problems, found.fips]).toEqual([[], '23019']);
  const feed = assessor(parseFeed(found.text, join(folder, 'bangor.yaml')));
  expect(feed.roll.columns).toMatchObject({ apn: { column: 'PARCEL' }, owner_name: { column: 'OWNER' } });
  expect(feed.shape?.columns.situs_address).toEqual({ column: 'PROP_ADDRS' });
  expect(found.check?.keys).toMatchObject({ checked: 300, matched: 270 });
  expect(found.text).toMatch(/# matches 270 of 300 keys/);
});

test('two rolls become a list, the second with what the first lacks', async () => {
  csv(
    'owners.csv',
    parcels.map((row, i) => ({ PARCEL_ID: row.MAP_LOT, OWNER: `DOE JOHN ${i} LLC` })),
  );
  csv(
    'values.csv',
    parcels.map((row, i) => ({
      MAPLOT: row.MAP_LOT,
      OWNER: `ROE ${i} LLC`,
      YEAR_BUILT: 1900 + ((i * 7) % 90),
    })),
  );
  const found = await suggest('owners.csv', 'values.csv', SHAPES);
  const feed = assessor(parseFeed(found.text, join(folder, 'bangor.yaml')));
  expect(found.problems).toEqual([]);
  expect(feed.furtherRolls.map(({ key, columns }) => [key.columns, Object.keys(columns)])).toEqual([
    [['MAPLOT'], ['year_built']],
  ]);
  expect(feed.shape?.key.columns).toEqual(['MAPLOTUNIT']);
});

test('sources without a common key are refused with the reason, and so are two with shapes', async () => {
  csv(
    'other.csv',
    Array.from({ length: 50 }, (_, i) => ({ PIN: `77-${1000 + 31 * i}`, OWNER: `DOE ${i} LLC` })),
  );
  const { problems } = await suggest('other.csv', SHAPES);
  expect(problems[0]).toMatch(/other\.csv.*parcels\.geojson.*column.*keys/);
  await expect(suggest(SHAPES, SHAPES)).rejects.toThrow(/boundaries/);
});
