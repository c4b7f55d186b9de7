import { hash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import sharp from 'sharp';
import { boxSql, boxToE7 } from '../../shared/geo/box.ts';
import { decodeBoundary } from '../../shared/geo/geometry-codec.ts';
import type { Box, MultiPolygon } from '../../shared/geo/geometry-types.ts';
import { countyOf } from '../../shared/model/property-id.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/log.ts';
import type { ImageryFile } from '../../shared/raster/imagery-file.ts';
import { type Pixels, pixelWords } from '../../shared/raster/warp.ts';
import { type Database, unavailable } from '../http/database.ts';
import { notFound } from '../http/error-responses.ts';
import { paintFile } from './cog.ts';
import { type Frame, frameOf, HEIGHT, type Shown, shownOfTile, WIDTH } from './image-frame.ts';
import type { Caption, Picture, Store } from './image-store.ts';
import { outlineOf, overlay } from './outline.ts';
import { type ImageryFetch, openImageryFetch } from './outside.ts';
import { paintRelief } from './relief.ts';
import { type ImageServer, paintExport, paintTiles, type TileServer } from './servers.ts';

/** An ingested imagery file or server: a row of images/list_imagery. */
type Source = {
  feed: string;
  source: string;
  attribution: string;
  captured: string | null;
  /** The version of what the source shows. */
  version: string;
  /** Redirects from public addresses to private networks are followed. */
  private_network: boolean;
  west: number;
  south: number;
  east: number;
  north: number;
} & (
  | { type: 'cog'; details: Omit<ImageryFile, 'source' | 'fingerprint'>; fingerprint: string }
  | { type: 'xyz'; details: Omit<TileServer, 'template'> }
  | { type: 'arcgis_image'; details: Omit<ImageServer, 'address'> }
  | { type: 'relief' }
);

export type Pictures = {
  /**
   * The picture of a parcel and its key.
   * @throws PlatError `not_found` without a boundary or imagery, `unprocessable` for one that is too complex,
   * `internal_error` 503 when a source of its imagery is down
   */
  ofParcel(propertyId: number): Promise<{ key: string; picture: Picture }>;
  /** What a picture will be, without waiting for far servers. @throws PlatError as `ofParcel` */
  describe(propertyId: number): Promise<{ key: string } & Omit<Caption, 'freshUntil'>>;
  /** A tile of imagery in the pixels of the pictures; undefined where none is to be had. */
  ofTile(z: number, x: number, y: number): Promise<GroundTile | undefined>;
  /** A picture that was made before, as long as it is kept. */
  kept(key: string): Promise<Picture | undefined>;
};

/** `isLasting`: it was made from files alone, all of which could be read. */
export type GroundTile = { bytes: Buffer; type: string; isLasting: boolean };

const TILE_PX = 256;

export type PictureDeps = { database: Database; store: Store; log: Logger; requestTimeoutMs: number };

// No picture is made twice from the same bytes, so libvips need not cache its operations.
sharp.cache(false);

/** Of the pixels around the boundary, how many must be painted: the rest may be the sea. */
const MIN_PAINTED = 0.95;
/** Seconds after which it is worth asking again for what a server did not give. */
const RETRY_SECONDS = 30;
/** Share of the request's time that one source may take, so that another one has its turn. */
const SOURCE_SHARE = 0.4;
/** A picture for which the best source did not answer. */
const DEGRADED_MS = 60_000;

/**
 * Makes pictures: simultaneous requests for one share it, and at most as many are made at a time as there are
 * cores.
 */
export function openPictures({ database, store, log, requestTimeoutMs }: PictureDeps): Pictures {
  const making = new Map<string, Promise<Picture>>();
  const inTurn = pLimit(availableParallelism());
  const openReading = openImageryFetch();
  /** Servers that have just failed, which following requests skip. */
  const down = new LRUCache<string, PlatError>({ max: 1000, ttl: RETRY_SECONDS * 1000 });

  const make = async ({ key, shape, frame, sources }: Prepared): Promise<Picture> => {
    const signal = AbortSignal.timeout(requestTimeoutMs);
    const pixels: Pixels = { width: WIDTH, height: HEIGHT, data: new Uint8Array(4 * WIDTH * HEIGHT) };
    const [caption, outline] = await Promise.all([
      paintFrom(sources, frame, pixels, signal),
      sharp(outlineOf(shape, frame)).raw().toBuffer(),
    ]);
    overlay(pixels, outline);
    const bytes = await sharp(pixels.data, { raw: { width: WIDTH, height: HEIGHT, channels: 4 } })
      .removeAlpha()
      // The thin outline would lose its color among halved ones. Codes of its own would make it 1 % smaller,
      // in twice the time.
      .jpeg({ quality: 85, chromaSubsampling: '4:4:4', optimiseCoding: false })
      .toBuffer();
    const picture = { ...caption, bytes };
    await store.keep(key, picture);
    return picture;
  };

  /** From the smallest pixels to the largest, each where the picture is still empty. */
  const paintAll = async (
    sources: Source[],
    frame: Shown,
    pixels: Pixels,
    signal: AbortSignal,
  ): Promise<Painted> => {
    const used: Source[] = [];
    let [freshUntil, failure]: [number, unknown] = [Infinity, undefined];
    const { width, height } = pixels;
    let empty = width * height;
    for (const source of sources) {
      if (empty === 0) break;
      const over = new AbortController();
      const limit = AbortSignal.any([
        signal,
        over.signal,
        AbortSignal.timeout(SOURCE_SHARE * requestTimeoutMs),
      ]);
      // Each of some forty tiles listens to it.
      setMaxListeners(0, limit);
      const reading = openReading(limit, { privateRedirects: source.private_network });
      try {
        const failure = down.get(source.source);
        if (failure !== undefined) throw failure;
        const painted = await paintSource(source, frame, pixels, reading);
        const unpainted = emptyPixels(pixels, [0, 0, width, height]);
        if (unpainted < empty) used.push({ ...source, ...painted });
        empty = unpainted;
        freshUntil = Math.min(freshUntil, reading.freshUntil);
      } catch (error) {
        signal.throwIfAborted();
        log.warn({ err: error, feed: source.feed, source: source.source }, 'a source of imagery failed');
        if (error instanceof PlatError && error.retryable) down.set(source.source, error);
        failure ??= error;
        freshUntil = Math.min(freshUntil, Date.now() + DEGRADED_MS);
      } finally {
        // Abort the requests of a source that has failed.
        over.abort();
      }
    }
    return { used, freshUntil, failure, empty };
  };

  const paintFrom = async (
    sources: Source[],
    frame: Frame,
    pixels: Pixels,
    signal: AbortSignal,
  ): Promise<Caption> => {
    const { used, freshUntil, failure, empty } = await paintAll(sources, frame, pixels, signal);
    const [left, top, right, bottom] = frame.parcelPx.map(Math.round) as Box;
    const around: Box = [left, top, Math.max(right, left + 1), Math.max(bottom, top + 1)];
    const all = (around[2] - around[0]) * (around[3] - around[1]);
    if (used.length === 0 || (empty > 0 && emptyPixels(pixels, around) > (1 - MIN_PAINTED) * all))
      throw noImagery(failure);
    const [first] = used;
    return {
      imagery: first!.type === 'relief' ? 'relief' : 'aerial',
      attribution: [...new Set(used.map(source => source.attribution))].join('; '),
      captured: first!.captured,
      freshUntil: freshUntil === Infinity ? null : freshUntil,
    };
  };

  const makeTile = async (sources: Source[], frame: Shown): Promise<GroundTile | undefined> => {
    const pixels: Pixels = { width: TILE_PX, height: TILE_PX, data: new Uint8Array(4 * TILE_PX ** 2) };
    const signal = AbortSignal.timeout(requestTimeoutMs);
    const { used, freshUntil, empty } = await paintAll(sources, frame, pixels, signal);
    if (used.length === 0) return undefined;
    const image = sharp(pixels.data, { raw: { width: TILE_PX, height: TILE_PX, channels: 4 } });
    const bytes = await (empty === 0 ? image.removeAlpha().jpeg({ quality: 85 }) : image.png()).toBuffer();
    const type = empty === 0 ? 'image/jpeg' : 'image/png';
    return { bytes, type, isLasting: freshUntil === Infinity };
  };

  const paintSource = async (
    source: Source,
    frame: Shown,
    pixels: Pixels,
    reading: ImageryFetch,
  ): Promise<{ attribution?: string }> => {
    const { source: address } = source;
    if (source.type === 'relief') return paintRelief(database, frame as Frame, pixels, reading.signal);
    if (source.type === 'cog') {
      const file = { ...source.details, source: address, fingerprint: source.fingerprint };
      await paintFile(file, frame, pixels, reading);
    } else if (source.type === 'xyz') {
      await paintTiles({ ...source.details, template: address }, frame, pixels, reading);
    } else await paintExport({ ...source.details, address }, frame, pixels, reading);
    return {};
  };

  /** What a picture of a parcel is made from, with the key that covers all of it. */
  const prepare = async (propertyId: number): Promise<Prepared> => {
    const [parcel] = await database.run<{ boundary: Buffer | null }>('imagery/get_boundary', {
      fips: countyOf(propertyId),
      property_id: propertyId,
    });
    if (parcel === undefined) throw notFound(`There is no parcel ${propertyId}.`);
    if (parcel.boundary === null) throw notFound(`Parcel ${propertyId} has no boundary to draw.`);
    const shape = decodeBoundary(parcel.boundary);
    const frame = frameOf(shape);
    const sources = chosen(await listSources(database, frame.boxes), frame);
    const versions = sources.map(source => [source.source, source.version]);
    const key = hash('sha256', JSON.stringify([propertyId, hash('sha256', parcel.boundary), versions])).slice(
      0,
      32,
    );
    return { key, shape, frame, sources };
  };

  const latest = async (prepared: Prepared): Promise<Picture> => {
    const { key } = prepared;
    const before = await store.read(key);
    if (before !== undefined && (before.freshUntil ?? Infinity) > Date.now()) return before;
    let picture = making.get(key);
    if (picture === undefined) {
      picture = inTurn(() => make(prepared)).finally(() => making.delete(key));
      making.set(key, picture);
    }
    return picture;
  };

  return {
    async ofTile(z, x, y) {
      const { box, ...frame } = shownOfTile(z, x, y, TILE_PX);
      const sources = (await listSources(database, [box])).filter(({ type }) => type !== 'relief');
      return sources.length === 0 ? undefined : inTurn(() => makeTile(sources, frame));
    },
    kept: key => store.read(key),
    async ofParcel(propertyId) {
      const prepared = await prepare(propertyId);
      return { key: prepared.key, picture: await latest(prepared) };
    },
    async describe(propertyId) {
      const prepared = await prepare(propertyId);
      const { key, sources } = prepared;
      // A server may keep a page waiting; the picture comes after it, and the best source's name stands
      // for what it will be.
      const isFar = sources.some(({ type, source }) => /^https?:/i.test(source) && type !== 'relief');
      const { imagery, attribution, captured } =
        (await store.read(key)) ??
        (isFar ? { imagery: 'aerial' as const, ...sources[0]! } : await latest(prepared));
      return { key, imagery, attribution, captured };
    },
  };
}

type Painted = { used: Source[]; freshUntil: number; failure: unknown; empty: number };

type Prepared = { key: string; shape: MultiPolygon; frame: Frame; sources: Source[] };

async function listSources(database: Database, boxes: readonly Box[]): Promise<Source[]> {
  return database.run<Source>('imagery/list_imagery', { boxes: boxes.map(box => boxSql(boxToE7(box))) });
}

/**
 * What is declared as a relief is drawn where there is no imagery of the parcel, and not where imagery fails.
 */
function chosen(sources: Source[], frame: Frame): Source[] {
  const touching = sources.filter(({ west, south, east, north }) =>
    frame.parcelBoxes.some(box => west <= box[2] && box[0] <= east && south <= box[3] && box[1] <= north),
  );
  if (touching.length === 0) throw noImagery(undefined);
  const isAerial = touching.some(({ type }) => type !== 'relief');
  return sources.filter(({ type }) => (type !== 'relief') === isAerial);
}

/** @param cause why a source that covers it could not be read; undefined when none covers it */
function noImagery(cause: unknown): PlatError {
  if (cause === undefined) return notFound('No imagery covers this parcel.');
  const message =
    'The source of imagery for this parcel is down. You were not charged. Try again in a few minutes.';
  return unavailable(message, cause, { 'Retry-After': String(RETRY_SECONDS) });
}

/** How many pixels of a rectangle nothing was painted on. */
function emptyPixels(picture: Pixels, [left, top, right, bottom]: Box): number {
  const { width, height } = picture;
  const words = pixelWords(picture);
  let count = 0;
  for (let y = Math.max(0, top); y < Math.min(height, bottom); y++)
    for (let x = Math.max(0, left); x < Math.min(width, right); x++) if (words[y * width + x] === 0) count++;
  return count;
}
