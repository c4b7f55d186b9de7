import { limitsOf, type OpenContext } from './context.ts';
import { ask, isPassing } from './http.ts';

/** What a server says of a file without sending it. */
export type FileState = {
  /** Tells one state of the file from another: its `Last-Modified` in ISO 8601, else its ETag, and its length. Null where it says neither. */
  version: string | null;
  modified: Date | null;
};

/** Null when the file is not there (404, 410). @throws PlatError `feed_source` when the server cannot be asked now */
export function fileState(url: URL, context: OpenContext): Promise<FileState | null> {
  const { idleMs } = limitsOf(context);
  return ask<FileState | null>(url, { method: 'HEAD', timeoutMs: idleMs, read: stateOf }, context);
}

function stateOf({ ok, status, headers }: Response): FileState | null | undefined {
  if (status === 404 || status === 410) return null;
  if (isPassing(status) && status !== 501) return undefined;
  // A server that does not answer this may still send the file: an address signed for GET alone is 403.
  if (!ok) return { version: null, modified: null };
  const stated = Date.parse(headers.get('last-modified') ?? '');
  const modified = Number.isNaN(stated) ? null : new Date(stated);
  const stamp = modified?.toISOString() ?? headers.get('etag');
  const version = stamp === null ? null : `${stamp} ${headers.get('content-length') ?? ''}`.trim();
  return { version, modified };
}
