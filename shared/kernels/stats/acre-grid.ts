/** A bucket holds the listings of `minAcres <= acres < maxAcres`. Buckets may overlap. */
export type AcreRange = { minAcres: number; maxAcres: number };

/**
 * The edges of all buckets cut the acreage axis into cells that lie whole inside or outside each bucket: cell c is
 * edges[c] <= acres < edges[c + 1], and a bucket is the run of cells firstCell to endCell, endCell excluded.
 */
export type AcreGrid = {
  edges: Float64Array;
  cellCount: number;
  firstCell: Uint8Array;
  endCell: Uint8Array;
  /** The buckets of cell c are bucketsOfCell[bucketsFrom[c]] up to, not including, bucketsOfCell[bucketsFrom[c + 1]]. */
  bucketsFrom: Uint8Array;
  bucketsOfCell: Uint8Array;
  mostBucketsOfCell: number;
};

/** Tags hold a cell and an age class of two bits in one byte. */
const MOST_CELLS = 64;

export function acreGrid(buckets: readonly AcreRange[]): AcreGrid {
  const distinct = new Set(buckets.flatMap(({ minAcres, maxAcres }) => [minAcres, maxAcres]));
  const edges = Float64Array.from(distinct).sort();
  const cellCount = edges.length - 1;
  if (cellCount > MOST_CELLS)
    throw new RangeError(`buckets make ${cellCount} cells, at most ${MOST_CELLS} fit`);

  const firstCell = Uint8Array.from(buckets, ({ minAcres }) => edges.indexOf(minAcres));
  const endCell = Uint8Array.from(buckets, ({ maxAcres }) => edges.indexOf(maxAcres));
  const perCell = Array.from({ length: cellCount }, (_, cell) =>
    [...buckets.keys()].filter(bucket => firstCell[bucket]! <= cell && cell < endCell[bucket]!),
  );
  const bucketsFrom = new Uint8Array(cellCount + 1);
  for (let cell = 0; cell < cellCount; cell++)
    bucketsFrom[cell + 1] = bucketsFrom[cell]! + perCell[cell]!.length;
  const mostBucketsOfCell = Math.max(...perCell.map(list => list.length));
  return {
    edges,
    cellCount,
    firstCell,
    endCell,
    bucketsFrom,
    bucketsOfCell: Uint8Array.from(perCell.flat()),
    mostBucketsOfCell,
  };
}

/** The cell that holds `acres`, -1 when it lies outside all of them. */
export function cellOf({ edges, cellCount }: AcreGrid, acres: number): number {
  if (!(acres >= edges[0]! && acres < edges[cellCount]!)) return -1;
  let low = 0;
  let high = cellCount;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (acres >= edges[middle]!) low = middle;
    else high = middle;
  }
  return low;
}
