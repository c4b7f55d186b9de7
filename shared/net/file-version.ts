import { limitsOf, type OpenContext } from './download-context.ts';
import { fetchWithRetry, isTransientStatus } from './http.ts';

/** What a server says of a file without sending it. */
export type FileState = {
  /**
   * Tells one state of the file from another: its `Last-Modified` in ISO 8601, else its ETag, and its length.
   * Null where it says neither.
   */
  version: string | null;
  modified: Date | null;
};

/**
 * Null when the file is not there (404, 410). @throws PlatError `feed_source` when the server
 * cannot be asked now
 */
export async function fileState(url: URL, context: OpenContext): Promise<FileState | null> {
  const question = { timeoutMs: limitsOf(context).idleMs, read: stateOf };
  const state = await fetchWithRetry(url, { ...question, method: 'HEAD' }, context);
  if (state !== 'refused') return state;
  // An address that is signed for GET alone is 403 to anything else: its first byte is asked for.
  const first = await fetchWithRetry(url, { ...question, headers: { range: 'bytes=0-0' } }, context);
  return first === 'refused' ? { version: null, modified: null } : first;
}

async function stateOf({
  ok,
  status,
  headers,
  body,
}: Response): Promise<FileState | null | 'refused' | undefined> {
  if (isTransientStatus(status) && status !== 501) return undefined;
  await body?.cancel();
  if (!ok) return status === 404 || status === 410 ? null : 'refused';
  const stated = Date.parse(headers.get('last-modified') ?? '');
  const modified = Number.isNaN(stated) ? null : new Date(stated);
  const stamp = modified?.toISOString() ?? headers.get('etag');
  const length = headers.get('content-range')?.split('/')[1] ?? headers.get('content-length') ?? '';
  return { version: stamp === null ? null : `${stamp} ${length}`.trim(), modified };
}
