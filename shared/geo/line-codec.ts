import { fromE7, toE7 } from './codec.ts';
import type { Position } from './types.ts';
import { type Cursor, MAX_VARINT, putVarint, readCount, readVarint, unzigzag, zigzag } from './varint.ts';

/**
 * Lines as bytes, about 4 bytes a vertex, in the manner of boundaries (codec.ts):
 * version (one byte) | lines | for each line: positions, then each position as two zigzag varints, the difference in
 * 1e-7 degrees from the position before it (from 0,0 at the start; the difference runs on across lines).
 * Versions of lines count from 101 and those of boundaries from 1, so that one is never taken for the other.
 */
const VERSION = 101;

// Reused between calls, as in codec.ts.
let scratch = new Uint8Array(1 << 14);

/**
 * Encodes lines of at least two positions; `decodeLines` gives them back to half of 1e-7 degrees. Positions that
 * become equal to the one before them on the 1e-7 grid are dropped; a line that is a single point there keeps its ends.
 */
export function encodeLines(lines: readonly (readonly Position[])[]): Uint8Array {
  reserve(lines);
  const bytes = scratch;
  bytes[0] = VERSION;
  let at = putVarint(bytes, 1, lines.length);
  let lonBefore = 0;
  let latBefore = 0;
  for (const line of lines) {
    const grid = toGrid(line);
    at = putVarint(bytes, at, grid.length / 2);
    for (let i = 0; i < grid.length; i += 2) {
      const lon = grid[i]!;
      const lat = grid[i + 1]!;
      // A difference of up to 360 degrees passes 32 bits; both sides wrap around, so nothing is lost.
      at = putVarint(bytes, at, zigzag((lon - lonBefore) | 0));
      at = putVarint(bytes, at, zigzag((lat - latBefore) | 0));
      lonBefore = lon;
      latBefore = lat;
    }
  }
  return bytes.slice(0, at);
}

/** Decodes what `encodeLines` wrote. Throws when the bytes are cut short, too long or of another version. */
export function decodeLines(bytes: Uint8Array): Position[][] {
  if (bytes.length === 0) throw new Error('line bytes are empty');
  if (bytes[0] !== VERSION)
    throw new Error(`line bytes are of version ${bytes[0]}; this program reads version ${VERSION}`);
  const cursor: Cursor = { bytes, at: 1, what: 'line' };
  let lon = 0;
  let lat = 0;
  const lines: Position[][] = [];
  for (let count = readCount(cursor); count > 0; count--) {
    const line: Position[] = [];
    for (let positions = readCount(cursor); positions > 0; positions--) {
      lon = (lon + unzigzag(readVarint(cursor))) | 0;
      lat = (lat + unzigzag(readVarint(cursor))) | 0;
      line.push([fromE7(lon), fromE7(lat)]);
    }
    lines.push(line);
  }
  const left = bytes.length - cursor.at;
  if (left > 0) throw new Error(`line bytes go on after their end: ${left} of ${bytes.length} are left over`);
  return lines;
}

/** A line on the 1e-7 grid, lon and lat in turn, without repeated positions. */
function toGrid(line: readonly Position[]): number[] {
  const grid: number[] = [];
  for (const [lonDeg, latDeg] of line) {
    const lon = toE7(lonDeg);
    const lat = toE7(latDeg);
    if (grid.length === 0 || grid.at(-2) !== lon || grid.at(-1) !== lat) grid.push(lon, lat);
  }
  if (grid.length === 2) grid.push(grid[0]!, grid[1]!);
  return grid;
}

function reserve(lines: readonly (readonly Position[])[]): void {
  let varints = 1;
  for (const line of lines) varints += 1 + 2 * Math.max(2, line.length);
  const need = 1 + MAX_VARINT * varints;
  if (need > scratch.length) scratch = new Uint8Array(2 * need);
}
