import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import pLimit, { type LimitFunction } from 'p-limit';
import sharp from 'sharp';
import { decodeBoundary } from '../../shared/geo/geometry-codec.ts';
import type { Box, MultiPolygon } from '../../shared/geo/geometry-types.ts';
import { countyOf } from '../../shared/model/property-id.ts';
import type { Pixels } from '../../shared/raster/warp.ts';
import { notFound } from '../http/error-responses.ts';
import { type Frame, frameOf, HEIGHT, type Shown, shownOfTile, WIDTH } from './image-frame.ts';
import type { Caption, Picture, Store } from './image-store.ts';
import { type ImagerySource, listSources, noImagery, selectSources } from './imagery-sources.ts';
import { outlineOf, overlay } from './outline.ts';
import {
  emptyPixels,
  openPainter,
  type Painted,
  type Painter,
  type PainterDeps,
  paintSources,
} from './paint-imagery.ts';

export type Pictures = {
  /**
   * The picture of a parcel and its key.
   * @throws PlatError `not_found` if there is no boundary or imagery, `unprocessable` if the boundary is too
   * complex, `internal_error` 503 if a source of its imagery is down
   */
  ofParcel(propertyId: number): Promise<{ key: string; picture: Picture }>;
  /** The caption of a picture, without waiting for remote servers. @throws PlatError like `ofParcel` */
  describe(propertyId: number): Promise<{ key: string } & Omit<Caption, 'freshUntil'>>;
  /** A tile of imagery. Undefined if none is available. */
  ofTile(z: number, x: number, y: number): Promise<GroundTile | undefined>;
  kept(key: string): Promise<Picture | undefined>;
};

/** `isLasting`: whether the picture was drawn only from files, and all of them could be read. */
export type GroundTile = { bytes: Buffer; type: string; isLasting: boolean };

export type PictureDeps = PainterDeps & { store: Store };

type PictureMaker = PictureDeps & {
  painter: Painter;
  /** Pictures in progress by key. Concurrent requests for the same picture share it. */
  making: Map<string, Promise<Picture>>;
  /** Limits concurrent pictures to the number of cores. */
  inTurn: LimitFunction;
};

type PictureParts = { key: string; shape: MultiPolygon; frame: Frame; sources: ImagerySource[] };

const TILE_PX = 256;
/** Share of the pixels around the boundary that must be painted. The rest may be sea. */
const MIN_PAINTED = 0.95;

// Pictures are never drawn twice from the same bytes, so libvips doesn't need to cache operations.
sharp.cache(false);

export function openPictures(deps: PictureDeps): Pictures {
  const { db, store } = deps;
  const maker: PictureMaker = {
    ...deps,
    painter: openPainter(deps),
    making: new Map(),
    inTurn: pLimit(availableParallelism()),
  };
  return {
    async ofTile(z, x, y) {
      const { box, ...frame } = shownOfTile(z, x, y, TILE_PX);
      const sources = (await listSources(db, [box])).filter(({ type }) => type !== 'relief');
      return sources.length === 0 ? undefined : maker.inTurn(() => makeTile(maker, sources, frame));
    },
    kept: key => store.read(key),
    async ofParcel(propertyId) {
      const parts = await prepare(maker, propertyId);
      return { key: parts.key, picture: await latest(maker, parts) };
    },
    describe: propertyId => describe(maker, propertyId),
  };
}

async function prepare({ db }: PictureMaker, propertyId: number): Promise<PictureParts> {
  const [parcel] = await db.run<{ boundary: Buffer | null }>('imagery/get_boundary', {
    fips: countyOf(propertyId),
    property_id: propertyId,
  });
  if (parcel === undefined) throw notFound(`No parcel has the id ${propertyId}.`);
  if (parcel.boundary === null) throw notFound(`Parcel ${propertyId} has no boundary to draw.`);
  const shape = decodeBoundary(parcel.boundary);
  const frame = frameOf(shape);
  const sources = selectSources(await listSources(db, frame.boxes), frame);
  const versions = sources.map(source => [source.source, source.version]);
  const key = hash('sha256', JSON.stringify([propertyId, hash('sha256', parcel.boundary), versions])).slice(
    0,
    32,
  );
  return { key, shape, frame, sources };
}

