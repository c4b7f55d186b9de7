import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { PlatError } from '../base/errors.ts';

const MiB = 2 ** 20;
const GiB = 2 ** 30;

/** Bounds on what a source may cost, so that a wrong address or a hostile archive ends with a message. */
export const LIMITS = {
  /** Of one download: the largest statewide parcel archives published today are 5 to 10 GB. */
  downloadBytes: 16 * GiB,
  /** Of one file unpacked: a state of 12 million parcels is 36 GB as GeoJSON. */
  expandedBytes: 64 * GiB,
  /**
   * Beyond the first, a file unpacks to at most so many times its size: tables of fixed width, the emptiest
   * of data, to some 50 times.
   */
  undoubtedBytes: GiB,
  expandedRatio: 200,
  /** An archive of every table and layer of a county holds hundreds. */
  zipEntries: 10_000,
  /**
   * Of a feature, or a line of JSON: the largest boundaries (federal land, 500,000 vertices) are
   * about 20 MB as GeoJSON.
   */
  rowBytes: 32 * MiB,
  /** Of one record with its quoted line breaks: the longest legal descriptions are under 100 KB. */
  csvRowChars: 2 * MiB,
  /**
   * Of an unpacked workbook, which is read whole: 100,000 rows of 20 columns, for which its reader needs six
   * times as much memory.
   */
  xlsxBytes: 64 * MiB,
  /** Of a database, which is held whole; Access itself ends at 2 GB. */
  accessBytes: GiB,
  /** Of a page of a web API, read whole: RESO servers send at most 5,000 records, at 5 to 10 KB each. */
  pageBytes: 128 * MiB,
  /** Milliseconds without a row or progress after which the reader of a file counts as hanging. */
  silentMs: 30_000,
  /** Until it has started, which takes half a second on a machine that has nothing else to do. */
  startMs: 120_000,
  /** Milliseconds without a byte after which a download counts as dead. */
  idleMs: 60_000,
  /** From request to last byte; some servers take over a minute for a wide page. */
  pageMs: 180_000,
  /**
   * Tries of one request: with 1 + 2 + 4 + 8 + 16 s between them they outlast a restart of the
   * server at the other end.
   */
  tries: 6,
  backoffMs: 1_000,
  /** Hourly quotas ask for up to an hour; beyond this the job is retried later instead. */
  retryAfterMs: 10 * 60_000,
};
export type Limits = typeof LIMITS;

export type OpenContext = {
  /** Folder that relative source paths start from. */
  baseDir: string;
  /** Folder for downloads; each gets a folder of its own in it, removed when the reading ends. */
  tmpDir: string;
  signal: AbortSignal;
  /** Bytes read so far of the packed source, and how many there are (null while that is unknown). */
  onBytes?: (read: number, total: number | null) => void;
  /** What a reader of a source is doing before its first byte is read: a download, a pause between tries. */
  onNote?: (note: string) => void;
  /** Differing bounds. */
  limits?: Partial<Limits>;
};

/** A new folder below the one for downloads. */
export async function scratchFolder({ tmpDir }: OpenContext, prefix: string): Promise<string> {
  await mkdir(tmpDir, { recursive: true });
  return mkdtemp(join(tmpDir, prefix));
}

export const limitsOf = (context: { limits?: Partial<Limits> }): Limits => ({ ...LIMITS, ...context.limits });

/**
 * A source that is missing, cut off, unreachable or too large; `status` 404 where it is
 * known not to be there.
 */
export function sourceError(
  message: string,
  options: { cause?: unknown; retryable?: boolean; status?: 404 } = {},
): PlatError {
  return new PlatError('feed_source', message, { status: 422, ...options });
}

/** A file that is there, but is not what its feed says. */
export function formatError(message: string, cause?: unknown): PlatError {
  return new PlatError('feed_format', message, { status: 422, cause });
}

/** An address as it may be shown and logged: without user, password and query, which may carry keys. */
export function shownUrl(url: string | URL): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** A source that ends before what it announced. */
export function truncatedError(name: string, how: string): PlatError {
  return sourceError(`${name} is cut off: ${how}. Fetch or copy it again.`);
}
