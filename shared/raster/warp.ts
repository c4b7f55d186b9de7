import sharp from 'sharp';

/** Red, green, blue and alpha by turns, row by row; alpha is 0 where there is nothing, else 255. */
export type Pixels = { width: number; height: number; data: Uint8Array };

/** What a picture is made of; with 3 channels it is opaque. */
export type Source = Pixels & { channels: 3 | 4 };

/** Where a place of a picture lies in a source; both in pixels from the outer corner. NaN where it lies nowhere. */
export type PlaceIn = (x: number, y: number) => readonly [column: number, row: number];

/** How far, in pixels of the source, a piece of the picture may be off where it is taken for a parallelogram: GDAL's own threshold is 1/8. */
const MOST_OFF = 0.125;
/** A picture of a whole state is cut into so many pieces a side at the most. */
const MOST_PIECES = 16;
/** Pixels around a piece that are blended into its rim. */
const MARGIN = 3;

/**
 * Paints a picture where it is still empty: bilinear between a source's pixels, which are to be more than half as large as the picture's.
 * Projections are all but straight over a parcel, so that libvips can do it, off the event loop; where they are not, piece by piece.
 * @param ratio pixels of the source to one of the picture
 */
export async function warp(source: Source, picture: Pixels, placeIn: PlaceIn, ratio: number): Promise<void> {
  // Four at the least, for several cores.
  let pieces = 2;
  while (pieces < MOST_PIECES && bend(picture, placeIn, pieces) > MOST_OFF) pieces *= 2;
  const even = await softened(source, ratio);
  const work: Promise<void>[] = [];
  const [width, height] = [picture.width / pieces, picture.height / pieces];
  for (let i = 0; i < pieces * pieces; i++) {
    const [left, top] = [(i % pieces) * width, Math.floor(i / pieces) * height];
    work.push(warpPiece(even, picture, placeIn, { left, top, width, height }));
  }
  await Promise.all(work);
}

/** Below it nothing would be seen of it. */
const LEAST_SHARE = 0.01;

/**
 * Where the source's pixels are smaller than the picture's, each of those is to be a mean of several. gdalwarp widens its triangle to
 * `ratio`, whose variance is ratio²/6; what its neighbours add to each pixel here makes up for the difference.
 */
async function softened(source: Source, ratio: number): Promise<Source> {
  const share = (ratio ** 2 - 1) / 12;
  if (share < LEAST_SHARE) return source;
  // A Gaussian that gives each neighbour this share.
  const sigma = Math.sqrt(-1 / (2 * Math.log(share / (1 - 2 * share))));
  const pixels = sharp(source.data, { raw: rawOf(source) }).blur({ sigma, minAmplitude: 0.01 });
  if (source.channels === 4 && hasEmpty(source)) return { ...source, data: await pixels.raw().toBuffer() };
  return { ...source, channels: 3, data: await pixels.removeAlpha().raw().toBuffer() };
}

const rawOf = ({ width, height, channels }: Source) => ({ width, height, channels });

function hasEmpty({ data }: Pixels): boolean {
  for (let at = 3; at < data.length; at += 4) if (data[at] === 0) return true;
  return false;
}

type Piece = { left: number; top: number; width: number; height: number };

/** How far the middles of sides are from where the corners of the first and the last piece say. */
function bend({ width, height }: Pixels, placeIn: PlaceIn, pieces: number): number {
  let most = 0;
  for (const at of [0, pieces - 1]) {
    const [w, h] = [width / pieces, height / pieces];
    const [x, y] = [at * w, at * h];
    for (const [x0, y0, x1, y1] of [
      [x, y, x + w, y],
      [x, y, x, y + h],
      [x, y, x + w, y + h],
    ] as const) {
      const [a, b, middle] = [placeIn(x0, y0), placeIn(x1, y1), placeIn((x0 + x1) / 2, (y0 + y1) / 2)];
      most = Math.max(most, Math.hypot((a[0] + b[0]) / 2 - middle[0], (a[1] + b[1]) / 2 - middle[1]));
    }
  }
  return most;
}

