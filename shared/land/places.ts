import { boxArea, boxAround } from '../geo/box.ts';
import type { Box } from '../geo/types.ts';

/**
 * So many boxes make a place at most. Parcels that follow one another on a Hilbert curve fill the box around them by half only:
 * with the 2,000 of a chunk in one place 3,700 parcels were read, with these 2,640, of 2,450 that are in reach.
 */
const MOST_BOXES = 128;

/** How much more ground than its parcels a place may have; the parcels of a city with its streets have half of theirs. */
const MOST_SLACK = 4;

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
    const joined = last && boxAround([last, box]);
    if (joined && count < MOST_BOXES && boxArea(joined) <= MOST_SLACK * (filled + boxArea(box))) {
      places[places.length - 1] = joined;
      filled += boxArea(box);
      count++;
    } else {
      places.push([...box]);
      filled = boxArea(box);
      count = 1;
    }
  }
  return places;
}
