/** Red, green, blue and alpha by turns, row by row; alpha is 0 where there is nothing, else 255. */
export type Pixels = { width: number; height: number; data: Uint8Array };

/** Pixels between places that are projected; between them places are taken to lie in line. */
export const NODE_STEP = 32;

/**
 * Where the pixels of a picture lie in a source, in the source's pixels from its outer corner: one place every NODE_STEP pixels across
 * and down, from the picture's outer corner on, row by row. NaN where there is none.
 */
export type Nodes = { across: number; columns: Float64Array; rows: Float64Array };

export function nodesOf(
  width: number,
  height: number,
  placeOf: (x: number, y: number) => readonly [column: number, row: number],
): Nodes {
  const across = Math.ceil(width / NODE_STEP) + 1;
  const down = Math.ceil(height / NODE_STEP) + 1;
  const columns = new Float64Array(across * down);
  const rows = new Float64Array(across * down);
  for (let i = 0; i < columns.length; i++) {
    const [column, row] = placeOf((i % across) * NODE_STEP, Math.floor(i / across) * NODE_STEP);
    columns[i] = column;
    rows[i] = row;
  }
  return { across, columns, rows };
}

/**
 * Paints the rows [from, to) of a picture where it is still empty: bilinear between a source's pixels; where those are smaller than the
 * picture's, over as many of them as one of the picture's is wide, as gdalwarp -r bilinear has it. Nothing is painted beyond the
 * source's rim, nor of pixels whose neighbours are all empty.
 * @param ratio pixels of the source to one of the picture
 */
export function resample(
  source: Pixels,
  target: Pixels,
  { across, columns, rows }: Nodes,
  ratio: number,
  from: number,
  to: number,
): void {
  const { width, data: painted } = target;
  const half = Math.max(1, ratio);
  for (let y = from; y < to; y++) {
    const nodeRow = Math.floor(y / NODE_STEP) * across;
    const down = (y + 0.5) / NODE_STEP - Math.floor(y / NODE_STEP);
    for (let node = 0; node < across - 1; node++) {
      const i = nodeRow + node;
      const left = columns[i]! + down * (columns[i + across]! - columns[i]!);
      const top = rows[i]! + down * (rows[i + across]! - rows[i]!);
      const stepX =
        (columns[i + 1]! + down * (columns[i + across + 1]! - columns[i + 1]!) - left) / NODE_STEP;
      const stepY = (rows[i + 1]! + down * (rows[i + across + 1]! - rows[i + 1]!) - top) / NODE_STEP;
      if (!Number.isFinite(left + top + stepX + stepY)) continue;
      const first = node * NODE_STEP;
      const last = Math.min(width, first + NODE_STEP);
      for (let x = first; x < last; x++) {
        const at = 4 * (y * width + x);
        if (painted[at + 3] !== 0) continue;
        const along = x - first + 0.5;
        blend(source, left + along * stepX, top + along * stepY, half, painted, at);
      }
    }
  }
}

/** The mean around a place, weighted by a triangle `half` wide to each side; empty pixels count for nothing. */
function blend(
  { width, height, data }: Pixels,
  column: number,
  row: number,
  half: number,
  out: Uint8Array,
  at: number,
): void {
  if (!(column >= 0 && column < width && row >= 0 && row < height)) return;
  // Colours are those of the pixels' middles.
  const [x, y] = [column - 0.5, row - 0.5];
  const left = Math.max(0, Math.ceil(x - half));
  const right = Math.min(width - 1, Math.floor(x + half));
  const top = Math.max(0, Math.ceil(y - half));
  const bottom = Math.min(height - 1, Math.floor(y + half));
  let [red, green, blue, weight] = [0, 0, 0, 0];
  for (let j = top; j <= bottom; j++) {
    const weightY = half - Math.abs(j - y);
    let from = 4 * (j * width + left);
    for (let i = left; i <= right; i++, from += 4) {
      if (data[from + 3] === 0) continue;
      const w = weightY * (half - Math.abs(i - x));
      red += w * data[from]!;
      green += w * data[from + 1]!;
      blue += w * data[from + 2]!;
      weight += w;
    }
  }
  if (weight === 0) return;
  out[at] = red / weight + 0.5;
  out[at + 1] = green / weight + 0.5;
  out[at + 2] = blue / weight + 0.5;
  out[at + 3] = 255;
}
