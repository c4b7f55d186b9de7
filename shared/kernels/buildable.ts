import { boxOf } from '../geo/box.ts';
import type { MultiPolygon, Polygon, Position, Ring } from '../geo/geometry-types.ts';
import { M_PER_FT } from '../geo/units.ts';
import { largestPiece, type Rows } from './opening.ts';
import { metersPerUnit } from './terrain/ground.ts';

/** Why land can't be built on. */
export const UNBUILDABLE_REASONS = ['wetlands', 'flood_zone', 'water', 'steep'] as const;
export type UnbuildableReason = (typeof UNBUILDABLE_REASONS)[number];

/** Shares of a parcel's area, 0 to 1. */
export type BuildableShares = {
  /** What is left after all reasons. */
  buildable: number;
  /** The largest connected piece of the buildable land that is at least 60 ft wide. */
  piece: number;
  /** Each reason separately. They may overlap. */
  reasons: Record<UnbuildableReason, number>;
};

/** Land that is about to be measured. Add what can't be built on, in any order, then measure. */
export type Ground = {
  /** Adds a polygon, which may overlap others and reach beyond the parcel. Edges are straight in degrees. */
  add(reason: UnbuildableReason, polygon: Polygon): void;
  /** Adds an edge of an area, which is on its left. All edges of the area must be added. */
  addEdge(reason: UnbuildableReason, from: Position, to: Position): void;
  measure(): BuildableShares;
};

/** Lots platted 60 ft wide are often drawn a few inches narrower, so a foot less counts. */
const PIECE_RADIUS_M = (59 / 2) * M_PER_FT;

/** Rows above and below the middle of the disk: more for small parcels, where an error is a larger share. */
const DISK_ROWS = { least: 6, most: 12 };
/** Rows to aim for. */
const ROWS = 130;

/**
 * Edges that run along the rows would be off by up to half a row. With this angle between a parcel's longest
 * edge and the rows, neither its sides nor their perpendiculars do.
 */
const TILT = 0.5;

/** Positions along a row are whole millimeters, so that they can be sorted together with their code. */
const UNITS_PER_M = 1000;
/** Codes of what starts or ends at a crossing: two for the parcel, and two for each reason. */
const CODES = 16;
/** With more crossings in a row, a sort of our own is slower than the engine's. */
const MAX_INSERTED = 32;

/** Above all positions with their codes. A crossing is its row times this, plus its position and code. */
const PER_ROW = 2 ** 31;

/**
 * The plane in which a parcel is divided into rows: the position along a row, and the row number, as linear
 * functions of longitude and latitude. The middles of the rows are at whole numbers.
 */
type Frame = {
  xx: number;
  xy: number;
  x0: number;
  yx: number;
  yy: number;
  y0: number;
  /** The extent in units and in rows. */
  width: number;
  height: number;
};

/**
 * Cuts a parcel into thin rows. Along a row, everything is exact, up to a millimeter. Overlapping polygons
 * count once, because a place is unbuildable while any polygon is open.
 */
export function groundOf(shape: MultiPolygon): Ground {
  const { frame, rowM, diskRows } = frameOf(shape);
  const { height } = frame;
  const crossings: number[] = [];
  const add = (polygon: Polygon, code: number) => {
    for (const [i, ring] of polygon.entries()) addRing(crossings, ring, i === 0, code, frame);
  };
  for (const polygon of shape) add(polygon, 0);
  const codeOf = (reason: UnbuildableReason) => 2 * UNBUILDABLE_REASONS.indexOf(reason) + 2;
  return {
    add: (reason, polygon) => add(polygon, codeOf(reason)),
    addEdge(reason, from, to) {
      addEdge(crossings, from, to, codeOf(reason), frame);
    },
    measure() {
      const { rows, parcel, reasons } = sweep(sortCrossings(crossings, height), height);
      // Sums of stretches differ in the last digits.
      const left = Math.min(parcel, lengthOf(rows));
      const piece = Math.min(left, largestPiece(rows, diskWidths(rowM, diskRows)));
      return {
        buildable: left / parcel,
        piece: piece / parcel,
        reasons: Object.fromEntries(
          UNBUILDABLE_REASONS.map((reason, i) => [reason, reasons[i + 1]! / parcel]),
        ) as Record<UnbuildableReason, number>,
      };
    },
  };
}

function frameOf(shape: MultiPolygon) {
  const [, south, , north] = boxOf(shape);
  const scale = metersPerUnit({ kind: 'degrees' }, (south + north) / 2);
  const turn = TILT - bearingOf(shape, scale);
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  /** Meters along and across a row. */
  const [ax, ay, bx, by] = [cos * scale.x, -sin * scale.y, sin * scale.x, cos * scale.y];
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [exterior] of shape)
    for (const [lon, lat] of exterior!) {
      minX = Math.min(minX, lon * ax + lat * ay);
      maxX = Math.max(maxX, lon * ax + lat * ay);
      minY = Math.min(minY, lon * bx + lat * by);
      maxY = Math.max(maxY, lon * bx + lat * by);
    }
  const wanted = Math.round((ROWS * PIECE_RADIUS_M) / (maxY - minY));
  const diskRows = Math.max(DISK_ROWS.least, Math.min(DISK_ROWS.most, wanted));
  // A strip as wide as the disk has the same number of rows.
  const rowM = (2 * PIECE_RADIUS_M) / (2 * diskRows + 1);
  const frame: Frame = {
    xx: ax * UNITS_PER_M,
    xy: ay * UNITS_PER_M,
    x0: -minX * UNITS_PER_M,
    yx: bx / rowM,
    yy: by / rowM,
    y0: -minY / rowM - 0.5,
    width: Math.ceil((maxX - minX) * UNITS_PER_M),
    height: Math.ceil((maxY - minY) / rowM),
  };
  return { frame, rowM, diskRows };
}

