import { areAcresApart } from './parcel-fields.ts';
import { MIN_LOT_ACRES, unsellableReason } from './unsellable-land.ts';
import { isTooWide } from './value-range.ts';

/**
 * Why a valuation doesn't count: Plat then makes no offer and advises no price. The words complete "because".
 */
export const VALUATION_PROBLEMS = {
  left_the_roll: 'the parcel is no longer on the roll',
  no_value: 'the parcel has no estimate',
  exempt: 'the roll lists the land as exempt or public',
  right_of_way: 'the roll lists the land as a road or right-of-way',
  water: 'the roll lists the land as water',
  common_area: 'the roll lists the land as a common area',
  too_small: `the parcel is smaller than ${MIN_LOT_ACRES} acres`,
  out_of_support: 'there are few similar sales nearby',
  too_wide: 'the 80% range is too wide',
  acres_mismatch: 'the stated and measured acreages differ too much',
} as const;
export type ValuationProblem = keyof typeof VALUATION_PROBLEMS;
export const VALUATION_PROBLEM_NAMES = Object.keys(VALUATION_PROBLEMS) as ValuationProblem[];

/** Problems with the estimate, which don't matter for offers based on the roll's own values. */
const OF_ESTIMATE: ReadonlySet<ValuationProblem> = new Set(['no_value', 'out_of_support', 'too_wide']);

/** Null means unknown. The three values are in the same unit. */
export type ValuedParcel = {
  fips: number;
  retired: boolean;
  /** Stated acres. */
  acres: number | null;
  calculated_acres: number | null;
  land_use_code: string | null;
  value: number | null;
  value_low: number | null;
  value_high: number | null;
  out_of_support: boolean | null;
};

/** Problems with a parcel's valuation. It counts if there are none. Used for offers, deals, and reports. */
export function valuationProblems(parcel: ValuedParcel): ValuationProblem[] {
  const { acres, calculated_acres, value_low: low, value_high: high } = parcel;
  const unsellable = unsellableReason(parcel, acres || calculated_acres);
  const found: Partial<Record<ValuationProblem, boolean>> = {
    left_the_roll: parcel.retired,
    no_value: parcel.value === null,
    out_of_support: parcel.out_of_support === true || unsellable !== null,
    too_wide: low !== null && high !== null && isTooWide(low, high),
    acres_mismatch: areAcresApart(acres, calculated_acres) === true,
  };
  return VALUATION_PROBLEM_NAMES.filter(name => found[name] || name === unsellable);
}

export const isAboutEstimate = (problem: ValuationProblem): boolean => OF_ESTIMATE.has(problem);
