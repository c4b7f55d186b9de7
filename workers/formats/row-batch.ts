import type { Geometry } from 'geojson';
import { isUnreadable, unreadableGeometry } from '../../shared/geo/geometry-checks.ts';
import { type ToWgs84, unprojected } from '../../shared/geo/geometry-types.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { formatError, type OpenContext } from '../../shared/platform/http/download-context.ts';
import { isNestedDeeper } from '../../shared/platform/nesting.ts';
import type { InputSettings } from './input-settings.ts';
import type { OpenedSource } from './source.ts';

/**
 * One row as it is in the file. Rows are numbered from 1 across all files of a source. `values` uses the
 * file's column names. Blank cells of CSV and dBASE are null, and a GeoJSON feature's `id` is `values.$id`.
 * `geometry` is in WGS84 degrees, not repaired.
 */
export type SourceRow = {
  rowNo: number;
  values: Record<string, unknown>;
  geometry: Geometry | null;
  /** Describes the missing cells of a row that ends early. Their values are null. */
  short?: string;
};

export type BadReason =
  | 'unreadable_row'
  | 'ragged_row'
  | 'row_too_long'
  /** The server failed when this row was requested. */
  | 'not_sent';

/** A row that the parser can't use. `raw` is its text, truncated to 64 KB. */
export type BadRow = { rowNo: number; reason: BadReason; field: string | null; message: string; raw: string };

export type RowBatch = {
  rows: SourceRow[];
  bad: BadRow[];
  skipped?: number;
  /** RESO only: where to continue once this batch is stored. */
  checkpoint?: ResoCheckpoint;
};

/**
 * A feed's position, stored with its page and used the next time the feed starts. With `nextLink`, a chain of
 * pages is in progress. Without it, the next run requests records newer than `watermark`.
 */
export type ResoCheckpoint = {
  nextLink: string | null;
  watermark: string | null;
  since: string | null;
  /** Whether the pages were in the requested order, so that reading can resume at `watermark`. */
  ordered: boolean;
};

export type ReadContext = OpenContext & {
  env: NodeJS.ProcessEnv;
  watermark?: ResoCheckpoint | null;
  /** The approximate number of rows needed, so that Plat doesn't request more than that from services. */
  rows?: number;
  /** Called when a server reports more rows than it sends. */
  onShortfall?: (announced: number, sent: number) => void;
  /** Folder for downloaded pages of a service, kept until the run ends. It survives a worker crash. */
  workDir?: string;
  /**
   * Folder for copies of files when several feeds read parts of them. Without it, each feed downloads its own
   * copy.
   */
  sharedDir?: string;
};

/** A server's token, from the environment variable in the feed. @throws PlatError `feed_token` */
export function requireToken({ env }: ReadContext, variable: string, what: string): string {
  const token = env[variable]?.trim();
  if (token) return token;
  const remedy = `Set it to the ${what}.`;
  throw new PlatError('feed_token', `The environment variable ${variable} is not set. ${remedy}`);
}

/**
 * Rows per batch. One asynchronous step per row would cost more than parsing it, but large batches increase
 * garbage collection. The first batch is larger, because it shows which columns a source has.
 *
 */
const BATCH_ROWS = 250;
const FIRST_BATCH_ROWS = 1_000;

const RAW_CHARS = 64 * 1024;

/** A reader's output, with the function that converts its geometry to WGS84. */
export type Output = { batch: RowBatch; rowNo: number; project: ToWgs84; crs: string | undefined };

export type FileRead = { source: OpenedSource; spec: InputSettings; output: Output; context: ReadContext };

/**
 * Fills `output` and yields when it is full. A PlatError ends the file. Any other error means that the format
 * is wrong.
 */
export type FileReader = (reading: FileRead) => AsyncGenerator<void>;

export function newOutput(crs: string | undefined): Output {
  return { batch: { rows: [], bad: [] }, rowNo: 0, project: unprojected, crs };
}

/**
 * The layer, table, or sheet to read: the one that the feed names (ignoring case), otherwise the only one,
 * otherwise the only one with shapes.
 * @throws PlatError `feed_format` with the names in `details.layer` if the feed must name one
 */
export function chooseLayer<Layer extends { name: string; geometry?: unknown }>(
  layers: readonly Layer[],
  wanted: string | undefined,
  name: string,
): Layer {
  const isNamed = (layer: Layer) => layer.name.toLowerCase() === wanted?.toLowerCase();
  const named = layers.find(layer => layer.name === wanted) ?? layers.find(isNamed);
  if (named !== undefined) return named;
  const shown = layers.length === 1 ? layers : layers.filter(layer => (layer.geometry ?? null) !== null);
  if (shown.length === 1 && wanted === undefined) return shown[0]!;
  if (layers.length === 0) throw formatError(`${name} has no layers or tables. Check the file.`);
  const names = layers.map(layer => layer.name);
  const listed = names.slice(0, 50).join(', ') + (names.length > 50 ? `, … (${names.length})` : '') || 'none';
  const fault =
    wanted === undefined ? `has ${names.length} layers or tables` : `has no layer or table "${wanted}"`;
  const message = `${name} ${fault}: ${listed}. Set "layer" in the feed to the one to read (--layer of \`plat feed suggest\`).`;
  throw new PlatError('feed_format', message, { details: { layer: names } });
}

