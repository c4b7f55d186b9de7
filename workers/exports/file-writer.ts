import type { ExportColumn } from '../../shared/exports/export-columns.ts';
import type { ExportRequest } from '../../shared/exports/export-request.ts';
import { decodeBoundary } from '../../shared/geo/geometry-codec.ts';
import type { MultiPolygon, Position } from '../../shared/geo/geometry-types.ts';
import type { Db } from '../../shared/platform/db.ts';

/** A row of a file: its cells by the columns, an empty text for none, and where it is. */
export type FileRow = { id: string; cells: string[]; place: Place };

/** Its boundary, as encodeBoundary wrote it, or a point on it; null where neither is known. */
export type Place = { point: Position } | { encoded: Uint8Array } | null;

/** Rows to bytes: what it returns, one after the other, is the file. */
export type FileWriter = {
  write(rows: readonly FileRow[]): Uint8Array;
  /**
   * The same of lines of COPY that need no more: their cells stand behind id, longitude, latitude and
   * boundary, and `sources` is the same for all. Where a format is faster so.
   */
  writeCopied?(lines: Buffer, credit: string): Uint8Array;
  /** After rows that lie near each other, for formats that keep such together. */
  endBatch?(): Uint8Array;
  end(): Uint8Array;
};

/** Cells of a line of COPY before those of the file's columns. */
export const COPIED_BEFORE = 4;

/** @param boundary whether the file has boundaries rather than points */
export type OpenFile = (columns: readonly ExportColumn[], boundary: boolean) => FileWriter;

/** The parcels of a county that a file has, in the order of their ids. */
export type CountyRows = { fips: number; ids: Float64Array; versions: Float64Array };

/** A comp or a market that a file has: as which version, and on how many lines. */
export type OtherRow = { id: string; version: string; lines: number };

export type Written = { rows: number; parcels: CountyRows[]; others: OtherRow[] };

/** Lines of COPY, and whom to credit for all of them. */
export type Copied = { lines: Buffer; credit: string };

type AnyIterable<Item> = Iterable<Item> | AsyncIterable<Item>;

export type Sink = {
  columns: readonly ExportColumn[];
  boundary: boolean;
  /** Whether it takes lines of COPY. */
  copies: boolean;
  /** @param batches rows that lie near each other @param count how many @param total of the file */
  write(batches: AnyIterable<FileRow[] | Copied>, count: number, total: number): Promise<void>;
};

export type FileOptions = {
  db: Db;
  request: ExportRequest;
  /** Whose lists and marks count; null for an operator. */
  companyId: string | null;
  /** The moment that months and years are counted from. */
  asOf: Date;
  signal: AbortSignal;
  progress(share: number, note: string): void;
  keep(bytes: Uint8Array): Promise<void>;
};

/** @param lon and `lat` in 1e-7 degrees; an empty text for unknown; `boundary` in hex */
export function placeOf(lon: string, lat: string, boundary: string): Place {
  if (boundary !== '') return { encoded: Buffer.from(boundary, 'hex') };
  return lon === '' ? null : { point: [Number(lon) / 1e7, Number(lat) / 1e7] };
}

export const boundaryOf = (place: Place): MultiPolygon | undefined =>
  place !== null && 'encoded' in place ? decodeBoundary(place.encoded) : undefined;

/** GeoJSON, which has polygons of one part by themselves. */
export function toGeometry(place: Place): object | null {
  if (place === null) return null;
  if ('point' in place) return { type: 'Point', coordinates: place.point };
  const boundary = decodeBoundary(place.encoded);
  return boundary.length === 1
    ? { type: 'Polygon', coordinates: boundary[0] }
    : { type: 'MultiPolygon', coordinates: boundary };
}

const NUMBERS: ReadonlySet<ExportColumn['type']> = new Set(['integer', 'number', 'money', 'year']);
export const isNumber = ({ type }: ExportColumn): boolean => NUMBERS.has(type);
