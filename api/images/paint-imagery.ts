import { setMaxListeners } from 'node:events';
import { LRUCache } from 'lru-cache';
import type { Box } from '../../shared/geo/geometry-types.ts';
import type { Db } from '../../shared/platform/db.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/log.ts';
import { type Pixels, pixelWords } from '../../shared/raster/warp.ts';
import { paintFile } from './cog.ts';
import { type ImageryFetch, openImageryFetch } from './fetch-imagery.ts';
import type { Frame, Shown } from './image-frame.ts';
import { type ImagerySource, RETRY_SECONDS } from './imagery-sources.ts';
import { paintRelief } from './relief.ts';
import { paintExport, paintTiles } from './servers.ts';

/** Maximum share of the request's time for one source, so that there is time left for the next one. */
const SOURCE_SHARE = 0.4;
/** How long to keep a picture for which the best source did not respond. */
const DEGRADED_MS = 60_000;

export type PainterDeps = { db: Db; log: Logger; requestTimeoutMs: number };

export type Painter = PainterDeps & {
  openFetch: ReturnType<typeof openImageryFetch>;
  /** Sources that have just failed, and why. The next requests skip them. */
  failed: LRUCache<string, PlatError>;
};

export type Painted = {
  used: ImagerySource[];
  /** When the picture expires, in milliseconds. Infinity if it was made only from files. */
  freshUntil: number;
  /** Why the first source to fail did so. Undefined if none failed. */
  failure: unknown;
  empty: number;
};

export const openPainter = (deps: PainterDeps): Painter => ({
  ...deps,
  openFetch: openImageryFetch(),
  failed: new LRUCache({ max: 1000, ttl: RETRY_SECONDS * 1000 }),
});

/** Paints each source where the picture is still empty, from the smallest pixels to the largest. */
export async function paintSources(
  painter: Painter,
  sources: readonly ImagerySource[],
  frame: Shown,
  pixels: Pixels,
  signal: AbortSignal,
): Promise<Painted> {
  const { width, height } = pixels;
  const painted: Painted = { used: [], freshUntil: Infinity, failure: undefined, empty: width * height };
  for (const source of sources) {
    if (painted.empty === 0) break;
    const ended = new AbortController();
    const limit = AbortSignal.any([
      signal,
      ended.signal,
      AbortSignal.timeout(SOURCE_SHARE * painter.requestTimeoutMs),
    ]);
    // About forty tile requests listen to this signal.
    setMaxListeners(0, limit);
    const fetching = painter.openFetch(limit, { privateRedirects: source.private_network });
    try {
      const failure = painter.failed.get(source.source);
      if (failure !== undefined) throw failure;
      const own = await paintSource(painter.db, source, frame, pixels, fetching);
      const unpainted = emptyPixels(pixels, [0, 0, width, height]);
      if (unpainted < painted.empty) painted.used.push({ ...source, ...own });
      painted.empty = unpainted;
      painted.freshUntil = Math.min(painted.freshUntil, fetching.freshUntil);
    } catch (error) {
      signal.throwIfAborted();
      painter.log.warn({ err: error, feed: source.feed, source: source.source }, 'an imagery source failed');
      if (error instanceof PlatError && error.retryable) painter.failed.set(source.source, error);
      painted.failure ??= error;
      painted.freshUntil = Math.min(painted.freshUntil, Date.now() + DEGRADED_MS);
    } finally {
      // Abort the requests of a source that has failed.
      ended.abort();
    }
  }
  return painted;
}

/** @returns the attribution if the source has a different one for this area */
async function paintSource(
  db: Db,
  source: ImagerySource,
  frame: Shown,
  pixels: Pixels,
  fetching: ImageryFetch,
): Promise<{ attribution?: string }> {
  const { source: address } = source;
  if (source.type === 'relief') return paintRelief(db, frame as Frame, pixels, fetching.signal);
  if (source.type === 'cog') {
    const file = { ...source.details, source: address, fingerprint: source.fingerprint };
    await paintFile(file, frame, pixels, fetching);
  } else if (source.type === 'xyz') {
    await paintTiles({ ...source.details, template: address }, frame, pixels, fetching);
  } else await paintExport({ ...source.details, address }, frame, pixels, fetching);
  return {};
}

export function emptyPixels(picture: Pixels, [left, top, right, bottom]: Box): number {
  const { width, height } = picture;
  const words = pixelWords(picture);
  let count = 0;
  for (let y = Math.max(0, top); y < Math.min(height, bottom); y++)
    for (let x = Math.max(0, left); x < Math.min(width, right); x++) if (words[y * width + x] === 0) count++;
  return count;
}