/** The stored picture if it is still fresh, otherwise a new one. */
async function latest(maker: PictureMaker, parts: PictureParts): Promise<Picture> {
  const { key } = parts;
  const { making, inTurn, store } = maker;
  const before = await store.read(key);
  if (before !== undefined && (before.freshUntil ?? Infinity) > Date.now()) return before;
  let picture = making.get(key);
  if (picture === undefined) {
    picture = inTurn(() => makePicture(maker, parts)).finally(() => making.delete(key));
    making.set(key, picture);
  }
  return picture;
}

async function describe(maker: PictureMaker, propertyId: number) {
  const parts = await prepare(maker, propertyId);
  const { key, sources } = parts;
  // Servers can be slow, so the page first shows the best source's name, and then the picture.
  const isRemote = sources.some(({ type, source }) => /^https?:/i.test(source) && type !== 'relief');
  const { imagery, attribution, captured } =
    (await maker.store.read(key)) ??
    (isRemote ? { imagery: 'aerial' as const, ...sources[0]! } : await latest(maker, parts));
  return { key, imagery, attribution, captured };
}

async function makePicture(maker: PictureMaker, parts: PictureParts): Promise<Picture> {
  const { key, shape, frame, sources } = parts;
  const signal = AbortSignal.timeout(maker.requestTimeoutMs);
  const pixels: Pixels = { width: WIDTH, height: HEIGHT, data: new Uint8Array(4 * WIDTH * HEIGHT) };
  const [caption, outline] = await Promise.all([
    paintSources(maker.painter, sources, frame, pixels, signal).then(painted =>
      captionOf(painted, frame, pixels),
    ),
    sharp(outlineOf(shape, frame)).raw().toBuffer(),
  ]);
  overlay(pixels, outline);
  const bytes = await sharp(pixels.data, { raw: { width: WIDTH, height: HEIGHT, channels: 4 } })
    .removeAlpha()
    // Chroma subsampling would wash out the thin outline. Optimized coding would take twice as long and save
    // 1%.
    .jpeg({ quality: 85, chromaSubsampling: '4:4:4', optimiseCoding: false })
    .toBuffer();
  const picture = { ...caption, bytes };
  await maker.store.keep(key, picture);
  return picture;
}

/** @throws PlatError if too little around the boundary was painted */
function captionOf({ used, freshUntil, failure, empty }: Painted, frame: Frame, pixels: Pixels): Caption {
  const [left, top, right, bottom] = frame.parcelPx.map(Math.round) as Box;
  const around: Box = [left, top, Math.max(right, left + 1), Math.max(bottom, top + 1)];
  const all = (around[2] - around[0]) * (around[3] - around[1]);
  const [first] = used;
  if (first === undefined || (empty > 0 && emptyPixels(pixels, around) > (1 - MIN_PAINTED) * all))
    throw noImagery(failure);
  return {
    imagery: first.type === 'relief' ? 'relief' : 'aerial',
    attribution: [...new Set(used.map(source => source.attribution))].join('; '),
    captured: first.captured,
    freshUntil: freshUntil === Infinity ? null : freshUntil,
  };
}

async function makeTile(
  maker: PictureMaker,
  sources: ImagerySource[],
  frame: Shown,
): Promise<GroundTile | undefined> {
  const pixels: Pixels = { width: TILE_PX, height: TILE_PX, data: new Uint8Array(4 * TILE_PX ** 2) };
  const signal = AbortSignal.timeout(maker.requestTimeoutMs);
  const { used, freshUntil, empty } = await paintSources(maker.painter, sources, frame, pixels, signal);
  if (used.length === 0) return undefined;
  const image = sharp(pixels.data, { raw: { width: TILE_PX, height: TILE_PX, channels: 4 } });
  const bytes = await (empty === 0 ? image.removeAlpha().jpeg({ quality: 85 }) : image.png()).toBuffer();
  const type = empty === 0 ? 'image/jpeg' : 'image/png';
  return { bytes, type, isLasting: freshUntil === Infinity };
}
