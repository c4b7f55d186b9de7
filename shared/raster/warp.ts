import { setImmediate } from 'node:timers/promises';
import sharp from 'sharp';
import { LITTLE_ENDIAN } from './image.ts';

/**
 * Red, green, blue, and alpha for each pixel, row by row. Alpha is 0 for empty pixels and 255 for all others.
 */
export type Pixels = { width: number; height: number; data: Uint8Array };

/** The pixels as 32-bit words, with 0 for empty ones. */
export const pixelWords = ({ data }: Pick<Pixels, 'data'>): Int32Array =>
  new Int32Array(data.buffer, data.byteOffset, data.length >> 2);

/**
 * Maps a place in the output to a place in the source, both in pixels from the outer corner. Returns NaN if
 * there is none.
 */
export type ToPixel = (x: number, y: number) => readonly [column: number, row: number];

/**
 * Cells per side of the output. Only their corners are projected, because within a cell, the mapping is
 * nearly linear, even on a map of a whole state.
 */
const CELLS = 16;

/**
 * Draws a source into the empty pixels of a picture with bilinear interpolation. The source's pixels must be
 * more than half as large as the picture's. Uses a JavaScript loop with pauses for other tasks, because
 * libvips takes three times the CPU time and leaves four copies in memory.
 * @param picture the picture, whose sides are multiples of `CELLS`
 * @param ratio source pixels per picture pixel
 */
export async function warp(source: Pixels, picture: Pixels, placeIn: ToPixel, ratio: number): Promise<void> {
  const blurred = await blur(source, ratio);
  const [width, height] = [picture.width / CELLS, picture.height / CELLS];
  for (let row = 0; row < CELLS; row++) {
    for (let column = 0; column < CELLS; column++)
      warpCell(blurred, picture, placeIn, { left: column * width, top: row * height, width, height });
    await setImmediate();
  }
}

/** A blur that gives neighbors less weight than this would not be visible. */
const MIN_SHARE = 0.01;

/**
 * Blurs a source whose pixels are smaller than the picture's, so that each output pixel is a mean of several.
 * gdalwarp's triangle filter of width `ratio` has a variance of ratio²/6. The blur adds the part of it that
 * bilinear interpolation lacks.
 */
async function blur(source: Pixels, ratio: number): Promise<Pixels> {
  const { width, height } = source;
  const share = (ratio ** 2 - 1) / 12;
  if (share < MIN_SHARE) return source;
  const opened = (data: Uint8Array, channels: 3 | 4) => sharp(data, { raw: { width, height, channels } });
  const pixels = opened(source.data, 4);
  // Remove opaque alpha, because libvips would multiply and divide by it, which takes three times as long.
  const isOpaque = !pixelWords(source).includes(0);
  const blurred = isOpaque ? opened(await pixels.removeAlpha().raw().toBuffer(), 3) : pixels;
  // The sigma of the Gaussian that gives each neighbor this share.
  const sigma = Math.sqrt(-1 / (2 * Math.log(share / (1 - 2 * share))));
  blurred.blur({ sigma, minAmplitude: 0.01 });
  return { width, height, data: await blurred.ensureAlpha().raw().toBuffer() };
}

type Cell = { left: number; top: number; width: number; height: number };

/** The alpha byte of a pixel's word. */
const ALPHA = LITTLE_ENDIAN ? -0x1000000 : 0xff;

/** Fixed-point coordinates with 12 fractional bits. */
const FRACTION_BITS = 12;
const FIXED_POINT_ONE = 2 ** FRACTION_BITS;
/** The maximum number of columns or rows for 32-bit fixed point. */
const MAX_FIXED_POINT = 2 ** 31 / FIXED_POINT_ONE;

function warpCell(source: Pixels, picture: Pixels, placeIn: ToPixel, cell: Cell): void {
  const { left, top, width, height } = cell;
  const [p, q] = [placeIn(left, top), placeIn(left + width, top)];
  const [r, s] = [placeIn(left, top + height), placeIn(left + width, top + height)];
  const [from, into] = [pixelWords(source), pixelWords(picture)];
  const columns = source.width;
  const [lastColumn, lastRow] = [columns - 1, source.height - 1];
  const toFixedPoint = (pixels: number) => Math.round(pixels * FIXED_POINT_ONE) | 0;
  const places = [p, q, r, s].flat().map(Math.abs);
  // Also false for NaN.
  if (!(Math.max(...places, columns, source.height) < MAX_FIXED_POINT)) return;
  for (let y = 0; y < height; y++) {
    const share = (y + 0.5) / height;
    const [startX, startY] = [p[0] + (r[0] - p[0]) * share, p[1] + (r[1] - p[1]) * share];
    const stepX = (q[0] + (s[0] - q[0]) * share - startX) / width;
    const stepY = (q[1] + (s[1] - q[1]) * share - startY) / width;
    const stepU = toFixedPoint(stepX);
    const stepV = toFixedPoint(stepY);
    // The center of the pixel, relative to the centers of source pixels.
    let u = toFixedPoint(startX + stepX / 2 - 0.5);
    let v = toFixedPoint(startY + stepY / 2 - 0.5);
    const row = (top + y) * picture.width + left;
    for (let to = row; to < row + width; to++, u = (u + stepU) | 0, v = (v + stepV) | 0) {
      if (into[to] !== 0) continue;
      const i = u >> FRACTION_BITS;
      const j = v >> FRACTION_BITS;
      if (i >>> 0 < lastColumn && j >>> 0 < lastRow) {
        const at = j * columns + i;
        const northwest = from[at]!;
        const northeast = from[at + 1]!;
        const southwest = from[at + columns]!;
        const southeast = from[at + columns + 1]!;
        if ((northwest & northeast & southwest & southeast & ALPHA) === ALPHA) {
          // Weights add up to 256.
          const right = (u >> (FRACTION_BITS - 8)) & 255;
          const down = (v >> (FRACTION_BITS - 8)) & 255;
          const both = (right * down) >> 8;
          let mixed = 0;
          for (let shift = 0; shift < 32; shift += 8) {
            const sum =
              ((northwest >>> shift) & 255) * (256 - right - down + both) +
              ((northeast >>> shift) & 255) * (right - both) +
              ((southwest >>> shift) & 255) * (down - both) +
              ((southeast >>> shift) & 255) * both;
            mixed |= ((sum + 128) >> 8) << shift;
          }
          into[to] = mixed;
          continue;
        }
      }
      if (i >= -1 && j >= -1 && i < columns && j < source.height)
        mixPresent(source, u / FIXED_POINT_ONE, v / FIXED_POINT_ONE, picture.data, 4 * to);
    }
  }
}

/** Mixes the non-empty ones of four source pixels. The result stays empty if they cover less than half. */
function mixPresent(
  { data, width, height }: Pixels,
  u: number,
  v: number,
  into: Uint8Array,
  to: number,
): void {
  const [left, top] = [Math.floor(u), Math.floor(v)];
  const sums = [0, 0, 0];
  let weight = 0;
  for (let i = 0; i < 4; i++) {
    const [x, y] = [left + (i & 1), top + (i >> 1)];
    if (x < 0 || y < 0 || x >= width || y >= height) continue;
    const at = 4 * (y * width + x);
    const share = ((1 - Math.abs(u - x)) * (1 - Math.abs(v - y)) * data[at + 3]!) / 255;
    weight += share;
    for (let k = 0; k < 3; k++) sums[k]! += share * data[at + k]!;
  }
  if (weight < 0.5) return;
  for (let k = 0; k < 3; k++) into[to + k] = Math.round(sums[k]! / weight);
  into[to + 3] = 255;
}
