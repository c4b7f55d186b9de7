/** A closed ring in cell coordinates: x0, y0, x1, y1 …, with the first point repeated at the end. */
export type CellRing = Float64Array;

/** Cells [left, left + columns) x [top, top + rows) of a grid. */
export type CellWindow = { left: number; top: number; columns: number; rows: number };

/** The exterior ring and its holes, with any winding. */
export type CellPolygon = readonly CellRing[];

function signedArea(ring: CellRing): number {
  // Use coordinates relative to the first point, because small rings would lose precision at the large
  // coordinates of a big grid.
  const x0 = ring[0]!;
  const y0 = ring[1]!;
  let sum = 0;
  for (let i = 2; i < ring.length; i += 2) {
    sum += (ring[i - 2]! - x0) * (ring[i + 1]! - y0) - (ring[i]! - x0) * (ring[i - 1]! - y0);
  }
  return sum / 2;
}

export function areaCells(polygon: CellPolygon): number {
  return polygon.reduce(
    (area, ring, i) => (i === 0 ? Math.abs(signedArea(ring)) : area - Math.abs(signedArea(ring))),
    0,
  );
}

export function windowOf(ring: CellRing): CellWindow {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < ring.length; i += 2) {
    const x = ring[i]!;
    const y = ring[i + 1]!;
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
  }
  const left = Math.floor(minX);
  const top = Math.floor(minY);
  return { left, top, columns: Math.ceil(maxX) - left, rows: Math.ceil(maxY) - top };
}

/** Fractions, row by row. Each row ends with two unused values. */
export type Coverage = { fractions: Float64Array; stride: number };

/** Edges at the right border write into the two cells beyond it. */
const EXTRA_CELLS = 2;

/**
 * The exact covered fraction, 0 to 1, of each cell in a window. Signed areas are accumulated along edges and
 * summed along rows, as font rasterizers do (https://github.com/raphlinus/font-rs).
 * @param window contains the polygon's full width
 */
export function coverCells(polygon: CellPolygon, window: CellWindow): Coverage {
  const { columns, rows } = window;
  const stride = columns + EXTRA_CELLS;
  const cells = new Float64Array(stride * rows);
  for (let i = 0; i < polygon.length; i++) {
    const turn = signedArea(polygon[i]!) > 0 === (i === 0) ? 1 : -1;
    addRing(polygon[i]!, turn, window, cells, stride);
  }
  for (let row = 0; row < rows; row++) {
    let sum = 0;
    const end = row * stride + columns;
    for (let i = row * stride; i < end; i++) {
      sum += cells[i]!;
      const fraction = sum < 0 ? -sum : sum;
      cells[i] = fraction > 1 ? 1 : fraction;
    }
  }
  return { fractions: cells, stride };
}

function addRing(
  ring: CellRing,
  turn: number,
  { left, top, rows }: CellWindow,
  cells: Float64Array,
  stride: number,
): void {
  let x0 = ring[0]! - left;
  let y0 = ring[1]! - top;
  for (let i = 2; i < ring.length; i += 2) {
    const x1 = ring[i]! - left;
    const y1 = ring[i + 1]! - top;
    if (y0 < y1) addEdge(x0, y0, x1, y1, turn, rows, cells, stride);
    else if (y1 < y0) addEdge(x1, y1, x0, y0, -turn, rows, cells, stride);
    x0 = x1;
    y0 = y1;
  }
}

/** Adds a downward edge (y0 < y1) row by row, clipped to the window. */
function addEdge(
  x0: number,
  y0: number,
  x1: number,
  y1: number,
  turn: number,
  rows: number,
  cells: Float64Array,
  stride: number,
): void {
  const first = y0 < 0 ? 0 : y0;
  const last = y1 > rows ? rows : y1;
  if (first >= last) return;
  const perRow = (x1 - x0) / (y1 - y0);
  let y = first;
  let x = y0 < 0 ? x0 - y0 * perRow : x0;
  for (let row = Math.floor(first); y < last; row++) {
    const yNext = row + 1 < last ? row + 1 : last;
    const xNext = yNext === y1 ? x1 : x0 + (yNext - y0) * perRow;
    const height = (yNext - y) * turn;
    if (x < xNext) addSpan(x, xNext, height, row * stride, cells);
    else addSpan(xNext, x, height, row * stride, cells);
    x = xNext;
    y = yNext;
  }
}

/** Adds the piece of an edge within one row, from `x0` to `x1 >= x0`, over the signed `height`. */
function addSpan(x0: number, x1: number, height: number, base: number, cells: Float64Array): void {
  const firstCell = Math.floor(x0);
  const endCell = Math.ceil(x1);
  if (endCell <= firstCell + 1) {
    // Within one cell, the area to the right of the piece's middle is covered, and the next cell gets the
    // rest.
    const beyond = height * ((x0 + x1) / 2 - firstCell);
    cells[base + firstCell]! += height - beyond;
    cells[base + firstCell + 1]! += beyond;
    return;
  }
  // Across several cells, the covered area grows by a triangle, trapezoids, and another triangle. The cells
  // store the differences.
  const slope = 1 / (x1 - x0);
  const entry = firstCell + 1 - x0;
  const exit = x1 - (endCell - 1);
  let before = 0.5 * slope * entry * entry;
  cells[base + firstCell]! += height * before;
  for (let cell = firstCell + 1; cell < endCell - 1; cell++) {
    const area = slope * (cell + 0.5 - x0);
    cells[base + cell]! += height * (area - before);
    before = area;
  }
  const last = 1 - 0.5 * slope * exit * exit;
  cells[base + endCell - 1]! += height * (last - before);
  cells[base + endCell]! += height * (1 - last);
}
