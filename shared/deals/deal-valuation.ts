import type { ValueRange } from '../kernels/deal-grade.ts';
import { VALUATION_PROBLEMS, valuationProblems } from '../model/valuation-problems.ts';

/** Why a deal's valuation doesn't count. The words complete "because". */
export const DEAL_PROBLEMS = {
  unknown_parcel: 'the parcel is unknown',
  other_acreage: "the listing's acreage differs from the parcel's by more than 25%",
  ...VALUATION_PROBLEMS,
} as const;
export type DealProblem = keyof typeof DEAL_PROBLEMS;
export const DEAL_PROBLEM_NAMES = Object.keys(DEAL_PROBLEMS) as [DealProblem, ...DealProblem[]];

/** If the listing's acreage differs from the parcel's by more than this share, they aren't the same land. */
const MAX_ACREAGE_DIFFERENCE = 0.25;

/** A deal's parcel and its valuation in cents. Null means unknown. */
export type ValuedLot = {
  fips: number;
  /** Effective acres. */
  acres: number | null;
  stated_acres: number | null;
  calculated_acres: number | null;
  land_use_code: string | null;
  retired: boolean;
  adjusted: number | null;
  low: number | null;
  high: number | null;
  out_of_support: boolean | null;
};

/** `counts` is null if there are problems. */
export type DealValuation = { problems: DealProblem[]; counts: ValueRange | null };

/** @param acreage the listing's */
export function valuationOf(lot: ValuedLot | undefined, acreage: number | null): DealValuation {
  if (lot === undefined) return { problems: ['unknown_parcel'], counts: null };
  const { adjusted, low, high } = lot;
  const ofParcel = valuationProblems({
    ...lot,
    acres: lot.stated_acres,
    value: adjusted,
    value_low: low,
    value_high: high,
  });
  const problems: DealProblem[] = isSameLand(acreage, lot.acres) ? ofParcel : ['other_acreage', ...ofParcel];
  if (problems.length > 0 || adjusted === null || low === null || high === null)
    return { problems, counts: null };
  return {
    problems,
    counts: { lowCents: BigInt(low), highCents: BigInt(high), meanCents: BigInt(adjusted) },
  };
}

const isSameLand = (listed: number | null, acres: number | null): boolean =>
  listed !== null && acres !== null && Math.abs(listed - acres) <= MAX_ACREAGE_DIFFERENCE * acres;

/**
 * Why the estimate isn't used.
 * @param isNeeded whether to return a sentence even if there is no estimate at all
 */
export function problemSentence(
  problems: readonly DealProblem[],
  acreage: number | null,
  lot: ValuedLot | undefined,
  isNeeded: boolean,
): string {
  const [first] = problems;
  if (first === undefined) return '';
  if (lot === undefined) return isNeeded ? 'Plat has no estimate, because the parcel is unknown.' : '';
  if (lot.adjusted === null) return isNeeded ? 'Plat has no estimate for the parcel.' : '';
  const isKnown = acreage !== null && lot.acres !== null;
  const because =
    first === 'other_acreage' && isKnown
      ? `the listing has ${acresOf(acreage!)} and the parcel has ${acresOf(lot.acres!)}`
      : DEAL_PROBLEMS[first];
  return `The estimated value isn't used, because ${because}.`;
}

const acresOf = (acres: number): string => `${Number(acres.toFixed(2))} ${acres === 1 ? 'acre' : 'acres'}`;
