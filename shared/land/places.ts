import { fromE7 } from '../geo/codec.ts';
import { marginDeg } from '../geo/margin.ts';

/** A box of integers of 1e-7 degrees. */
export type Box = { west: number; south: number; east: number; north: number };

export function overlap(a: Box, b: Box): boolean {
  return a.west <= b.east && b.west <= a.east && a.south <= b.north && b.south <= a.north;
}

/** The box with a margin on each side, in metres. */
export function grow({ west, south, east, north }: Box, metres: number): Box {
  const { lat, lon } = marginDeg(metres, fromE7(south), fromE7(north));
  const [up, across] = [Math.ceil(lat * 1e7), Math.ceil(lon * 1e7)];
  return { west: west - across, south: south - up, east: east + across, north: north + up };
}

/**
 * So many boxes make a place at most. Parcels that follow one another on a Hilbert curve fill the box around them by half only:
 * with the 2,000 of a chunk in one place 3,700 parcels were read, with these 2,640, of 2,450 that are in reach.
 */
const MOST_BOXES = 128;

/** How much more ground than its parcels a place may have; the parcels of a city with its streets have half of theirs. */
const MOST_SLACK = 4;

const areaOf = ({ west, south, east, north }: Box) => (east - west) * (north - south);

/**
 * Boxes that hold all of these, which lie near one another in their order: a few around a chunk of a dense roll, one each
 * around parcels far apart, so that what is read stays in proportion to the parcels.
 */
export function placesOf(boxes: readonly Box[]): Box[] {
  const places: Box[] = [];
  let filled = 0;
  let count = 0;
  for (const box of boxes) {
    const last = places.at(-1);
    const joined = last && {
      west: Math.min(last.west, box.west),
      south: Math.min(last.south, box.south),
      east: Math.max(last.east, box.east),
      north: Math.max(last.north, box.north),
    };
    if (joined && count < MOST_BOXES && areaOf(joined) <= MOST_SLACK * (filled + areaOf(box))) {
      places[places.length - 1] = joined;
      filled += areaOf(box);
      count++;
    } else {
      places.push({ ...box });
      filled = areaOf(box);
      count = 1;
    }
  }
  return places;
}

/** As PostgreSQL reads a box. */
export function boxText({ west, south, east, north }: Box): string {
  return `(${west},${south}),(${east},${north})`;
}
