import type { ExportColumn } from '../../shared/exports/export-columns.ts';
import type { ExportRequest } from '../../shared/exports/export-request.ts';
import { decodeBoundary } from '../../shared/geo/geometry-codec.ts';
import type { MultiPolygon, Position } from '../../shared/geo/geometry-types.ts';
import type { Db } from '../../shared/platform/db.ts';

/** A row in a file: its cells by column (an empty string if there is no value) and its location. */
export type FileRow = { id: string; cells: string[]; place: Place };

/** A row's boundary as written by encodeBoundary, or a point on the parcel. Null if neither is known. */
export type Place = { point: Position } | { encoded: Uint8Array } | null;

/** Converts rows to bytes. The results, concatenated, are the file. */
export type FileWriter = {
  write(rows: readonly FileRow[]): Uint8Array;
  /**
   * Like `write`, but takes COPY lines, which some formats convert faster. Each line has id, longitude,
   * latitude, and boundary before the cells. All lines get the same credit.
   */
  writeCopied?(lines: Buffer, credit: string): Uint8Array;
  /** Called after rows that are close together, for formats that group them. */
  endBatch?(): Uint8Array;
  end(): Iterable<Uint8Array>;
  /** Releases what the writer holds. Called even if the export fails. */
  close?(): Promise<void>;
};

/** Number of cells in a COPY line before the file's columns. */
export const COPIED_BEFORE = 4;

export type OpenOptions = {
  /** Whether the file has boundaries rather than points. */
  boundary: boolean;
  /** Name of the layer in formats that have layers. */
  layer: string;
  /** When the file was ordered. */
  asOf: Date;
};

export type OpenFile = (
  columns: readonly ExportColumn[],
  options: OpenOptions,
) => FileWriter | Promise<FileWriter>;

/** A county's parcels in a file, sorted by id. */
export type CountyRows = { fips: number; ids: Float64Array; versions: Float64Array };

/** A comp or a market in a file, with its version and number of lines. */
export type OtherRow = { id: string; version: string; lines: number };

export type Written = {
  rows: number;
  parcels: CountyRows[];
  others: OtherRow[];
  /** For files without a column for them. */
  credits?: string;
};

/** COPY lines, and the credits that apply to all of them. */
export type Copied = { lines: Buffer; credit: string };

type AnyIterable<Item> = Iterable<Item> | AsyncIterable<Item>;

export type Sink = {
  columns: readonly ExportColumn[];
  boundary: boolean;
  /** Whether the writer accepts COPY lines. */
  copies: boolean;
  /**
   * @param batches rows that are close together
   * @param count number of rows so far
   * @param total number of rows in the file
   */
  write(batches: AnyIterable<FileRow[] | Copied>, count: number, total: number): Promise<void>;
};

export type FileOptions = {
  db: Db;
  request: ExportRequest;
  /** Company whose lists and do-not-mail flags apply, or null for an operator. */
  companyId: string | null;
  /** The date that months and years are counted from. */
  asOf: Date;
  signal: AbortSignal;
  progress(share: number, note: string): void;
  keep(bytes: Uint8Array): Promise<void>;
};

/** @param lon and `lat` are in 1e-7 degrees, empty if unknown. `boundary` is in hex */
export function placeOf(lon: string, lat: string, boundary: string): Place {
  if (boundary !== '') return { encoded: Buffer.from(boundary, 'hex') };
  return lon === '' ? null : { point: [Number(lon) / 1e7, Number(lat) / 1e7] };
}

export const boundaryOf = (place: Place): MultiPolygon | undefined =>
  place !== null && 'encoded' in place ? decodeBoundary(place.encoded) : undefined;

/** GeoJSON, which has its own type for polygons with one part. */
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
