export type Terrain = {
  minElevationM: number;
  meanElevationM: number;
  maxElevationM: number;
  meanSlopePercent: number;
  /** Share of the area steeper than each of the grades asked for, 0 to 100. */
  steeperPercent: number[];
};

/** Running sums over the cells of a parcel; each cell counts by the fraction that the parcel covers. */
export type TerrainSums = {
  grades: readonly number[];
  minM: number;
  maxM: number;
  heightArea: number;
  heightSum: number;
  slopeSum: number;
  /** Area of the cells whose slope is over the first i grades and no more. */
  areaByGrade: number[];
};

/** Cells by rows: fractions covered, heights in meters, slopes in percent; NaN where there are no data. */
export type Cells<T extends Float32Array | Float64Array> = { values: T; stride: number; offset: number };

/** A smaller part of a cell is rounding of coordinates, and no reason to count a height. */
export const MIN_FRACTION = 1e-7;

/** At least this share of the parcel's area must have data. */
const MIN_KNOWN = 0.5;

/** @param grades in percent, ascending */
export function startSums(grades: readonly number[]): TerrainSums {
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

/** Adds `columns` x `rows` cells, which begin at the offset of each of the three arrays. */
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
      if (fraction < MIN_FRACTION) continue;
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
        let over = 0;
        while (over < grades.length && slope > grades[over]!) over++;
        areaByGrade[over]! += fraction;
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
 * Null when slopes are known for under half of the parcel. @param parcelCells its area in
 * cells, with data or not
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
  if (area === 0 || area < MIN_KNOWN * parcelCells) return null;
  return {
    minElevationM: sums.minM,
    meanElevationM: sums.heightSum / sums.heightArea,
    maxElevationM: sums.maxM,
    meanSlopePercent: sums.slopeSum / area,
    steeperPercent: steeperArea.map(steeper => 100 * (steeper / area)),
  };
}
