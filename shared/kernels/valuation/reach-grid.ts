import type { Box } from '../../geo/types.ts';

/**
 * How far a comp can be from the parcels of a county and still change the valuation of one of them, cell by cell of the
 * county's extent. The farthest of a county is twice that of most: with the cells a changed comp has half the parcels looked at.
 */
export type ReachGrid = {
  /** West, south, east, north in integers of 1e-7 degree. */
  extent: Box;
  /** Cells from west to east, and from south to north. */
  side: number;
  /** Of each cell, row by row from the south-west; NO_PARCEL where none is. */
  metres: Float32Array;
};

/** A cell has about so many parcels: smaller ones would save little more, and there would be more to read and write. */
const PARCELS_A_CELL = 50;
/** 16 kB a county. */
const MOST_SIDE = 64;
const NO_PARCEL = -1;

/** Metres of 1e-7 degree on a sphere of 6,371,008.8 m, less 1 %: nothing may be missed. */
const UNIT_M = 0.99 * 0.01111949;

export function createReachGrid(extent: Box, parcels: number): ReachGrid {
  const side = Math.max(1, Math.min(MOST_SIDE, Math.floor(Math.sqrt(parcels / PARCELS_A_CELL))));
  return { extent, side, metres: new Float32Array(side * side).fill(NO_PARCEL) };
}

/** @returns whether it is farther than that of the parcels in its cell */
export function noteReach(
  { extent, side, metres }: ReachGrid,
  lon: number,
  lat: number,
  reachM: number,
): boolean {
  const [west, south, east, north] = extent;
  const cell = cellOf(lat, south, north, side) * side + cellOf(lon, west, east, side);
  const farther = Math.fround(reachM) > metres[cell]!;
  if (farther) metres[cell] = reachM;
  return farther;
}

const cellOf = (value: number, low: number, high: number, side: number) =>
  high > low ? Math.max(0, Math.min(side - 1, Math.floor(((value - low) / (high - low)) * side))) : 0;

/** Boxes that hold every parcel that a comp at the place can reach: cells side by side in one. */
export function reachedBoxes({ extent, side, metres }: ReachGrid, lon: number, lat: number): Box[] {
  const [west, south, east, north] = extent;
  const [width, height] = [(east - west) / side, (north - south) / side];
  const boxes: Box[] = [];
  for (let row = 0; row < side; row++) {
    const [bottom, top] = [south + row * height, south + (row + 1) * height];
    const northM = UNIT_M * beyond(lat, bottom, top);
    const farthest = Math.max(Math.abs(lat), Math.abs(bottom), Math.abs(top)) / 1e7;
    const eastUnitM = UNIT_M * Math.cos((farthest * Math.PI) / 180);
    let first = -1;
    for (let column = 0; column <= side; column++) {
      const left = west + column * width;
      const eastM = eastUnitM * beyond(lon, left, left + width);
      const reached = column < side && Math.hypot(northM, eastM) <= metres[row * side + column]!;
      if (reached && first < 0) first = column;
      if (reached || first < 0) continue;
      // A parcel on the border of two cells may be in either: 1 cm more.
      boxes.push([west + first * width - 1, bottom - 1, left + 1, top + 1]);
      first = -1;
    }
  }
  return boxes;
}

/** How far a value is from an interval. */
const beyond = (value: number, low: number, high: number) => Math.max(0, low - value, value - high);

/** As big-endian floats. */
export function packReaches({ metres }: ReachGrid): Buffer {
  const packed = Buffer.allocUnsafe(4 * metres.length);
  for (let cell = 0; cell < metres.length; cell++) packed.writeFloatBE(metres[cell]!, 4 * cell);
  return packed;
}

export function unpackReaches(extent: Box, packed: Buffer): ReachGrid {
  const metres = Float32Array.from({ length: packed.length / 4 }, (_, cell) => packed.readFloatBE(4 * cell));
  return { extent, side: Math.sqrt(metres.length), metres };
}
