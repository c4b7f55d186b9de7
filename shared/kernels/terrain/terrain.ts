export type Terrain = {
  minElevationM: number;
  meanElevationM: number;
  maxElevationM: number;
  meanSlopePercent: number;
  /** Percentage of the area that is steeper than each of the grades, 0 to 100. */
  steeperPercent: number[];
  /** Share of the parcel's area whose slope is known, 0.5 to 1. */
  knownShare: number;
};

/** Running sums over a parcel's cells, weighted by the covered share of each. */
export type TerrainSums = {
  grades: readonly number[];
  minM: number;
  maxM: number;
  heightArea: number;
  heightSum: number;
  slopeSum: number;
  /** Total area of cells, by the number of grades that they are steeper than. */
  areaByGrade: number[];
};

/**
 * A block of a row-major array of covered fractions, heights in meters, or slopes in percent. NaN means no
 * data.
 */
export type Cells<T extends Float32Array | Float64Array> = { values: T; stride: number; offset: number };

/** Smaller covered fractions come from rounded coordinates and are ignored. */
export const MIN_CELL_FRACTION = 1e-7;

/** Minimum share of the parcel's area with data. */
const MIN_KNOWN_SHARE = 0.5;

/** @param grades in percent, ascending */
export function newTerrainSums(grades: readonly number[]): TerrainSums {
  return {
    grades,
    minM: Infinity,
    maxM: -Infinity,
    heightArea: 0,
    heightSum: 0,
    slopeSum: 0,
    areaByGrade: [0, ...grades.map(() => 0)],
  };
}

/** Adds `columns` x `rows` cells, starting at the offset of each array. */
export function addCells(
  sums: TerrainSums,
  columns: number,
  rows: number,
  fractions: Cells<Float64Array>,
  heights: Cells<Float32Array>,
  slopes: Cells<Float32Array>,
): void {
  const { grades, areaByGrade } = sums;
  let { minM, maxM, heightArea, heightSum, slopeSum } = sums;
  for (let row = 0; row < rows; row++) {
    const f = fractions.offset + row * fractions.stride;
    const h = heights.offset + row * heights.stride;
    const s = slopes.offset + row * slopes.stride;
    for (let column = 0; column < columns; column++) {
      const fraction = fractions.values[f + column]!;
      if (fraction < MIN_CELL_FRACTION) continue;
      const height = heights.values[h + column]!;
      if (!Number.isNaN(height)) {
        heightArea += fraction;
        heightSum += fraction * height;
        if (height < minM) minM = height;
        if (height > maxM) maxM = height;
      }
      const slope = slopes.values[s + column]!;
      if (!Number.isNaN(slope)) {
        slopeSum += fraction * slope;
        let grade = 0;
        while (grade < grades.length && slope > grades[grade]!) grade++;
        areaByGrade[grade]! += fraction;
      }
    }
  }
  sums.minM = minM;
  sums.maxM = maxM;
  sums.heightArea = heightArea;
  sums.heightSum = heightSum;
  sums.slopeSum = slopeSum;
}

/**
 * The figures of a parcel; null if slopes are known for less than half of it.
 * @param parcelCells area of the parcel in cells, with or without data
 */
export function terrainOf(sums: TerrainSums, parcelCells: number): Terrain | null {
  const { grades, areaByGrade } = sums;
  const steeperArea = grades.map(() => 0);
  let area = 0;
  for (let i = grades.length; i > 0; i--) {
    area += areaByGrade[i]!;
    steeperArea[i - 1] = area;
  }
  area += areaByGrade[0]!;
  if (area === 0 || area < MIN_KNOWN_SHARE * parcelCells) return null;
  return {
    minElevationM: sums.minM,
    meanElevationM: sums.heightSum / sums.heightArea,
    maxElevationM: sums.maxM,
    meanSlopePercent: sums.slopeSum / area,
    steeperPercent: steeperArea.map(steeper => 100 * (steeper / area)),
    knownShare: Math.min(1, area / parcelCells),
  };
}
