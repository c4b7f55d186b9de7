import type { Geometry, Position } from 'geojson';

const TYPES = [
  'Point',
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'GeometryCollection',
];

/**
 * A geometry as well-known binary, in either byte order; its positions have `dimensions` numbers
 * (3: Z, 4: Z and M).
 */
export function wkbOf(geometry: Geometry, little = true, dimensions: 2 | 3 | 4 = 2): Buffer {
  const parts: Buffer[] = [];
  const write = (bytes: number, at: (buffer: Buffer) => unknown) => {
    const buffer = Buffer.alloc(bytes);
    at(buffer);
    parts.push(buffer);
  };
  const uint = (value: number) =>
    write(4, buffer => (little ? buffer.writeUInt32LE(value) : buffer.writeUInt32BE(value)));
  const head = (type: string) => {
    write(1, buffer => buffer.writeUInt8(little ? 1 : 0));
    uint(TYPES.indexOf(type) + 1 + [0, 1000, 3000][dimensions - 2]!);
  };
  const position = (at: Position) => {
    for (let i = 0; i < dimensions; i++)
      write(8, buffer => (little ? buffer.writeDoubleLE(at[i] ?? 0) : buffer.writeDoubleBE(at[i] ?? 0)));
  };
  const many = <T>(items: readonly T[], each: (item: T) => void) => {
    uint(items.length);
    items.forEach(each);
  };
  const line = (positions: readonly Position[]) => many(positions, position);
  const whole = (shape: Geometry): void => {
    head(shape.type);
    if (shape.type === 'Point') position(shape.coordinates);
    else if (shape.type === 'LineString') line(shape.coordinates);
    else if (shape.type === 'Polygon') many(shape.coordinates, line);
    else if (shape.type === 'MultiPoint')
      many(shape.coordinates, coordinates => whole({ type: 'Point', coordinates }));
    else if (shape.type === 'MultiLineString')
      many(shape.coordinates, coordinates => whole({ type: 'LineString', coordinates }));
    else if (shape.type === 'MultiPolygon')
      many(shape.coordinates, coordinates => whole({ type: 'Polygon', coordinates }));
    else many(shape.geometries, whole);
  };
  whole(geometry);
  return Buffer.concat(parts);
}
