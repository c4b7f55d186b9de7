import type { Position } from '../../shared/geo/geometry-types.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { openByteSource } from '../../shared/raster/byte-source.ts';
import { type ImageryFile, placeImage } from '../../shared/raster/imagery-file.ts';
import { type Level, openLevels, type PixelWindow, readPixels } from '../../shared/raster/pixels.ts';
import { type Pixels, type ToPixel, warp } from '../../shared/raster/warp.ts';
import { type ImageryFetch, SOURCE_LIMITS } from './fetch-imagery.ts';
import type { Shown } from './image-frame.ts';

/**
 * Maximum number of pixels to read from a file for one picture. If the file has no overviews, a picture of a
 * large parcel reads it at full resolution.
 */
const MAX_PIXELS = 2 ** 26;

/** Paints a picture's empty pixels from a file, reading windows of the overview with the best resolution. */
export async function paintFile(
  file: ImageryFile,
  frame: Shown,
  picture: Pixels,
  { signal, request }: ImageryFetch,
): Promise<void> {
  const { forward } = placeImage(file, file.source);
  const placeIn: ToPixel = (x, y) => forward(frame.toPlace(x, y));
  const ratio = pixelsToOne(frame, forward, picture);
  const sampled = windowOf(placeIn, picture, file, ratio);
  if (sampled === null) return;
  const bytes = openByteSource(file.source, {
    signal,
    request,
    limits: SOURCE_LIMITS,
    fingerprint: file.fingerprint,
  });
  const levels = await openLevels(bytes);
  const level = levelFor(levels, ratio);
  const factor = file.width / level.width;
  // If pixels are still too fine, they are averaged in blocks of 2 x 2, 3 x 3, and so on.
  const shrink = Math.max(1, Math.floor(ratio / factor));
  const window = {
    left: Math.floor(sampled.left / factor),
    top: Math.floor(sampled.top / factor),
    right: Math.min(level.width, Math.ceil(sampled.right / factor)),
    bottom: Math.min(level.height, Math.ceil(sampled.bottom / factor)),
  };
  requireBounded(window, file.source);
  const pixels = await readPixels(level, window, shrink, file, { name: bytes.name, signal });
  const scale = 1 / (factor * shrink);
  await warp(
    pixels,
    picture,
    (x, y) => {
      const [column, row] = placeIn(x, y);
      return [column * scale - window.left / shrink, row * scale - window.top / shrink];
    },
    ratio * scale,
  );
}

/** File pixels per frame pixel, at the center of the frame. */
function pixelsToOne(
  frame: Shown,
  forward: (place: Position) => [number, number],
  { width, height }: Pixels,
): number {
  const [column, row] = forward(frame.toPlace(width / 2, height / 2));
  const [acrossX, acrossY] = forward(frame.toPlace(width / 2 + 1, height / 2));
  const [downX, downY] = forward(frame.toPlace(width / 2, height / 2 + 1));
  const area = (acrossX - column) * (downY - row) - (acrossY - row) * (downX - column);
  return Math.sqrt(Math.abs(area));
}

/** Number of sample points across and down that are used to locate a frame in a file. */
const SAMPLE_POINTS = 9;

/** The pixels of a file that the frame needs, or null. */
function windowOf(
  placeIn: ToPixel,
  picture: Pixels,
  { width, height }: ImageryFile,
  ratio: number,
): PixelWindow | null {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < SAMPLE_POINTS ** 2; i++) {
    const [across, down] = [i % SAMPLE_POINTS, Math.floor(i / SAMPLE_POINTS)].map(
      n => n / (SAMPLE_POINTS - 1),
    );
    const [column, row] = placeIn(across! * picture.width, down! * picture.height);
    if (!Number.isFinite(column + row)) continue;
    left = Math.min(left, column);
    right = Math.max(right, column);
    top = Math.min(top, row);
    bottom = Math.max(bottom, row);
  }
  // Extra pixels for blending at the edge.
  const margin = 4 * Math.ceil(Math.max(1, ratio));
  const window = {
    left: Math.max(0, Math.floor(left) - margin),
    top: Math.max(0, Math.floor(top) - margin),
    right: Math.min(width, Math.ceil(right) + margin),
    bottom: Math.min(height, Math.ceil(bottom) + margin),
  };
  return window.left < window.right && window.top < window.bottom ? window : null;
}

/** The smallest level whose pixels aren't larger than the picture's. */
function levelFor(levels: [Level, ...Level[]], ratio: number): Level {
  const [full] = levels;
  // Allow a tolerance of 1%, because overviews are rounded to whole pixels.
  return levels.findLast(({ width }) => full.width / width <= 1.01 * ratio) ?? full;
}

function requireBounded({ left, top, right, bottom }: PixelWindow, source: string): void {
  if ((right - left) * (bottom - top) <= MAX_PIXELS) return;
  throw new PlatError(
    'feed_format',
    `${source} has no overview small enough for such a large parcel. Add overviews with gdaladdo -r average.`,
    { status: 422 },
  );
}
