import type { Valuation } from '../kernels/valuation/valuation-types.ts';
import { unsellableReason } from '../model/unsellable-land.ts';
import { type ValuationProblem, valuationProblems } from '../model/valuation-problems.ts';
import type { ReportParcel, ReportSnapshot } from './comp-report.ts';

/**
 * Why an estimate in a report doesn't count. Offers and deals use the same rules.
 * @param estimate null if there is none
 */
export function estimateProblems(snapshot: ReportSnapshot, estimate: Valuation | null): ValuationProblem[] {
  return valuationProblems({
    ...parcelOf(snapshot),
    value: estimate?.meanAdjustedPrice ?? null,
    value_low: estimate?.low ?? null,
    value_high: estimate?.high ?? null,
    out_of_support: estimate?.outOfSupport ?? null,
  });
}

/**
 * Whether the parcel can't be sold as a lot, so that no comp supports an estimate. Stored valuations use the
 * same rule. False for older reports, which lack the facts.
 */
export const isUnsellable = ({ parcel }: ReportSnapshot): boolean =>
  parcel !== undefined && unsellableReason(parcel, parcel.acres || parcel.calculated_acres) !== null;

/** Older reports have only the county and the acreage. */
function parcelOf({ parcel, subject }: ReportSnapshot): ReportParcel {
  const { fips, acres } = subject;
  return parcel ?? { fips: Number(fips), retired: false, acres, calculated_acres: null, land_use_code: null };
}