async function warpPiece(source: Source, picture: Pixels, placeIn: PlaceIn, piece: Piece): Promise<void> {
  const { left, top, width, height } = piece;
  const [p, q] = [placeIn(left, top), placeIn(left + width, top)];
  const [r, s] = [placeIn(left, top + height), placeIn(left + width, top + height)];
  const corners = [p, q, r, s];
  // Pixels of the source to one of the picture, across and down, as the sides of the piece have it on average.
  const [xx, yx] = [0, 1].map(k => (q[k]! - p[k]! + s[k]! - r[k]!) / 2 / width) as [number, number];
  const [xy, yy] = [0, 1].map(k => (r[k]! - p[k]! + s[k]! - q[k]!) / 2 / height) as [number, number];
  const [midX, midY] = [0, 1].map(k => corners.reduce((sum, corner) => sum + corner[k]!, 0) / 4) as [
    number,
    number,
  ];
  const determinant = xx * yy - xy * yx;
  if (!Number.isFinite(determinant) || determinant === 0) return;
  const columns = corners.map(([column]) => column);
  const rows = corners.map(([, row]) => row);
  const from = {
    x: clamp(Math.floor(Math.min(...columns)) - MARGIN, source.width),
    y: clamp(Math.floor(Math.min(...rows)) - MARGIN, source.height),
  };
  const to = {
    x: clamp(Math.ceil(Math.max(...columns)) + MARGIN, source.width),
    y: clamp(Math.ceil(Math.max(...rows)) + MARGIN, source.height),
  };
  if (from.x >= to.x || from.y >= to.y) return;
  const [a, b, c, d] = [yy / determinant, -xy / determinant, -yx / determinant, xx / determinant];
  // Where the middle of the window's first pixel lies among the middles of the picture's: what is left of whole pixels libvips shifts.
  const [x, y] = [from.x + 0.5 - midX, from.y + 0.5 - midY];
  const shiftX = left + width / 2 + a * x + b * y - 0.5;
  const shiftY = top + height / 2 + c * x + d * y - 0.5;
  const [wholeX, wholeY] = [Math.round(shiftX), Math.round(shiftY)];
  const window = { left: from.x, top: from.y, width: to.x - from.x, height: to.y - from.y };
  const { data, info } = await sharp(source.data, { raw: rawOf(source) })
    .extract(window)
    .affine(
      [
        [a, b],
        [c, d],
      ],
      { odx: shiftX - wholeX, ody: shiftY - wholeY, interpolator: 'bilinear', background: NOTHING },
    )
    .raw()
    .toBuffer({ resolveWithObject: true });
  // libvips makes the box around what the corners become, rounded, without the shift.
  const least = (across: number, down: number) =>
    Math.round(
      Math.min(0, across * window.width, down * window.height, across * window.width + down * window.height),
    );
  copyEmpty({ ...info, data }, picture, wholeX + least(a, b), wholeY + least(c, d), piece);
}

const NOTHING = { r: 0, g: 0, b: 0, alpha: 0 };

const clamp = (value: number, most: number): number => Math.max(0, Math.min(most, value));

/** Less than half of a pixel is none. */
const OPAQUE = 128;

/** Copies pixels to where a picture is empty, within a piece of it. @param left of the first pixel in the picture */
export function copyEmpty(from: Pixels, picture: Pixels, left: number, top: number, piece: Piece): void {
  const [x0, x1] = [
    Math.max(left, Math.round(piece.left)),
    Math.min(left + from.width, Math.round(piece.left + piece.width)),
  ];
  const [y0, y1] = [
    Math.max(top, Math.round(piece.top)),
    Math.min(top + from.height, Math.round(piece.top + piece.height)),
  ];
  const [{ data: colours }, { data }] = [from, picture];
  for (let y = y0; y < y1; y++) {
    let at = 4 * ((y - top) * from.width + x0 - left);
    let to = 4 * (y * picture.width + x0);
    for (let x = x0; x < x1; x++, at += 4, to += 4) {
      const alpha = colours[at + 3]!;
      if (data[to + 3] !== 0 || alpha < OPAQUE) continue;
      data[to] = colours[at]!;
      data[to + 1] = colours[at + 1]!;
      data[to + 2] = colours[at + 2]!;
      data[to + 3] = 255;
      // Nothing is black: what is mixed with it is as much too dark as it is transparent.
      if (alpha < 255) for (let i = 0; i < 3; i++) data[to + i] = (colours[at + i]! * 255) / alpha;
    }
  }
}
