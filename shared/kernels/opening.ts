/** A shape as stretches in rows, ascending in each row. Row i has stretches start[i] to start[i + 1] - 1. */
export type Rows = { start: number[]; low: number[]; high: number[] };

/** The stretches of one row, which are the first `count` of the arrays. */
type Stretches = { low: number[]; high: number[]; count: number };

/**
 * The length, summed over its rows, of the largest piece that a disk can sweep without leaving the shape.
 * @param widths half the width of the disk in its middle row, and in each row above or below
 */
export function largestPiece(rows: Rows, widths: readonly number[]): number {
  return piecesOf(erode(rows, widths)).reduce(
    (most, piece) => Math.max(most, dilatedLength(piece, widths)),
    0,
  );
}

/** The places where the middle of the disk can be. */
function erode({ start, low, high }: Rows, widths: readonly number[]): Rows {
  const height = start.length - 1;
  const reach = widths.length - 1;
  const eroded: Rows = { start: [], low: [], high: [] };
  let [fit, next] = [newStretches(), newStretches()];
  for (let row = 0; row < height; row++) {
    eroded.start[row] = eroded.low.length;
    if (row < reach || row >= height - reach) continue;
    fit.count = 1;
    fit.low[0] = -Infinity;
    fit.high[0] = Infinity;
    for (let k = -reach; k <= reach && fit.count > 0; k++) {
      intersect(fit, low, high, start[row + k]!, start[row + k + 1]!, widths[Math.abs(k)]!, next);
      [fit, next] = [next, fit];
    }
    for (let i = 0; i < fit.count; i++) {
      eroded.low.push(fit.low[i]!);
      eroded.high.push(fit.high[i]!);
    }
  }
  eroded.start[height] = eroded.low.length;
  return eroded;
}

const newStretches = (): Stretches => ({ low: [], high: [], count: 0 });

/** Intersects stretches with those of a row, which are first shortened at both ends. */
function intersect(
  { low: lowA, high: highA, count }: Stretches,
  low: readonly number[],
  high: readonly number[],
  from: number,
  to: number,
  width: number,
  out: Stretches,
): void {
  out.count = 0;
  for (let a = 0, b = from; a < count && b < to; ) {
    const start = Math.max(lowA[a]!, low[b]! + width);
    const endB = high[b]! - width;
    const end = Math.min(highA[a]!, endB);
    if (start <= end) {
      out.low[out.count] = start;
      out.high[out.count++] = end;
    }
    if (highA[a]! < endB) a++;
    else b++;
  }
}

/** Splits a shape into connected pieces. Stretches in neighboring rows are connected if they overlap. */
function piecesOf({ start, low, high }: Rows): Rows[] {
  const height = start.length - 1;
  const parent = Int32Array.from(low, (_, i) => i);
  const rootOf = (stretch: number): number => {
    let at = stretch;
    while (parent[at] !== at) at = parent[at] = parent[parent[at]!]!;
    return at;
  };
  for (let row = 1; row < height; row++) {
    for (let a = start[row - 1]!, b = start[row]!; a < start[row]! && b < start[row + 1]!; ) {
      if (low[a]! <= high[b]! && low[b]! <= high[a]!) {
        const [rootA, rootB] = [rootOf(a), rootOf(b)];
        parent[Math.max(rootA, rootB)] = Math.min(rootA, rootB);
      }
      if (high[a]! < high[b]!) a++;
      else b++;
    }
  }
  const pieces: (Rows & { first: number })[] = [];
  const pieceOf = new Int32Array(low.length);
  for (let row = 0; row < height; row++) {
    for (let i = start[row]!; i < start[row + 1]!; i++) {
      const root = rootOf(i);
      // A root is the first stretch of its piece.
      if (root === i) pieceOf[i] = pieces.push({ first: row, start: [0], low: [], high: [] }) - 1;
      const piece = pieces[pieceOf[root]!]!;
      piece.low.push(low[i]!);
      piece.high.push(high[i]!);
      piece.start[row - piece.first + 1] = piece.low.length;
    }
  }
  return pieces;
}

/** Length of what the disk covers when its middle is in the shape, whose rows all have stretches. */
function dilatedLength({ start, low, high }: Rows, widths: readonly number[]): number {
  const height = start.length - 1;
  const reach = widths.length - 1;
  let [covered, next] = [newStretches(), newStretches()];
  let length = 0;
  for (let row = -reach; row < height + reach; row++) {
    covered.count = 0;
    for (let at = Math.max(0, row - reach); at <= Math.min(height - 1, row + reach); at++) {
      unite(covered, low, high, start[at]!, start[at + 1]!, widths[Math.abs(at - row)]!, next);
      [covered, next] = [next, covered];
    }
    for (let i = 0; i < covered.count; i++) length += covered.high[i]! - covered.low[i]!;
  }
  return length;
}

/** Joins stretches with those of a row, which are first lengthened at both ends. */
function unite(
  { low: lowA, high: highA, count }: Stretches,
  low: readonly number[],
  high: readonly number[],
  from: number,
  to: number,
  width: number,
  out: Stretches,
): void {
  out.count = 0;
  for (let a = 0, b = from; a < count || b < to; ) {
    const isA = b === to || (a < count && lowA[a]! <= low[b]! - width);
    const start = isA ? lowA[a]! : low[b]! - width;
    const end = isA ? highA[a++]! : high[b++]! + width;
    if (out.count > 0 && start <= out.high[out.count - 1]!) {
      if (end > out.high[out.count - 1]!) out.high[out.count - 1] = end;
    } else {
      out.low[out.count] = start;
      out.high[out.count++] = end;
    }
  }
}
