import { setImmediate } from 'node:timers/promises';
import sharp from 'sharp';
import { LITTLE_ENDIAN } from './image.ts';

/** Red, green, blue and alpha by turns, row by row; alpha is 0 where there is nothing, else 255. */
export type Pixels = { width: number; height: number; data: Uint8Array };

/** What a picture is made of; with 3 channels it is opaque. */
export type Source = Pixels & { channels: 3 | 4 };

/** The four values of each pixel as one number, which is 0 where there is nothing. */
export const pixelWords = ({ data }: Pick<Pixels, 'data'>): Int32Array =>
  new Int32Array(data.buffer, data.byteOffset, data.length >> 2);

/**
 * Where a place of a picture lies in a source; both in pixels from the outer corner. NaN
 * where it lies nowhere.
 */
export type ToPixel = (x: number, y: number) => readonly [column: number, row: number];

/**
 * Cells a side of a picture, at whose corners places are projected: in between, also on a frame of a whole
 * state, they are all but straight.
 */
const CELLS = 16;

/**
 * Paints a picture where it is still empty: bilinear between a source's pixels, which are to be more than
 * half as large as the picture's.
 * A plain loop, with pauses for others: libvips takes three times the processor time for it and leaves
 * four copies behind.
 * @param picture its sides are multiples of `CELLS`
 * @param ratio pixels of the source to one of the picture
 */
export async function warp(source: Source, picture: Pixels, placeIn: ToPixel, ratio: number): Promise<void> {
  const even = await softened(source, ratio);
  const [width, height] = [picture.width / CELLS, picture.height / CELLS];
  for (let row = 0; row < CELLS; row++) {
    for (let column = 0; column < CELLS; column++)
      warpCell(even, picture, placeIn, { left: column * width, top: row * height, width, height });
    await setImmediate();
  }
}

/** Below it nothing would be seen of it. */
const MIN_SHARE = 0.01;

/**
 * Where the source's pixels are smaller than the picture's, each of those is to be a mean of several.
 * gdalwarp widens its triangle to `ratio`, whose variance is ratio²/6; what its neighbors add to each pixel
 * here makes up for the difference.
 */
async function softened(source: Source, ratio: number): Promise<Pixels> {
  const { width, height } = source;
  const share = (ratio ** 2 - 1) / 12;
  if (share < MIN_SHARE && source.channels === 4) return source;
  const opened = ({ channels, data }: Source) => sharp(data, { raw: { width, height, channels } });
  // By an alpha, even one that is full, libvips multiplies and divides, in three times the time.
  const isFull = source.channels === 4 && !pixelWords(source).includes(0);
  const pixels = isFull
    ? opened({ ...source, channels: 3, data: await opened(source).removeAlpha().raw().toBuffer() })
    : opened(source);
  // A Gaussian that gives each neighbor this share.
  const sigma = Math.sqrt(-1 / (2 * Math.log(share / (1 - 2 * share))));
  if (share >= MIN_SHARE) pixels.blur({ sigma, minAmplitude: 0.01 });
  return { width, height, data: await pixels.ensureAlpha().raw().toBuffer() };
}

type Cell = { left: number; top: number; width: number; height: number };

/** Two of the four bytes of a pixel, and that of its alpha. */
const TWO_BYTES = 0xff00ff;
const ALPHA = LITTLE_ENDIAN ? -0x1000000 : 0xff;
const { imul } = Math;
/** Half of 256 in both of two bytes. */
const HALVES = 0x800080;

/** Places are counted in parts of a pixel, of 12 bits. */
const FINE_BITS = 12;
const FINE = 2 ** FINE_BITS;
/** Columns and rows that a place of 32 bits has room for. */
const MAX_ACROSS = 2 ** 31 / FINE;

function warpCell(source: Pixels, picture: Pixels, placeIn: ToPixel, cell: Cell): void {
  const { left, top, width, height } = cell;
  const [p, q] = [placeIn(left, top), placeIn(left + width, top)];
  const [r, s] = [placeIn(left, top + height), placeIn(left + width, top + height)];
  const [from, into] = [pixelWords(source), pixelWords(picture)];
  const columns = source.width;
  const [lastColumn, lastRow] = [columns - 1, source.height - 1];
  const fine = (pixels: number) => Math.round(pixels * FINE) | 0;
  const places = [p, q, r, s].flat().map(Math.abs);
  // NaN too.
  if (!(Math.max(...places, columns, source.height) < MAX_ACROSS)) return;
  for (let y = 0; y < height; y++) {
    const share = (y + 0.5) / height;
    const [startX, startY] = [p[0] + (r[0] - p[0]) * share, p[1] + (r[1] - p[1]) * share];
    const stepX = (q[0] + (s[0] - q[0]) * share - startX) / width;
    const stepY = (q[1] + (s[1] - q[1]) * share - startY) / width;
    const stepU = fine(stepX);
    const stepV = fine(stepY);
    // The place of a pixel's middle among the middles of the source's pixels.
    let u = fine(startX + stepX / 2 - 0.5);
    let v = fine(startY + stepY / 2 - 0.5);
    const row = (top + y) * picture.width + left;
    for (let to = row; to < row + width; to++, u = (u + stepU) | 0, v = (v + stepV) | 0) {
      if (into[to] !== 0) continue;
      const i = u >> FINE_BITS;
      const j = v >> FINE_BITS;
      if (i >>> 0 < lastColumn && j >>> 0 < lastRow) {
        const at = (imul(j, columns) + i) | 0;
        const a = from[at]!;
        const b = from[at + 1]!;
        const c = from[at + columns]!;
        const d = from[at + columns + 1]!;
        if ((a & b & c & d & ALPHA) === ALPHA) {
          // Weights of 256 in all, and two values at a time.
          const right = (u >> (FINE_BITS - 8)) & 255;
          const below = (v >> (FINE_BITS - 8)) & 255;
          const both = imul(right, below) >> 8;
          const b1 = right - both;
          const c1 = below - both;
          const a1 = 256 - right - c1;
          const even =
            (imul(a & TWO_BYTES, a1) +
              imul(b & TWO_BYTES, b1) +
              imul(c & TWO_BYTES, c1) +
              imul(d & TWO_BYTES, both) +
              HALVES) |
            0;
          const odd =
            (imul((a >>> 8) & TWO_BYTES, a1) +
              imul((b >>> 8) & TWO_BYTES, b1) +
              imul((c >>> 8) & TWO_BYTES, c1) +
              imul((d >>> 8) & TWO_BYTES, both) +
              HALVES) |
            0;
          into[to] = ((even >>> 8) & TWO_BYTES) | (odd & ~TWO_BYTES);
          continue;
        }
      }
      if (i >= -1 && j >= -1 && i < columns && j < source.height)
        mixPresent(source, u / FINE, v / FINE, picture.data, 4 * to);
    }
  }
}

/** Mixes what there is of the four pixels around a place; less than half of a pixel is none. */
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
