import type { ExportColumn } from '../../shared/exports/export-columns.ts';
import { decodeBoundary } from '../../shared/geo/geometry-codec.ts';
import type { MultiPolygon, Position } from '../../shared/geo/geometry-types.ts';

/** A row of a file: its cells by the columns, an empty text for none, and where it is. */
export type FileRow = { id: string; cells: string[]; place: Place };

/** Its boundary or a point on it; null where neither is known. */
export type Place = { point: Position } | { boundary: MultiPolygon } | null;

/** Rows to bytes: what it returns, one after the other, is the file. */
export type FileWriter = {
  write(rows: readonly FileRow[]): Uint8Array;
  /** After rows that lie near each other, for formats that keep such together. */
  endBatch?(): Uint8Array;
  /** What stands behind the last row. */
  end(): Uint8Array;
};

/** @param boundary whether the file has boundaries rather than points */
export type OpenFile = (columns: readonly ExportColumn[], boundary: boolean) => FileWriter;

/** @param lon and `lat` in 1e-7 degrees; an empty text for unknown; `boundary` in hex */
export function placeOf(lon: string, lat: string, boundary: string): Place {
  if (boundary !== '') return { boundary: decodeBoundary(Buffer.from(boundary, 'hex')) };
  return lon === '' ? null : { point: [Number(lon) / 1e7, Number(lat) / 1e7] };
}

/** GeoJSON, which has polygons of one part by themselves. */
export function toGeometry(place: Place): object | null {
  if (place === null) return null;
  if ('point' in place) return { type: 'Point', coordinates: place.point };
  const { boundary } = place;
  return boundary.length === 1
    ? { type: 'Polygon', coordinates: boundary[0] }
    : { type: 'MultiPolygon', coordinates: boundary };
}

const NUMBERS: ReadonlySet<ExportColumn['type']> = new Set(['integer', 'number', 'money', 'year']);
export const isNumber = ({ type }: ExportColumn): boolean => NUMBERS.has(type);
