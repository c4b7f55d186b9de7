import { PlatError } from '../errors.ts';
import { LIMITS, type Limits } from './limits.ts';

export type OpenContext = {
  /** Folder that relative source paths start from. */
  baseDir: string;
  /** Folder for downloads; each gets a folder of its own in it, removed when the reading ends. */
  tmpDir: string;
  signal: AbortSignal;
  /** Bytes read so far of the packed source, and how many there are (null while that is unknown). */
  onBytes?: (read: number, total: number | null) => void;
  /** Differing bounds. */
  limits?: Partial<Limits>;
};

export function limitsOf(context: { limits?: Partial<Limits> }): Limits {
  return { ...LIMITS, ...context.limits };
}

/** A source that is missing, cut off, unreachable or too large; `status` 404 where it is known not to be there. */
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
