import type { Geometry } from 'geojson';
import type { Position } from '../../shared/geo/geometry-types.ts';
import { nestRings } from '../../shared/geo/nest-rings.ts';

/** A shape in the coordinates of its file, or why it can't be read. */
export type Shape = Geometry | null | { unreadable: string };

const POINT = [1, 11, 21];
const LINES = [3, 13, 23];
const POLYGON = [5, 15, 25];
const POINTS = [8, 18, 28];

/** Includes types with elevations and measures. These values follow the positions and are not read. */
export const SHAPE_TYPES = new Set([0, ...POINT, ...LINES, ...POLYGON, ...POINTS]);

/** Returns a record's shape. ESRI Shapefile Technical Description, July 1998, pages 5 to 23. */
export function readShape(content: Buffer): Shape {
  const type = content.length < 4 ? 0 : content.readInt32LE(0);
  // A record without a shape may have any length.
  if (type === 0) return null;
  if (!SHAPE_TYPES.has(type)) return { unreadable: `its type ${type} is unknown` };
  try {
    if (POINT.includes(type)) return { type: 'Point', coordinates: positionAt(content, 4) };
    if (POINTS.includes(type))
      return { type: 'MultiPoint', coordinates: positions(content, 40, 0, content.readUInt32LE(36)) };
    const parts = partsOf(content);
    if (LINES.includes(type))
      return parts.length === 1
        ? { type: 'LineString', coordinates: parts[0]! }
        : { type: 'MultiLineString', coordinates: parts };
    const polygons = nestRings(parts);
    // Shells are clockwise in shapefiles and counterclockwise in GeoJSON.
    for (const ring of parts) ring.reverse();
    const [only] = polygons;
    if (only === undefined) return null;
    return polygons.length === 1
      ? { type: 'Polygon', coordinates: only }
      : { type: 'MultiPolygon', coordinates: polygons };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { unreadable: 'it says it has more positions than its record can contain' };
  }
}

/** Throws RangeError for reads past the end of the buffer. */
function partsOf(content: Buffer): Position[][] {
  const [count, total] = [content.readUInt32LE(36), content.readUInt32LE(40)];
  const first = 44 + 4 * count;
  const starts = Array.from({ length: checked(count, content.length / 4) }, (_, i) =>
    content.readUInt32LE(44 + 4 * i),
  );
  return starts
    .map((start, i) => positions(content, first, start, starts[i + 1] ?? total))
    .filter(part => part.length > 0);
}

function positions(content: Buffer, first: number, start: number, end: number): Position[] {
  return Array.from({ length: checked(end - start, content.length / 16) }, (_, i) =>
    positionAt(content, first + 16 * (start + i)),
  );
}

const positionAt = (content: Buffer, at: number): Position => [
  content.readDoubleLE(at),
  content.readDoubleLE(at + 8),
];

function checked(count: number, most: number): number {
  if (count < 0 || count > most) throw new RangeError('more than exist');
  return count;
}
