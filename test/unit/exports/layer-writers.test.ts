import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ExportColumn } from '../../../shared/exports/export-columns.ts';
import { encodeBoundary } from '../../../shared/geo/geometry-codec.ts';
import type { MultiPolygon } from '../../../shared/geo/geometry-types.ts';
import type { FileRow, OpenFile } from '../../../workers/exports/file-writer.ts';
import { openFlatGeobuf } from '../../../workers/exports/flatgeobuf-file.ts';
import { openGeoPackage } from '../../../workers/exports/geopackage-file.ts';
import { testFolder } from '../../support/folder.ts';
import { readFlatGeobufFile, readGeoPackageFile } from '../../support/layer-files.ts';

const folder = testFolder();
const COLUMNS: ExportColumn[] = [
  { name: 'property_id', type: 'integer' },
  { name: 'owner_name', type: 'text' },
  { name: 'overlay."a".percent', type: 'number' },
  { name: 'vacant', type: 'boolean' },
  { name: 'sources', type: 'text' },
];
const OPTIONS = { boundary: true, layer: 'parcels', asOf: new Date('2026-11-30T12:00:00Z') };

const square = (x: number, y: number, size: number): MultiPolygon[0][0] => [
  [x, y],
  [x + size, y],
  [x + size, y + size],
  [x, y + size],
  [x, y],
];
const LAKE = square(-71.998, 43.002, 0.001).toReversed();
const SHAPES: (MultiPolygon | null)[] = [
  [[square(-72, 43, 0.01), LAKE]],
  [[square(-70, 43, 0.01)], [square(-69, 44, 0.01)]],
  null,
];
const ROWS: FileRow[] = ['Ñandú \u{1f332} "S.A."', '', "'; drop table parcels; --", 'x'.repeat(70_000)].map(
  (owner, i) => ({
    id: String(i),
    cells: [`330190000000${i}`, owner, ['-1.5', ''][i % 2]!, ['t', 'f', ''][i % 3]!, 'Roll'],
    place: SHAPES[i % 3] == null ? null : { encoded: encodeBoundary(SHAPES[i % 3]!) },
  }),
);
const EXPECTED = ROWS.map(({ cells: [id, owner, percent, vacant, sources] }, i) => ({
  properties: {
    property_id: Number(id),
    owner_name: owner || null,
    'overlay."a".percent': percent === '' ? null : Number(percent),
    vacant: vacant === '' ? null : vacant === 't',
    sources,
  },
  geometry: SHAPES[i % 3] == null ? null : { type: 'MultiPolygon', coordinates: SHAPES[i % 3] },
}));

async function write(open: OpenFile, batches: FileRow[][]): Promise<Buffer> {
  const writer = await open(COLUMNS, OPTIONS);
  const parts = batches.map(rows => writer.write(rows));
  for (const bytes of writer.end()) parts.push(bytes);
  await writer.close!();
  return Buffer.concat(parts);
}

const FORMATS = [
  { name: 'gpkg', open: openGeoPackage },
  { name: 'fgb', open: openFlatGeobuf },
];

test.each(FORMATS)(
  '$name: text, numbers, holes, and several parts are read as they were written',
  async ({ name, open }) => {
    const bytes = await write(open, [ROWS.slice(0, 1), ROWS.slice(1)]);
    const path = join(folder, 'written.gpkg');
    const { rows, layer } = await (name === 'gpkg'
      ? readGeoPackageFile(bytes, path)
      : readFlatGeobufFile(bytes));
    const idOf = (row: { properties: Record<string, unknown> }) => Number(row.properties.property_id);
    expect(rows.toSorted((a, b) => idOf(a) - idOf(b))).toEqual(EXPECTED);
    expect(layer).toBe('parcels');
  },
);

test.each(FORMATS)('$name: the same rows have the same bytes', async ({ open }) => {
  const many = Array.from({ length: 80 }, (_, i) => ROWS[i % ROWS.length]!);
  const first = await write(open, [many, many]);
  expect((await write(open, [many, many])).equals(first)).toBe(true);
});

test.each(FORMATS)('$name: an export that fails leaves no files', async ({ open }) => {
  const folders = () => readdirSync(tmpdir()).filter(name => name.includes(`_${process.pid}_`));
  const before = folders();
  const writer = await open(COLUMNS, OPTIONS);
  writer.write(ROWS);
  const own = folders().filter(name => !before.includes(name));
  expect(own).toHaveLength(1);
  await writer.close!();
  expect(existsSync(join(tmpdir(), own[0]!))).toBe(false);
});
