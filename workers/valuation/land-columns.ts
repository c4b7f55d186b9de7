import { LAND_TERMS, writeLandTerms } from '../../shared/kernels/valuation/land.ts';

/** The columns of land figures, in the order in which copy_comps.sql, copy_comps_around.sql and copy_parcels.sql end. */
export const LAND_COLUMNS = {
  steepPercent: { type: 'float8', null: Number.NaN },
  frontageFt: { type: 'float8', null: Number.NaN },
  floodPercent: { type: 'float8', null: Number.NaN },
  wetlandsPercent: { type: 'float8', null: Number.NaN },
} as const;

type Figures = Record<keyof typeof LAND_COLUMNS, Float64Array>;

/** The land's terms of every row, LAND_TERMS a row. */
export function landTermsOf(rows: number, figures: Figures): Float64Array {
  const { steepPercent, frontageFt, floodPercent, wetlandsPercent } = figures;
  const terms = new Float64Array(rows * LAND_TERMS);
  const one = { steepPercent: 0, frontageFt: 0, floodPercent: 0, wetlandsPercent: 0 };
  for (let i = 0; i < rows; i++) {
    one.steepPercent = steepPercent[i]!;
    one.frontageFt = frontageFt[i]!;
    one.floodPercent = floodPercent[i]!;
    one.wetlandsPercent = wetlandsPercent[i]!;
    writeLandTerms(one, terms, i * LAND_TERMS);
  }
  return terms;
}
