/**
 * The comps that are the fewest steps away from a subject: one step is a distance on the ground, a ratio of sizes or a
 * difference in age, and the steps of the three add up. A k-d tree over points of five dimensions (three of a place on
 * the globe, the logarithm of the acres, the day), so that its cost does not grow with how many comps lie near by.
 * J. H. Friedman, J. L. Bentley, R. A. Finkel, An Algorithm for Finding Best Matches in Logarithmic Expected Time, 1977.
 */

/** Mean radius of the Earth in metres (IUGG). A chord is shorter than the arc by 1e-5 of it at 100 km. */
const EARTH_M = 6_371_008.8;

/** Points in one leaf. Of 4, 8, 16 and 32 the fastest on 100,000 comps. */
const LEAF = 8;
const DIMENSIONS = 5;
const LOG_ACRES = 3;
const DAY = 4;

/** What one step is: metres, a difference of natural logarithms of acres, days. */
export type Steps = { metres: number; logAcres: number; days: number };

/** Where to search from. Comps of a day after `day` are not known yet, and days do not count when `days` is infinite. */
export type Place = { lon: number; lat: number; logAcres: number; day: number };

export type Nearest = {
  /**
   * Up to `most` points with the fewest steps, fewest first, ties by index, none above `maxSteps`.
   * Both arrays are reused by the next call. @returns how many there are
   */
  find(place: Place, steps: Steps, most: number, maxSteps: number, exclude?: number): number;
  index: Int32Array;
  steps: Float64Array;
  /** How far a point is from the place of the last search. */
  metresTo(point: number): number;
};

export type Points = {
  count: number;
  lon: Float64Array;
  lat: Float64Array;
  logAcres: Float64Array;
  day: Int32Array;
};

/** Nominal steps by which the tree decides along what to cut: it is right for any steps, and best for such. */
const NOMINAL: readonly number[] = [4_000, 4_000, 4_000, 0.8, 2_000];

