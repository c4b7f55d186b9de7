import { Builder } from 'flatbuffers';
import { ColumnType } from 'flatgeobuf/lib/mjs/flat-geobuf/column-type.js';
import { Feature } from 'flatgeobuf/lib/mjs/flat-geobuf/feature.js';
import { GeometryType } from 'flatgeobuf/lib/mjs/flat-geobuf/geometry-type.js';
import { buildGeometry, type IParsedGeometry } from 'flatgeobuf/lib/mjs/generic/geometry.js';
import type { ExportColumn } from '../../shared/exports/export-columns.ts';
import { boxOf, emptyBox } from '../../shared/geo/box.ts';
import { decodeBoundary } from '../../shared/geo/geometry-codec.ts';
import type { Box, Polygon } from '../../shared/geo/geometry-types.ts';
import type { FileRow, Place } from './file-writer.ts';

export const COLUMN_TYPES: Record<ExportColumn['type'], ColumnType> = {
  text: ColumnType.String,
  state: ColumnType.String,
  zip: ColumnType.String,
  integer: ColumnType.Long,
  money: ColumnType.Long,
  year: ColumnType.Int,
  number: ColumnType.Double,
  boolean: ColumnType.Bool,
  date: ColumnType.DateTime,
};

/** A feature in bytes, with its length first. The box of a row without a location is empty. */
export type EncodedFeature = { bytes: Uint8Array; type: GeometryType; box: Box };

/** Converts rows to features. The bytes are valid until the next call. */
export function featureEncoder(columns: readonly ExportColumn[]): (row: FileRow) => EncodedFeature {
  const builder = new Builder(1 << 16);
  const propertiesOf = propertyEncoder(columns);
  return ({ cells, place }) => {
    builder.clear();
    const properties = builder.createByteVector(propertiesOf(cells));
    const { parsed, box } = shapeOf(place);
    const geometry = buildGeometry(builder, parsed);
    Feature.startFeature(builder);
    Feature.addGeometry(builder, geometry);
    Feature.addProperties(builder, properties);
    builder.finishSizePrefixed(Feature.endFeature(builder));
    return { bytes: builder.asUint8Array(), type: parsed.type, box };
  };
}

/** Each value follows the number of its column. Text has its length in bytes in between. */
function propertyEncoder(columns: readonly ExportColumn[]): (cells: readonly string[]) => Uint8Array {
  let bytes = Buffer.alloc(1 << 16);
  const types = columns.map(({ type }) => COLUMN_TYPES[type]);
  return cells => {
    // A character takes up to three bytes in UTF-8.
    const most = cells.reduce((sum, cell) => sum + 10 + 3 * cell.length, 0);
    if (bytes.length < most) bytes = Buffer.alloc(2 * most);
    let at = 0;
    for (const [i, cell] of cells.entries()) {
      if (cell === '') continue;
      at = bytes.writeUInt16LE(i, at);
      switch (types[i]) {
        case ColumnType.Long:
          at = bytes.writeBigInt64LE(BigInt(Number(cell)), at);
          break;
        case ColumnType.Int:
          at = bytes.writeInt32LE(Number(cell), at);
          break;
        case ColumnType.Double:
          at = bytes.writeDoubleLE(Number(cell), at);
          break;
        case ColumnType.Bool:
          at = bytes.writeUInt8(cell === 't' ? 1 : 0, at);
          break;
        default: {
          const length = bytes.write(cell, at + 4);
          at = bytes.writeUInt32LE(length, at) + length;
        }
      }
    }
    return bytes.subarray(0, at);
  };
}

function shapeOf(place: Place): { parsed: IParsedGeometry; box: Box } {
  // The JavaScript library can't read a feature without a shape, so it gets one without parts.
  if (place === null) return { parsed: shape(GeometryType.MultiPolygon, { parts: [] }), box: emptyBox() };
  if ('point' in place)
    return { parsed: shape(GeometryType.Point, { xy: place.point }), box: [...place.point, ...place.point] };
  const polygons = decodeBoundary(place.encoded);
  return {
    parsed: shape(GeometryType.MultiPolygon, { parts: polygons.map(polygonOf) }),
    box: boxOf(polygons),
  };
}

function polygonOf(rings: Polygon): IParsedGeometry {
  const ends: number[] = [];
  for (const ring of rings) ends.push((ends.at(-1) ?? 0) + ring.length);
  return shape(GeometryType.Polygon, { xy: rings.flat(2), ends });
}

type Coordinates = Pick<Partial<IParsedGeometry>, 'xy' | 'ends' | 'parts'>;

const shape = (type: GeometryType, coordinates: Coordinates) => ({ type, ...coordinates }) as IParsedGeometry;
