/**
 * The share of the neighborhood's level in an estimate, next to the comps. Both are tested on the county's
 * past sales. The better one gets more, but few sales move the share little.
 */
const USUAL_SHARE = 0.5;
/** Weight of the usual share, in sales. */
const PRIOR_SALES = 40;
/** A sale counts less if both are off by more than this, because it says little about which one is better. */
const LARGE_ERROR = 0.5;

/**
 * The share with the smallest squared errors of past sales.
 * @param comps errors of estimates by comps, ln(estimate / price)
 * @param neighborhood errors of the neighborhood's level; NaN if unknown
 */
export function neighborhoodShare(comps: readonly number[], neighborhood: readonly number[]): number {
  let [known, gain, spread] = [0, 0, 0];
  for (const [i, error] of comps.entries()) {
    const apart = neighborhood[i]! - error;
    if (Number.isNaN(apart)) continue;
    const weight = Math.min(1, LARGE_ERROR / Math.abs(error + apart / 2));
    known++;
    gain -= weight * error * apart;
    spread += weight * apart ** 2;
  }
  if (spread === 0) return USUAL_SHARE;
  const ofPrior = (PRIOR_SALES / known) * spread;
  return Math.max(0, Math.min(1, (gain + ofPrior * USUAL_SHARE) / (spread + ofPrior)));
}

/** The average of an estimate by comps and the neighborhood's level, or the former if the latter is NaN. */
export function averageWith(neighborhood: number, share: number, comps: number): number {
  return Number.isNaN(neighborhood) ? comps : comps + share * (neighborhood - comps);
}