/** @param mostEver the largest `most` that will be asked for */
export function createNearest(points: Points, mostEver: number): Nearest {
  const { count } = points;
  const at = new Float64Array(count * DIMENSIONS);
  const order = Int32Array.from({ length: count }, (_, i) => i);
  for (let i = 0; i < count; i++) {
    const p = i * DIMENSIONS;
    globe(points.lon[i]!, points.lat[i]!, at, p);
    at[p + LOG_ACRES] = points.logAcres[i]!;
    at[p + DAY] = points.day[i]!;
  }
  // Node n has its children at 2n + 1 and 2n + 2; the range of a node follows from halving.
  const depth = Math.max(0, Math.ceil(Math.log2(Math.max(1, count / LEAF))));
  const cutDimension = new Uint8Array(2 ** depth - 1);
  const cutValue = new Float64Array(2 ** depth - 1);
  build(0, 0, count, 0);
  const sorted = new Float64Array(count * DIMENSIONS);
  for (let i = 0; i < count; i++)
    sorted.set(at.subarray(order[i]! * DIMENSIONS, (order[i]! + 1) * DIMENSIONS), i * DIMENSIONS);

  const index = new Int32Array(mostEver);
  const found = new Float64Array(mostEver);
  const target = new Float64Array(DIMENSIONS);
  const offset = new Float64Array(DIMENSIONS);
  let size = 0;
  let most = 0;
  let bound = 0;
  let excluded = -1;
  let perMetre = 0;
  let perLog = 0;
  let perDay = 0;

  return {
    index,
    steps: found,
    find(place, steps, wanted, maxSteps, exclude = -1) {
      globe(place.lon, place.lat, target, 0);
      target[LOG_ACRES] = place.logAcres;
      target[DAY] = place.day;
      perMetre = 1 / steps.metres;
      perLog = 1 / steps.logAcres;
      perDay = 1 / steps.days;
      bound = size === wanted && most === wanted ? Math.min(maxSteps, farthestOfLast(exclude)) : maxSteps;
      most = wanted;
      excluded = exclude;
      size = 0;
      offset.fill(0);
      if (count > 0) search(0, 0, count, 0);
      return size;
    },
    metresTo,
  };

  /** The points found last are as good a first answer as any: none beyond the farthest of them is among the nearest. */
  function farthestOfLast(exclude: number): number {
    let farthest = 0;
    for (let i = 0; i < size; i++) {
      const p = index[i]! * DIMENSIONS;
      const age = target[DAY]! - at[p + DAY]!;
      if (age < 0 || index[i] === exclude) return Number.POSITIVE_INFINITY;
      const logs = Math.abs(at[p + LOG_ACRES]! - target[LOG_ACRES]!);
      // Summed as in visit, to the last bit.
      const steps = age * perDay + logs * perLog + metresTo(index[i]!) * perMetre;
      if (steps > farthest) farthest = steps;
    }
    return farthest;
  }

  function metresTo(point: number): number {
    const p = point * DIMENSIONS;
    const x = at[p]! - target[0]!;
    const y = at[p + 1]! - target[1]!;
    const z = at[p + 2]! - target[2]!;
    return Math.sqrt(x * x + y * y + z * z);
  }

  function build(node: number, from: number, to: number, level: number): void {
    if (level === depth) return;
    const dimension = widest(from, to);
    const middle = (from + to) >>> 1;
    select(order, at, dimension, from, to - 1, middle);
    cutDimension[node] = dimension;
    cutValue[node] = at[order[middle]! * DIMENSIONS + dimension]!;
    build(2 * node + 1, from, middle, level + 1);
    build(2 * node + 2, middle, to, level + 1);
  }

  function widest(from: number, to: number): number {
    let best = 0;
    let most = -1;
    for (let dimension = 0; dimension < DIMENSIONS; dimension++) {
      let low = Number.POSITIVE_INFINITY;
      let high = Number.NEGATIVE_INFINITY;
      for (let i = from; i < to; i++) {
        const value = at[order[i]! * DIMENSIONS + dimension]!;
        if (value < low) low = value;
        if (value > high) high = value;
      }
      const spread = (high - low) / NOMINAL[dimension]!;
      if (spread > most) {
        most = spread;
        best = dimension;
      }
    }
    return best;
  }

  function search(node: number, from: number, to: number, level: number): void {
    if (level === depth) {
      visit(from, to);
      return;
    }
    const middle = (from + to) >>> 1;
    const dimension = cutDimension[node]!;
    const beyond = target[dimension]! - cutValue[node]!;
    const before = offset[dimension]!;
    if (beyond < 0) search(2 * node + 1, from, middle, level + 1);
    else search(2 * node + 2, middle, to, level + 1);
    // What is on the other side was sold later than the target's day: nobody knows of it yet. Equal days may stand on both.
    if (dimension === DAY && beyond < 0) return;
    offset[dimension] = Math.abs(beyond);
    // What rounding may add must not hide a tie.
    if (leastSteps() <= bound * (1 + 1e-12)) {
      if (beyond < 0) search(2 * node + 2, middle, to, level + 1);
      else search(2 * node + 1, from, middle, level + 1);
    }
    offset[dimension] = before;
  }

  function leastSteps(): number {
    const x = offset[0]!;
    const y = offset[1]!;
    const z = offset[2]!;
    return Math.sqrt(x * x + y * y + z * z) * perMetre + offset[LOG_ACRES]! * perLog + offset[DAY]! * perDay;
  }

  function visit(from: number, to: number): void {
    for (let i = from; i < to; i++) {
      const p = i * DIMENSIONS;
      const age = target[DAY]! - sorted[p + DAY]!;
      if (age < 0) continue;
      let steps = age * perDay + Math.abs(sorted[p + LOG_ACRES]! - target[LOG_ACRES]!) * perLog;
      if (steps > bound) continue;
      const x = sorted[p]! - target[0]!;
      const y = sorted[p + 1]! - target[1]!;
      const z = sorted[p + 2]! - target[2]!;
      steps += Math.sqrt(x * x + y * y + z * z) * perMetre;
      if (steps <= bound) insert(order[i]!, steps);
    }
  }

  function insert(point: number, steps: number): void {
    if (point === excluded) return;
    let place = size;
    if (size === most) {
      if (!isBefore(steps, point, size - 1)) return;
      place--;
    } else {
      size++;
    }
    for (; place > 0 && isBefore(steps, point, place - 1); place--) {
      found[place] = found[place - 1]!;
      index[place] = index[place - 1]!;
    }
    found[place] = steps;
    index[place] = point;
    if (size === most) bound = found[size - 1]!;
  }

  function isBefore(steps: number, point: number, place: number): boolean {
    return steps < found[place]! || (steps === found[place]! && point < index[place]!);
  }
}

/** Metres from the centre of the Earth. */
function globe(lon: number, lat: number, into: Float64Array, offset: number): void {
  const phi = (lat * Math.PI) / 180;
  const lambda = (lon * Math.PI) / 180;
  const r = EARTH_M * Math.cos(phi);
  into[offset] = r * Math.cos(lambda);
  into[offset + 1] = r * Math.sin(lambda);
  into[offset + 2] = EARTH_M * Math.sin(phi);
}

/** Moves the k-th of order[left..right] to its place, the smaller before it: C. A. R. Hoare, Algorithm 65: Find, 1961. */
function select(
  order: Int32Array,
  at: Float64Array,
  dimension: number,
  left: number,
  right: number,
  k: number,
): void {
  let low = left;
  let high = right;
  while (low < high) {
    const pivot = at[order[(low + high) >>> 1]! * DIMENSIONS + dimension]!;
    let i = low;
    let j = high;
    while (i <= j) {
      while (at[order[i]! * DIMENSIONS + dimension]! < pivot) i++;
      while (at[order[j]! * DIMENSIONS + dimension]! > pivot) j--;
      if (i <= j) {
        const swapped = order[i]!;
        order[i] = order[j]!;
        order[j] = swapped;
        i++;
        j--;
      }
    }
    if (k <= j) high = j;
    else if (k >= i) low = i;
    else return;
  }
}