/** Direction of the longest edge, in radians. */
function bearingOf(shape: MultiPolygon, scale: { x: number; y: number }): number {
  let [longest, bearing] = [0, 0];
  for (const [exterior] of shape)
    for (let i = 1; i < exterior!.length; i++) {
      const [[x1, y1], [x2, y2]] = [exterior![i - 1]!, exterior![i]!];
      const [dx, dy] = [(x2 - x1) * scale.x, (y2 - y1) * scale.y];
      if (dx * dx + dy * dy <= longest) continue;
      longest = dx * dx + dy * dy;
      bearing = Math.atan2(dy, dx);
    }
  return bearing;
}

/** Adds where a ring of a polygon crosses the rows. Its winding doesn't matter. */
function addRing(crossings: number[], ring: Ring, isExterior: boolean, code: number, frame: Frame): void {
  const isForward = signedArea(ring) > 0 === isExterior;
  for (let i = 1; i < ring.length; i++) {
    if (isForward) addEdge(crossings, ring[i - 1]!, ring[i]!, code, frame);
    else addEdge(crossings, ring[i]!, ring[i - 1]!, code, frame);
  }
}

function signedArea(ring: Ring): number {
  const x0 = ring[0]![0];
  const y0 = ring[0]![1];
  let double = 0;
  for (let i = 1; i < ring.length; i++) {
    const from = ring[i - 1]!;
    const to = ring[i]!;
    double += (from[0] - x0) * (to[1] - y0) - (to[0] - x0) * (from[1] - y0);
  }
  return double / 2;
}

/** Adds where an edge with an area on its left crosses the rows. Falling edges start the area. */
function addEdge(crossings: number[], from: Position, to: Position, code: number, frame: Frame): void {
  const { height, width, xx, xy, x0, yx, yy, y0 } = frame;
  const y1 = from[0] * yx + from[1] * yy + y0;
  const y2 = to[0] * yx + to[1] * yy + y0;
  const rises = y2 > y1;
  const first = Math.max(0, Math.ceil(rises ? y1 : y2));
  const end = Math.min(height, Math.ceil(rises ? y2 : y1));
  if (first >= end) return;
  const x1 = from[0] * xx + from[1] * xy + x0;
  const x2 = to[0] * xx + to[1] * xy + x0;
  if (x1 > width && x2 > width) return;
  const slope = (x2 - x1) / (y2 - y1);
  const side = rises ? code + 1 : code;
  for (let row = first; row < end; row++) {
    const x = Math.round(x1 + slope * (row - y1));
    crossings.push(row * PER_ROW + (x < 0 ? 0 : x > width ? width : x) * CODES + side);
  }
}

/** The crossings of each row in ascending order, and where each row starts. */
function sortCrossings(crossings: readonly number[], height: number) {
  const start = new Int32Array(height + 1);
  for (const crossing of crossings) start[Math.floor(crossing / PER_ROW) + 1]!++;
  for (let row = 0; row < height; row++) start[row + 1]! += start[row]!;
  const end = start.slice();
  const sorted = new Float64Array(crossings.length);
  for (const crossing of crossings) {
    const row = Math.floor(crossing / PER_ROW);
    const value = crossing - row * PER_ROW;
    const first = start[row]!;
    let at = end[row]!++;
    if (start[row + 1]! - first <= MAX_INSERTED)
      for (; at > first && sorted[at - 1]! > value; at--) sorted[at] = sorted[at - 1]!;
    sorted[at] = value;
  }
  for (let row = 0; row < height; row++)
    if (start[row + 1]! - start[row]! > MAX_INSERTED) sorted.subarray(start[row]!, start[row + 1]!).sort();
  return { sorted, start };
}

/** Walks along the rows. Returns the buildable stretches, and the length of the parcel and of each reason. */
function sweep({ sorted, start }: ReturnType<typeof sortCrossings>, height: number) {
  const reasons = new Float64Array(CODES / 2);
  const open = new Int32Array(CODES / 2);
  const rows: Rows = { start: [], low: [], high: [] };
  let parcel = 0;
  for (let row = 0; row < height; row++) {
    rows.start[row] = rows.low.length;
    // What ends beyond the parcel is still open.
    open.fill(0);
    let before = 0;
    for (let i = start[row]!; i < start[row + 1]!; i++) {
      const place = Math.floor(sorted[i]! / CODES);
      const code = sorted[i]! - place * CODES;
      const x = place / UNITS_PER_M;
      if (open[0]! > 0 && x > before) {
        parcel += x - before;
        let isOpen = false;
        for (let reason = 1; reason <= UNBUILDABLE_REASONS.length; reason++) {
          if (open[reason]! <= 0) continue;
          isOpen = true;
          reasons[reason]! += x - before;
        }
        if (!isOpen) addStretch(rows, row, before, x);
      }
      before = x;
      open[code >> 1]! += (code & 1) === 0 ? 1 : -1;
    }
  }
  rows.start[height] = rows.low.length;
  return { rows, parcel, reasons };
}

/** Joins stretches that touch. */
function addStretch({ start, low, high }: Rows, row: number, from: number, to: number): void {
  const last = high.length - 1;
  if (last >= start[row]! && high[last] === from) high[last] = to;
  else {
    low.push(from);
    high.push(to);
  }
}

const lengthOf = ({ low, high }: Rows): number => low.reduce((sum, from, i) => sum + high[i]! - from, 0);

/** Half the width of the disk in its middle row, and in each row above or below. */
const diskWidths = (rowM: number, diskRows: number): number[] =>
  Array.from({ length: diskRows + 1 }, (_, k) => Math.sqrt(PIECE_RADIUS_M ** 2 - (k * rowM) ** 2));
