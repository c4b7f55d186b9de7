import type { SchemaElement } from 'hyparquet';
import { ByteWriter, geojsonToWkb, ParquetWriter } from 'hyparquet-writer';
import type { ExportColumn } from '../../shared/exports/export-columns.ts';
import type { Box } from '../../shared/geo/geometry-types.ts';
import { type FileRow, type FileWriter, type Place, toGeometry } from './file-writer.ts';

type Kind = { element: Omit<SchemaElement, 'name'>; value(cell: string): unknown };

const TEXT: Kind = { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, value: cell => cell };
const INTEGER: Kind = { element: { type: 'INT64' }, value: BigInt };

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
  const parquet = new ParquetWriter({ writer: bytes, schema: schemaOf(columns), createdBy: 'plat' });
  let extent: Box | null = null;
  let rows: FileRow[] = [];

  const flush = (): Uint8Array => {
    const written = bytes.getBytes().slice();
    bytes.index = 0;
    return written;
  };
  const endBatch = (): Uint8Array => {
    if (rows.length === 0) return flush();
    const boxes = rows.map(({ place }) => boxOf(place));
    for (const box of boxes) if (box !== null) extent = extent === null ? box : union(extent, box);
    parquet.write({
      columnData: [
        ...columns.map(({ name, type }, i) => ({
          name,
          data: rows.map(({ cells }) => (cells[i] === '' ? null : KINDS[type].value(cells[i]!))),
        })),
        { name: 'geometry', data: rows.map(({ place }) => wkbOf(place)), statistics: false },
        {
          name: 'bbox',
          data: boxes.map(
            box => box && Object.fromEntries(SIDES.map((side, at) => [side, box[at]] as const)),
          ),
        },
      ],
      rowGroupSize: rows.length,
    });
    rows = [];
    return flush();
  };
  return {
    write(more) {
      rows.push(...more);
      return rows.length < GROUP ? new Uint8Array() : endBatch();
    },
    endBatch,
    end() {
      const rest = endBatch();
      parquet.kvMetadata = [{ key: 'geo', value: JSON.stringify(geoMetadata(extent, boundary)) }];
      parquet.finish();
      return Buffer.concat([rest, flush()]);
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

const wkbOf = (place: Place): Uint8Array | null => {
  const geometry = toGeometry(place);
  return geometry && geojsonToWkb(geometry as Parameters<typeof geojsonToWkb>[0]);
};

function boxOf(place: Place): Box | null {
  if (place === null) return null;
  if ('point' in place) return [...place.point, ...place.point];
  let box: Box | null = null;
  for (const [outer] of place.boundary)
    for (const [x, y] of outer!) box = box === null ? [x, y, x, y] : union(box, [x, y, x, y]);
  return box;
}

const union = (a: Box, b: Box): Box => [
  Math.min(a[0], b[0]),
  Math.min(a[1], b[1]),
  Math.max(a[2], b[2]),
  Math.max(a[3], b[3]),
];
