import { limitsOf, type OpenContext } from './download-context.ts';
import { fetchWithRetry, isTransientStatus } from './http.ts';

export type FileVersion = {
  /**
   * A value that changes when the file does: its `Last-Modified` in ISO 8601, or else its ETag, plus its
   * length. Null if the server sends neither.
   */
  version: string | null;
  modified: Date | null;
};

/**
 * Requests a file's version. Returns null if the file doesn't exist (404, 410). @throws PlatError
 * `feed_source` if the server is unreachable
 */
export async function fetchFileVersion(url: URL, context: OpenContext): Promise<FileVersion | null> {
  const question = { timeoutMs: limitsOf(context).downloadIdleMs, read: stateOf };
  const state = await fetchWithRetry(url, { ...question, method: 'HEAD' }, context);
  if (state !== 'refused') return state;
  // A URL signed for GET returns 403 for HEAD, so request its first byte.
  const first = await fetchWithRetry(url, { ...question, headers: { range: 'bytes=0-0' } }, context);
  return first === 'refused' ? { version: null, modified: null } : first;
}

async function stateOf({
  ok,
  status,
  headers,
  body,
}: Response): Promise<FileVersion | null | 'refused' | undefined> {
  if (isTransientStatus(status) && status !== 501) return undefined;
  await body?.cancel();
  if (!ok) return status === 404 || status === 410 ? null : 'refused';
  const stated = Date.parse(headers.get('last-modified') ?? '');
  const modified = Number.isNaN(stated) ? null : new Date(stated);
  const stamp = modified?.toISOString() ?? headers.get('etag');
  const length = headers.get('content-range')?.split('/')[1] ?? headers.get('content-length') ?? '';
  return { version: stamp === null ? null : `${stamp} ${length}`.trim(), modified };
}
