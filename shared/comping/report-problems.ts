import type { Valuation } from '../kernels/valuation/valuation-types.ts';
import { unsellableReason } from '../model/unsellable-land.ts';
import { type ValuationProblem, valuationProblems } from '../model/valuation-problems.ts';
import type { ReportParcel, ReportSnapshot } from './comp-report.ts';

/** Why an estimate of a report doesn't count, as for offers and deals. @param estimate null without one */
export function estimateProblems(snapshot: ReportSnapshot, estimate: Valuation | null): ValuationProblem[] {
  return valuationProblems({
    ...parcelOf(snapshot),
    value: estimate?.meanAdjustedPrice ?? null,
    value_low: estimate?.low ?? null,
    value_high: estimate?.high ?? null,
    out_of_support: estimate?.outOfSupport ?? null,
  });
}

/** Whether no comp supports an estimate of the parcel, as in stored valuations. Older reports don't know. */
export const isUnsellable = ({ parcel }: ReportSnapshot): boolean =>
  parcel !== undefined && unsellableReason(parcel, parcel.acres || parcel.calculated_acres) !== null;

/** Older reports only have the acreage. */
function parcelOf({ parcel, subject }: ReportSnapshot): ReportParcel {
  const { fips, acres } = subject;
  return parcel ?? { fips: Number(fips), retired: false, acres, calculated_acres: null, land_use_code: null };
}