/**
 * Converts a library's value to what text formats produce: dates as text, no bytes, and no integers that lost
 * digits.
 */
export function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'string') return copyText(value);
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : dateText(value);
  if (value instanceof Uint8Array) return null;
  if (Array.isArray(value)) return value.map(plainValue);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainValue(inner)]));
}

/** Libraries return dates without a time as midnight. */
export const dateText = (date: Date): string => date.toISOString().replace(/T00:00:00\.000Z$/, '');

/** Adds the next row. If its geometry can't be read, the row is added without a shape. */
export function addRow(output: Output, values: Record<string, unknown>, geometry: unknown): void {
  const placed = geometry == null ? null : projected(output, geometry);
  if (placed === 'too deep') {
    const { reason, message, field } = TOO_DEEP;
    addBad(output, reason, message, '', field);
    return;
  }
  output.batch.rows.push({ rowNo: ++output.rowNo, values, geometry: placed });
}

function projected({ project }: Output, geometry: unknown): Geometry | 'too deep' {
  if (isUnreadable(geometry)) return geometry;
  let why = 'it is not a GeoJSON geometry';
  try {
    if (isGeometry(geometry)) return project(geometry);
  } catch (error) {
    why = `it can't be projected: ${(error as Error).message}`;
  }
  return isNestedDeeper(geometry, MAX_LEVELS) ? 'too deep' : unreadableGeometry(why);
}

export function addBad(
  output: Output,
  reason: BadReason,
  message: string,
  raw: string,
  field: string | null = null,
): void {
  const stored = raw.length > RAW_CHARS ? `${copyText(raw.slice(0, RAW_CHARS))}…` : copyText(raw);
  output.batch.bad.push({ rowNo: ++output.rowNo, reason, field, message, raw: stored });
}

export const sizeOf = ({ rows, bad }: RowBatch): number => rows.length + bad.length;

export function isFull({ batch, rowNo }: Output): boolean {
  return sizeOf(batch) >= (rowNo <= FIRST_BATCH_ROWS ? FIRST_BATCH_ROWS : BATCH_ROWS);
}

export function takeBatch(output: Output): RowBatch {
  const { batch } = output;
  output.batch = { rows: [], bad: [] };
  return batch;
}

function isGeometry(value: unknown): value is Geometry {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  const { coordinates, geometries } = value as { coordinates?: unknown; geometries?: unknown };
  return value.type === 'GeometryCollection' ? Array.isArray(geometries) : Array.isArray(coordinates);
}

/**
 * Copies a slice. Otherwise, V8 keeps the whole text behind each slice of 13 or more characters in memory:
 * 201 MB for 200 keys, 4 MB when copied.
 */
export const copyText = (cell: string): string => (cell.length < 13 ? cell : ` ${cell}`.slice(1));

/**
 * @throws PlatError `feed_crs` if no geometry in the batch is in valid degrees, which means that they are
 * projected
 */
export function checkDegrees(batch: RowBatch, name: string): void {
  const positions = batch.rows.map(row => firstPosition(row.geometry)).filter(position => position !== null);
  const first = positions[0];
  if (first === undefined) return;
  if (positions.some(([x, y]) => Math.abs(x) <= 180 && Math.abs(y) <= 90)) return;
  throw new PlatError(
    'feed_crs',
    `${name}: coordinates such as ${first[0]}, ${first[1]} are not degrees. Set the "crs" of the file in the feed.`,
  );
}

function firstPosition(geometry: Geometry | null): [number, number] | null {
  if (geometry === null) return null;
  if (geometry.type === 'GeometryCollection') return firstPosition(geometry.geometries[0] ?? null);
  let inner: unknown = geometry.coordinates;
  while (Array.isArray(inner) && Array.isArray(inner[0])) inner = inner[0];
  return Array.isArray(inner) && typeof inner[0] === 'number' ? [inner[0], Number(inner[1])] : null;
}

/** Deeper than any real geometry or record. Recursion into deeper values could overflow the stack. */
const MAX_LEVELS = 500;

export const TOO_DEEP = {
  field: null,
  reason: 'unreadable_row',
  message: `the row is nested more than ${MAX_LEVELS} levels deep`,
} satisfies Pick<BadRow, 'field' | 'reason' | 'message'>;

/** A value as JSON, or empty if it is nested too deeply. */
export function rawJson(value: unknown): string {
  return isNestedDeeper(value, MAX_LEVELS) ? '' : JSON.stringify(value);
}

/** Whether a row's values or geometry are nested so deeply that recursion may fail. */
export const isTooDeep = ({ values, geometry }: Pick<SourceRow, 'values' | 'geometry'>): boolean =>
  isNestedDeeper(values, MAX_LEVELS) || isNestedDeeper(geometry, MAX_LEVELS);
