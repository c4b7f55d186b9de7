import type { SchemaElement } from 'hyparquet';
import { ByteWriter, geojsonToWkb, ParquetWriter } from 'hyparquet-writer';
import { snappyCompressor } from 'hysnappy';
import type { ExportColumn } from '../../shared/exports/export-columns.ts';
import { boundaryToWkb } from '../../shared/geo/geometry-codec.ts';
import type { Box } from '../../shared/geo/geometry-types.ts';
import { COPIED_BEFORE, type FileWriter, type Place, placeOf } from './file-writer.ts';
import { ROWS_AT_ONCE, unescapeCell } from './read-rows.ts';

const TAB = 0x09;
const LF = 0x0a;

type Kind = { element: Omit<SchemaElement, 'name'>; value(cell: string): unknown };

const TEXT: Kind = { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, value: cell => cell };
const INTEGER: Kind = { element: { type: 'INT64' }, value: cell => BigInt(Number(cell)) };

const KINDS: Record<ExportColumn['type'], Kind> = {
  text: TEXT,
  state: TEXT,
  zip: TEXT,
  integer: INTEGER,
  money: INTEGER,
  year: { element: { type: 'INT32' }, value: Number },
  number: { element: { type: 'DOUBLE' }, value: Number },
  boolean: { element: { type: 'BOOLEAN' }, value: cell => cell === 't' },
  date: {
    element: { type: 'INT32', converted_type: 'DATE' },
    value: day => Date.parse(`${day}T00:00:00Z`) / 86_400_000,
  },
};

/** Rows of a group: some 30 MB of texts. */
const GROUP = 20_000;

const SIDES = ['xmin', 'ymin', 'xmax', 'ymax'] as const;

function schemaOf(columns: readonly ExportColumn[]): SchemaElement[] {
  const optional = { repetition_type: 'OPTIONAL' } as const;
  return [
    { name: 'schema', num_children: columns.length + 2 },
    ...columns.map(({ name, type }) => ({ name, ...optional, ...KINDS[type].element })),
    { name: 'geometry', type: 'BYTE_ARRAY', ...optional },
    { name: 'bbox', num_children: SIDES.length, ...optional },
    ...SIDES.map((name): SchemaElement => ({ name, type: 'DOUBLE', repetition_type: 'REQUIRED' })),
  ];
}

/**
 * GeoParquet 1.1 (https://geoparquet.org/releases/v1.1.0/): WKB in longitude and latitude, with the box of
 * each row, by which readers skip the groups that are elsewhere. A batch becomes a row group.
 */
export function openGeoParquet(columns: readonly ExportColumn[], boundary: boolean): FileWriter {
  const bytes = new ByteWriter();
  const parquet = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(columns),
    compressors: { SNAPPY: snappyCompressor() },
    createdBy: 'plat',
  });
  const toValue = columns.map(({ type }) => KINDS[type].value);
  let extent: Box | null = null;
  let group: Cells[] = [];
  let rows = 0;

  const flush = (): Uint8Array => {
    const written = bytes.getBytes().slice();
    bytes.index = 0;
    return written;
  };
  const endBatch = (): Uint8Array => {
    if (rows === 0) return flush();
    const written = group;
    const shapes = written.flatMap(({ places }) => places.map(shapeOf));
    for (const { box } of shapes) if (box !== null) extent = extent === null ? box : union(extent, box);
    parquet.write({
      columnData: [
        ...columns.map(({ name }, column) => ({
          name,
          // Made when it is written, so that the values of one column at a time are in memory.
          get data() {
            return valuesOf(written, column, toValue[column]!);
          },
        })),
        { name: 'geometry', data: shapes.map(({ wkb }) => wkb), statistics: false },
        {
          name: 'bbox',
          data: shapes.map(({ box }) => box && { xmin: box[0], ymin: box[1], xmax: box[2], ymax: box[3] }),
        },
      ],
      rowGroupSize: rows,
    });
    group = [];
    rows = 0;
    return flush();
  };
  const add = (some: Cells): Uint8Array => {
    const before = rows < GROUP ? new Uint8Array() : endBatch();
    group.push(some);
    rows += some.places.length;
    return before;
  };
  return {
    write: some =>
      add({ places: some.map(({ place }) => place), cell: (row, column) => some[row]!.cells[column]! }),
    writeCopied: (lines, credit) => add(cellsOf(lines, columns.length - 1, credit)),
    endBatch,
    end() {
      const rest = endBatch();
      parquet.kvMetadata = [{ key: 'geo', value: JSON.stringify(geoMetadata(extent, boundary)) }];
      parquet.finish();
      return Buffer.concat([rest, flush()]);
    },
  };
}

/** Rows of a group, until it is written. */
type Cells = { places: Place[]; cell(row: number, column: number): string };

function valuesOf(group: readonly Cells[], column: number, toValue: Kind['value']): unknown[] {
  const values: unknown[] = [];
  for (const { places, cell } of group)
    for (let row = 0; row < places.length; row++) {
      const text = cell(row, column);
      values.push(text === '' ? null : toValue(text));
    }
  return values;
}

/** @param own columns before that of `credit` */
function cellsOf(lines: Buffer, own: number, credit: string): Cells {
  const text = lines.toString();
  const escaped = text.includes('\\');
  const width = COPIED_BEFORE + own;
  const ends = new Uint32Array(ROWS_AT_ONCE * width);
  let cells = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === TAB || sign === LF) ends[cells++] = at;
  }
  const cellAt = (i: number): string => {
    const cell = text.slice(i === 0 ? 0 : ends[i - 1]! + 1, ends[i]);
    return escaped && cell.includes('\\') ? unescapeCell(cell) : cell;
  };
  const places: Place[] = [];
  for (let i = 0; i < cells; i += width) places.push(placeOf(cellAt(i + 1), cellAt(i + 2), cellAt(i + 3)));
  return {
    places,
    cell: (row, column) => (column === own ? credit : cellAt(row * width + COPIED_BEFORE + column)),
  };
}

const geoMetadata = (extent: Box | null, boundary: boolean) => ({
  version: '1.1.0',
  primary_column: 'geometry',
  columns: {
    geometry: {
      encoding: 'WKB',
      geometry_types: boundary ? ['Polygon', 'MultiPolygon', 'Point'] : ['Point'],
      orientation: 'counterclockwise',
      ...(extent !== null && { bbox: extent }),
      covering: { bbox: Object.fromEntries(SIDES.map(side => [side, ['bbox', side]])) },
    },
  },
});

type Shape = { wkb: Uint8Array; box: Box } | { wkb: null; box: null };

function shapeOf(place: Place): Shape {
  if (place === null) return { wkb: null, box: null };
  if ('encoded' in place) return boundaryToWkb(place.encoded);
  return {
    wkb: geojsonToWkb({ type: 'Point', coordinates: place.point }),
    box: [...place.point, ...place.point],
  };
}

const union = (a: Box, b: Box): Box => [
  Math.min(a[0], b[0]),
  Math.min(a[1], b[1]),
  Math.max(a[2], b[2]),
  Math.max(a[3], b[3]),
];
