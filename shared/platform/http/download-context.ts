import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { PlatError } from '../errors.ts';

const MiB = 2 ** 20;
const GiB = 2 ** 30;

/** Limits on reading a source, so that a wrong address or a malicious archive leads to an error. */
export const LIMITS = {
  /** Maximum size of one download. The largest statewide parcel archives are 5 to 10 GB today. */
  downloadBytes: 16 * GiB,
  /** Maximum size of one unpacked file. A state of 12 million parcels is 36 GB as GeoJSON. */
  expandedBytes: 64 * GiB,
  /**
   * Up to this size, the compression ratio isn't checked. Sparse fixed-width tables unpack to some 50 times
   * their size.
   */
  uncheckedRatioBytes: GiB,
  expandedRatio: 200,
  /**
   * Maximum number of entries in an archive. Archives with every table and layer of a county have hundreds.
   */
  zipEntries: 10_000,
  /**
   * Maximum size of a feature or line of JSON. The largest boundaries (federal land, 500,000 vertices) are
   * about 20 MB as GeoJSON.
   */
  rowBytes: 32 * MiB,
  /**
   * Maximum length of a CSV record, including quoted line breaks. The longest legal descriptions are under
   * 100 KB.
   */
  csvRowChars: 2 * MiB,
  /**
   * Maximum size of an unpacked workbook, about 100,000 rows of 20 columns. The workbook is read into memory
   * all at once, which takes six times as much memory.
   */
  xlsxBytes: 64 * MiB,
  /**
   * Maximum size of an Access database. The database is read into memory all at once. Access's own limit is 2
   * GB.
   */
  accessBytes: GiB,
  /**
   * Maximum size of one page from a web API. The page is read into memory all at once. RESO servers send up
   * to 5,000 records of 5 to 10 KB.
   */
  pageBytes: 128 * MiB,
  /** How long a file reader can go without a row or progress before it times out. */
  readerIdleMs: 30_000,
  /** Timeout for starting a reader, which takes half a second on an idle machine. */
  readerStartMs: 120_000,
  /** How long a download can go without a byte before it times out. */
  downloadIdleMs: 60_000,
  /** Timeout from request to last byte. Some servers take over a minute for a wide page. */
  pageMs: 180_000,
  /**
   * Maximum number of attempts per request. The pauses of 1 + 2 + 4 + 8 + 16 s outlast a restart of the
   * server.
   */
  tries: 6,
  backoffMs: 1_000,
  /**
   * The longest pause that Plat waits for. Servers with hourly quotas can request pauses of up to an hour. In
   * that case, the job is retried later.
   */
  retryAfterMs: 10 * 60_000,
};
export type Limits = typeof LIMITS;

export type OpenContext = {
  /** The folder that relative source paths are resolved against. */
  baseDir: string;
  /** The folder for downloads. Each download gets its own subfolder, which is removed after reading. */
  tmpDir: string;
  signal: AbortSignal;
  /** Called with the number of bytes read from the compressed source and its total size (null if unknown). */
  onBytes?: (read: number, total: number | null) => void;
  /**
   * Called with progress messages before the first byte is read, such as about a download or a pause between
   * attempts.
   */
  onNote?: (note: string) => void;
  limits?: Partial<Limits>;
};

export async function scratchFolder({ tmpDir }: OpenContext, prefix: string): Promise<string> {
  await mkdir(tmpDir, { recursive: true });
  return mkdtemp(join(tmpDir, prefix));
}

export const limitsOf = (context: { limits?: Partial<Limits> }): Limits => ({ ...LIMITS, ...context.limits });

/**
 * The error for a source that is missing, truncated, unreachable, or too large. `status` is 404 if it doesn't
 * exist.
 */
export function sourceError(
  message: string,
  options: { cause?: unknown; retryable?: boolean; status?: 404 } = {},
): PlatError {
  return new PlatError('feed_source', message, { status: 422, ...options });
}

/** The error for a file that doesn't match its feed. */
export function formatError(message: string, cause?: unknown): PlatError {
  return new PlatError('feed_format', message, { status: 422, cause });
}

/** A URL for messages and logs, without the username, password, and query, which may contain keys. */
export function redactUrl(url: string | URL): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** The error for a source that ends before its announced length. */
export function truncatedError(name: string, how: string): PlatError {
  return sourceError(`${name} is incomplete: ${how}. Download or copy it again.`);
}
