import { rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type OpenContext, redactUrl } from '../../shared/platform/http/download-context.ts';
import type { Download } from '../../shared/platform/http/http.ts';

/** Imports the HTTP client on demand, so that a process that reads a local file doesn't load it. */
export async function fetchUrl(url: URL, context: OpenContext, optional: boolean): Promise<Download | null> {
  const { download } = await import('../../shared/platform/http/http.ts');
  return download(url, context, { optional });
}

/** A local file: the source itself, or a copy of it and its siblings. @throws PlatError `feed_source` */
export async function fetchSource(
  source: string,
  { siblings = [] }: { siblings?: string[] | undefined },
  context: OpenContext,
): Promise<Download & { name: string }> {
  if (!/^https?:\/\//i.test(source)) return { path: source, name: source, remove: async () => {} };
  const url = new URL(source);
  const { path, remove } = (await fetchUrl(url, context, false))!;
  try {
    for (const extension of /\.shp(\.gz)?$/i.test(url.pathname) ? siblings : []) {
      const copy = await fetchUrl(siblingUrl(url, extension)!, context, true);
      if (copy === null) continue;
      await rename(copy.path, join(dirname(path), basename(copy.path)));
      await copy.remove();
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, name: redactUrl(url), remove };
}

/** The URL of a sibling file: replaces the extension in the same case, and keeps `.gz` and the query. */
export function siblingUrl(url: URL, extension: string): URL | null {
  const match = /\.(\w+)(\.gz)?$/i.exec(url.pathname);
  if (match === null) return null;
  const upper = match[1] === match[1]?.toUpperCase();
  const sibling = new URL(url);
  sibling.pathname =
    url.pathname.slice(0, match.index) + (upper ? extension.toUpperCase() : extension) + (match[2] ?? '');
  return sibling;
}
