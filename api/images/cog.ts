import { PlatError } from '../../shared/errors.ts';
import type { Position } from '../../shared/geo/types.ts';
import { nodesOf, type Pixels, resample } from '../../shared/kernels/resample.ts';
import { openBytes } from '../../shared/raster/byte-source.ts';
import { type ImageryFile, placeImage } from '../../shared/raster/imagery.ts';
import { type Level, openLevels, type PixelWindow, readPixels } from '../../shared/raster/pixels.ts';
import { type Frame, HEIGHT, WIDTH } from './frame.ts';
import { type Reading, SOURCE_LIMITS } from './outside.ts';

/** Pixels of a file that one picture may take: a file without overviews is read in full where a large parcel lies. */
const MOST_PIXELS = 2 ** 26;

/** Paints what a file shows of the frame where the picture is still empty: from the overview that fits, by windows, reprojected. */
export async function paintFile(
  file: ImageryFile,
  frame: Frame,
  picture: Pixels,
  { signal, request }: Reading,
): Promise<void> {
  const { forward } = placeImage(file, file.source);
  const nodes = nodesOf(WIDTH, HEIGHT, (x, y) => forward(frame.toPlace(x, y)));
  const ratio = pixelsToOne(frame, forward);
  const seen = windowOf(nodes, file.width, file.height, ratio);
  if (seen === null) return;
  const bytes = openBytes(file.source, {
    signal,
    request,
    limits: SOURCE_LIMITS,
    fingerprint: file.fingerprint,
  });
  const levels = await openLevels(bytes);
  const level = fitting(levels, ratio);
  const factor = file.width / level.width;
  // What is still too fine is read as means of 2 x 2, 3 x 3 … pixels.
  const shrink = Math.max(1, Math.round(ratio / factor));
  const window = {
    left: Math.floor(seen.left / factor),
    top: Math.floor(seen.top / factor),
    right: Math.min(level.width, Math.ceil(seen.right / factor)),
    bottom: Math.min(level.height, Math.ceil(seen.bottom / factor)),
  };
  requireBounded(window, file.source);
  const pixels = await readPixels(level, window, shrink, file, { name: bytes.name, signal });
  const scale = 1 / (factor * shrink);
  const own = {
    across: nodes.across,
    columns: nodes.columns.map(column => column * scale - window.left / shrink),
    rows: nodes.rows.map(row => row * scale - window.top / shrink),
  };
  await paint(pixels, picture, own, ratio * scale, signal);
}

/** Rows that are painted before others get their turn: some 5 ms. */
const ROWS_AT_ONCE = 64;

/** Resamples a whole picture, without holding up what else the process does. */
export async function paint(
  pixels: Pixels,
  picture: Pixels,
  nodes: ReturnType<typeof nodesOf>,
  ratio: number,
  signal: AbortSignal,
): Promise<void> {
  for (let row = 0; row < picture.height; row += ROWS_AT_ONCE) {
    signal.throwIfAborted();
    resample(pixels, picture, nodes, ratio, row, Math.min(picture.height, row + ROWS_AT_ONCE));
    await new Promise(resolve => setImmediate(resolve));
  }
}

/** Pixels of the file to one of the frame, in its middle. */
function pixelsToOne(frame: Frame, forward: (place: Position) => [number, number]): number {
  const [column, row] = forward(frame.toPlace(WIDTH / 2, HEIGHT / 2));
  const [acrossX, acrossY] = forward(frame.toPlace(WIDTH / 2 + 1, HEIGHT / 2));
  const [downX, downY] = forward(frame.toPlace(WIDTH / 2, HEIGHT / 2 + 1));
  const area = (acrossX - column) * (downY - row) - (acrossY - row) * (downX - column);
  return Math.sqrt(Math.abs(area));
}

/** The pixels of a file that the frame needs; null when it needs none. */
function windowOf(
  { columns, rows }: ReturnType<typeof nodesOf>,
  width: number,
  height: number,
  ratio: number,
): PixelWindow | null {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [i, column] of columns.entries()) {
    const row = rows[i]!;
    if (!Number.isFinite(column + row)) continue;
    left = Math.min(left, column);
    right = Math.max(right, column);
    top = Math.min(top, row);
    bottom = Math.max(bottom, row);
  }
  // What is blended at the rim.
  const margin = 2 * Math.ceil(Math.max(1, ratio));
  const window = {
    left: Math.max(0, Math.floor(left) - margin),
    top: Math.max(0, Math.floor(top) - margin),
    right: Math.min(width, Math.ceil(right) + margin),
    bottom: Math.min(height, Math.ceil(bottom) + margin),
  };
  return window.left < window.right && window.top < window.bottom ? window : null;
}

/** The smallest level whose pixels are not larger than the picture's. */
function fitting(levels: [Level, ...Level[]], ratio: number): Level {
  const [full] = levels;
  // A hundredth more: overviews are rounded to whole pixels.
  return levels.findLast(({ width }) => full.width / width <= 1.01 * ratio) ?? full;
}

function requireBounded({ left, top, right, bottom }: PixelWindow, source: string): void {
  if ((right - left) * (bottom - top) <= MOST_PIXELS) return;
  throw new PlatError(
    'feed_format',
    `${source} has no overview that is small enough for so large a parcel. Add some with gdaladdo -r average.`,
    { status: 422 },
  );
}
