import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guessFormat } from '../../../workers/formats/guess-format.ts';
import { readInput } from '../../../workers/formats/read-format.ts';
import { collect, contextFor, fixtures, makeZip, temporaryFolder } from './make.ts';

const folder = temporaryFolder();

test.each<[string, string | null, string[]]>([
  ['upload.zip', 'csv', ['roll.csv']],
  ['upload.zip', 'csv', ['2026/ROLL.CSV', 'layout.pdf']],
  ['upload.zip', 'csv', ['a.csv', 'readme.txt']],
  ['upload.zip', 'geojson', ['parcels.geojson', 'readme.txt']],
  ['upload.zip', 'xlsx', ['roll.xlsx']],
  ['upload.zip', 'shapefile', ['a.shp', 'a.dbf', 'a.prj', 'owners.csv']],
  ['upload.zip', 'ssurgo', ['ME019/spatial/soilmu_a_me019.shp', 'ME019/tabular/comp.txt', 'readme.txt']],
  ['upload.zip', 'ssurgo', ['wss_gsmsoil_ME/spatial/gsmsoilmu_a_me.shp']],
  ['upload.zip', 'dbf', ['roll.dbf']],
  ['upload.zip', 'filegdb', ['county.gdb/a00000001.gdbtable', 'county.gdb/timestamps']],
  ['upload.zip', 'filegdb', ['a00000001.gdbtable', 'a00000001.gdbtablx', 'gdb', 'readme.txt']],
  // What it is nobody can tell: as a zip without a word about it always was.
  ['upload.zip', 'shapefile', ['a.csv', 'b.gpkg', 'c.geojson']],
  ['upload.zip', 'shapefile', ['notes.pdf']],
  // Its name tells.
  ['roll.csv.zip', 'csv', ['a.dat']],
  ['upload', null, ['roll.csv']],
])('%s is %s when it holds %j', async (name, format, members) => {
  const path = folder.put(name, makeZip(Object.fromEntries(members.map(member => [member, 'x']))));
  expect(await guessFormat(path)).toBe(format);
});

test('a ZIP with a CSV is read as one', async () => {
  const path = folder.put('parcels.zip', makeZip({ 'roll.csv': 'a,b\n1,2\n' }));
  const format = (await guessFormat(path)) as 'csv';
  const { rows } = await collect(readInput({ source: path, format }, contextFor(folder.path)));
  expect(rows.map(({ values }) => values)).toEqual([{ a: '1', b: '2' }]);
});

test('a damaged ZIP, a missing file, and an unknown file', async () => {
  const damaged = folder.put('damaged.zip', makeZip({ 'roll.csv': 'a' }).subarray(0, 20));
  await expect(guessFormat(damaged, 'mine.zip')).rejects.toMatchObject({ code: 'feed_source' });
  expect(await guessFormat(join(folder.path, 'missing.zip'))).toBe('shapefile');
  expect(await guessFormat(join(fixtures, 'bangor-parcels.zip'))).toBe('shapefile');
});
