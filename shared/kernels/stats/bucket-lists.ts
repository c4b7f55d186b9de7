import type { AcreGrid } from './acre-grid.ts';
import { sortKeys, sortTagged, type TaggedKeys } from './sorting.ts';

/** Age classes of a sale; each window holds the sales of its own class and of all younger ones. */
export const AGES = 4;

/** Listings of one status, sorted into cells and age classes. Filled by `add`, consumed by BucketLists. */
export type Sample = {
  count: number;
  acres: Float64Array;
  price: Float64Array;
  ppa: Float64Array;
  /** cell * AGES + age of each listing. */
  tags: Uint8Array;
  /** Listings by tag. */
  countOf: Uint32Array;
};

export function newSample(cellCount: number, capacity: number): Sample {
  return {
    count: 0,
    acres: new Float64Array(capacity),
    price: new Float64Array(capacity),
    ppa: new Float64Array(capacity),
    tags: new Uint8Array(capacity),
    countOf: new Uint32Array(cellCount * AGES),
  };
}

export function clearSample(sample: Sample): void {
  sample.count = 0;
  sample.countOf.fill(0);
}

export function addToSample(sample: Sample, acres: number, price: number, tag: number): void {
  const at = sample.count++;
  sample.acres[at] = acres;
  sample.price[at] = price;
  sample.ppa[at] = price / acres;
  sample.tags[at] = tag;
  sample.countOf[tag]!++;
}

/**
 * Sorted lists of values, one for each bucket and window, side by side in one buffer: list l = bucket * windows + window
 * is values[start[l]] up to, not including, values[start[l + 1]].
 */
export type BucketLists = {
  values: Float64Array;
  start: Uint32Array;
  windows: number;
  next: Uint32Array;
  tags: Uint8Array;
  spare: TaggedKeys;
};

export function newBucketLists(grid: AcreGrid, windows: number, capacity: number): BucketLists {
  const listCount = grid.firstCell.length * windows;
  return {
    values: new Float64Array(capacity * grid.mostBucketsOfCell * windows),
    start: new Uint32Array(listCount + 1),
    windows,
    next: new Uint32Array(listCount),
    tags: new Uint8Array(capacity),
    spare: { keys: new Float64Array(capacity), tags: new Uint8Array(capacity) },
  };
}

/** Makes each list as long as the sample has listings for it. */
export function layOut(lists: BucketLists, { firstCell, endCell }: AcreGrid, { countOf }: Sample): void {
  const { start, windows } = lists;
  let at = 0;
  let list = 0;
  for (let bucket = 0; bucket < firstCell.length; bucket++) {
    let count = 0;
    for (let window = 0; window < windows; window++) {
      const end = endCell[bucket]! * AGES;
      for (let tag = firstCell[bucket]! * AGES + window; tag < end; tag += AGES) count += countOf[tag]!;
      start[list++] = at;
      at += count;
    }
  }
  start[list] = at;
}

/**
 * Sorts `keys` (the sample's prices or prices per acre) in place and appends each to the lists of its buckets and
 * windows, which leaves every list sorted. The lists must have been laid out for this sample.
 */
export function distribute(lists: BucketLists, grid: AcreGrid, sample: Sample, keys: Float64Array): void {
  const { values, start, windows, next } = lists;
  const { bucketsFrom, bucketsOfCell } = grid;
  for (let i = 0; i < sample.count; i++) lists.tags[i] = sample.tags[i]!;
  const sorted = sortTagged({ keys, tags: lists.tags }, lists.spare, sample.count);
  for (let list = 0; list < next.length; list++) next[list] = start[list]!;
  for (let i = 0; i < sample.count; i++) {
    const value = sorted.keys[i]!;
    const tag = sorted.tags[i]!;
    const cell = tag >> 2;
    const end = bucketsFrom[cell + 1]!;
    for (let j = bucketsFrom[cell]!; j < end; j++) {
      const first = bucketsOfCell[j]! * windows;
      for (let list = first + (tag & 3); list < first + windows; list++) values[next[list]!++] = value;
    }
  }
}

/** Sorts the sample's acres; cell c is then acres[cellStart[c]] up to, not including, acres[cellStart[c + 1]]. */
export function sortAcres({ acres, count, countOf }: Sample, cellStart: Uint32Array): void {
  sortKeys(acres, count);
  let at = 0;
  for (let tag = 0; tag < countOf.length; tag++) {
    if (tag % AGES === 0) cellStart[tag / AGES] = at;
    at += countOf[tag]!;
  }
  cellStart[countOf.length / AGES] = at;
}
