import type { SchemaElement } from 'hyparquet';
import { ByteWriter, geojsonToWkb, ParquetWriter } from 'hyparquet-writer';
import { snappyCompressor } from 'hysnappy';
import type { ExportColumn } from '../../shared/exports/export-columns.ts';
import { boundaryToWkb } from '../../shared/geo/geometry-codec.ts';
import type { Box } from '../../shared/geo/geometry-types.ts';
import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import {
  COPIED_BEFORE,
  type FileRow,
  type FileWriter,
  type OpenOptions,
  type Place,
  placeOf,
} from './file-writer.ts';
import { ROWS_AT_ONCE, unescapeCell } from './read-rows.ts';

const TAB = 0x09;
const LF = 0x0a;
const BACKSLASH = 0x5c;

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
  date: { element: { type: 'INT32', converted_type: 'DATE' }, value: dayOf },
};

/** Rows per row group, about 30 MB of text. */
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

type OpenFile = {
  columns: readonly ExportColumn[];
  bytes: ByteWriter;
  parquet: ParquetWriter;
  extent: Box | null;
  group: Cells[];
  rows: number;
};

/**
 * GeoParquet 1.1 (https://geoparquet.org/releases/v1.1.0/): WKB in longitude and latitude, with each row's
 * box, so that readers can skip groups outside their area. Each batch becomes a row group.
 */
export function openGeoParquet(
  columns: readonly ExportColumn[],
  { boundary }: Pick<OpenOptions, 'boundary'>,
): FileWriter {
  const bytes = new ByteWriter();
  const parquet = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(columns),
    compressors: { SNAPPY: snappyCompressor() },
    createdBy: 'plat',
  });
  const file: OpenFile = { columns, bytes, parquet, extent: null, group: [], rows: 0 };
  const add = (some: Cells): Uint8Array => {
    const before = file.rows < GROUP ? new Uint8Array() : writeGroup(file);
    file.group.push(some);
    file.rows += some.shapes.length;
    return before;
  };
  return {
    write: some => add(cellsOfRows(some)),
    writeCopied: (lines, credit) => add(cellsOfLines(lines, columns.length - 1, credit)),
    endBatch: () => writeGroup(file),
    end() {
      const rest = writeGroup(file);
      parquet.kvMetadata = [{ key: 'geo', value: JSON.stringify(geoMetadata(file.extent, boundary)) }];
      parquet.finish();
      return [rest, flush(file)];
    },
  };
}

/** The bytes that the library has written since the last call. */
function flush({ bytes }: OpenFile): Uint8Array {
  const written = bytes.getBytes().slice();
  bytes.index = 0;
  return written;
}

function writeGroup(file: OpenFile): Uint8Array {
  const { columns, group, rows } = file;
  if (rows === 0) return flush(file);
  const shapes = group.flatMap(({ shapes }) => shapes);
  for (const { box } of shapes)
    if (box !== null) file.extent = file.extent === null ? box : union(file.extent, box);
  file.parquet.write({
    columnData: [
      ...columns.map(({ name, type }, column) => ({
        name,
        // Created when the column is written, so that only one column's values are in memory at a time.
        get data() {
          const values: unknown[] = [];
          for (const cells of group) cells.addValues(values, column, KINDS[type].value);
          return values;
        },
      })),
      { name: 'geometry', data: shapes.map(({ wkb }) => wkb), statistics: false },
      {
        name: 'bbox',
        get data() {
          return shapes.map(({ box }) => box && { xmin: box[0], ymin: box[1], xmax: box[2], ymax: box[3] });
        },
      },
    ],
    rowGroupSize: rows,
  });
  file.group = [];
  file.rows = 0;
  return flush(file);
}

type Cells = {
  shapes: Shape[];
  addValues(values: unknown[], column: number, toValue: Kind['value']): void;
};

function cellsOfRows(rows: readonly FileRow[]): Cells {
  return {
    shapes: rows.map(({ place }) => shapeOf(place)),
    addValues(values, column, toValue) {
      for (const { cells } of rows) {
        const cell = cells[column]!;
        values.push(cell === '' ? null : toValue(cell));
      }
    },
  };
}

/** @param own number of columns before the credit column */
function cellsOfLines(lines: Buffer, own: number, credit: string): Cells {
  // Latin-1 has one byte per character. Cells with non-ASCII text are decoded separately.
  const text = lines.toString('latin1');
  const width = COPIED_BEFORE + own;
  const ends = new Uint32Array(ROWS_AT_ONCE * width);
  const isPlain = new Uint8Array(ROWS_AT_ONCE * width).fill(1);
  let cells = 0;
  for (let at = 0; at < lines.length; at++) {
    const sign = lines[at]!;
    if (sign === TAB || sign === LF) ends[cells++] = at;
    else if (sign === BACKSLASH || sign > 0x7f) isPlain[cells] = 0;
  }
  const cellAt = (i: number): string => {
    const from = i === 0 ? 0 : ends[i - 1]! + 1;
    const to = ends[i]!;
    return isPlain[i] ? text.slice(from, to) : unescapeCell(lines.toString('utf8', from, to));
  };
  const shapes: Shape[] = [];
  for (let i = 0; i < cells; i += width)
    shapes.push(shapeOf(placeOf(cellAt(i + 1), cellAt(i + 2), cellAt(i + 3))));
  return {
    shapes,
    addValues(values, column, toValue) {
      if (column === own) for (const _row of shapes) values.push(credit === '' ? null : toValue(credit));
      else
        for (let i = COPIED_BEFORE + column; i < cells; i += width)
          values.push(ends[i] === ends[i - 1]! + 1 ? null : toValue(cellAt(i)));
    },
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
