import { probit } from 'simple-statistics';
import { addToGroup } from '../groups.ts';

/** A figure estimated from sales, with the square of its standard error. */
export type Estimate = { value: number; variance: number };

/** The estimate for a figure that nothing is known about. */
const NO_ESTIMATE: Estimate = { value: 0, variance: Number.POSITIVE_INFINITY };

/**
 * The prior for a county, derived from the other counties. Counties vary around their state, and states
 * around the nation (A. Gelman et al., Bayesian Data Analysis, 2013, 5.4).
 * @param others by FIPS code, excluding the county itself
 * @param prior what to expect of a county before seeing any sales
 */
export function priorFromCounties(
  others: ReadonlyMap<number, Estimate>,
  county: number,
  prior: Estimate,
): Estimate {
  const byState = new Map<number, Estimate[]>();
  for (const [fips, estimate] of others) addToGroup(byState, Math.floor(fips / 1000), estimate);
  const scale = Math.sqrt(prior.variance);
  const between = varianceBetween([...byState.values()], scale);
  const stateMeans = new Map([...byState].map(([state, own]) => [state, meanOf(own, between)]));
  const betweenStates = varianceBetween([[...stateMeans.values()]], scale);
  const state = Math.floor(county / 1000);
  const elsewhere = [...stateMeans].flatMap(([other, estimate]) => (other === state ? [] : [estimate]));
  const ofNation = widened(combineEstimates(prior, meanOf(elsewhere, betweenStates)), betweenStates);
  const ofState = combineEstimates(ofNation, stateMeans.get(state) ?? NO_ESTIMATE);
  const expected = widened(ofState, between);
  return expected.variance < prior.variance ? expected : prior;
}

const widened = ({ value, variance }: Estimate, by: number): Estimate => ({ value, variance: variance + by });

/** Keeps precisions finite: no estimate is certain. */
const MIN_VARIANCE = 1e-12;
const precisionOf = ({ variance }: Estimate) => 1 / Math.max(variance, MIN_VARIANCE);

/** Combines two independent estimates by their precisions. */
export function combineEstimates(a: Estimate, b: Estimate): Estimate {
  const precision = precisionOf(a) + precisionOf(b);
  if (precision === 0) return NO_ESTIMATE;
  return {
    value: (a.value * precisionOf(a) + b.value * precisionOf(b)) / precision,
    variance: 1 / precision,
  };
}

/**
 * Shrinks a figure by the part that may be due to chance (the positive-part estimator of W. James and C.
 * Stein, 1961).
 */
export function shrinkToZero({ value, variance }: Estimate): number {
  return value ** 2 <= variance ? 0 : value * (1 - variance / value ** 2);
}

/**
 * What to expect of another member of a group: the mean of the members, with the variance between them
 * (half-normal prior of this scale).
 */
export function priorFromGroup(group: readonly Estimate[], scale: number): Estimate {
  const between = varianceBetween([group], scale);
  return widened(meanOf(group, between), between);
}

/** The mean around which the estimates vary. */
function meanOf(estimates: readonly Estimate[], between: number): Estimate {
  return estimates.reduce((sum, estimate) => combineEstimates(sum, widened(estimate, between)), NO_ESTIMATE);
}

/** Number of nodes for the integral over the standard deviation between the members of a group. */
const NODES = 40;

/**
 * The posterior mean of the variance between members of a group, with a half-normal prior of this scale on
 * the standard deviation. Groups of one are ignored.
 */
function varianceBetween(groups: readonly (readonly Estimate[])[], scale: number): number {
  const variances = Array.from(
    { length: NODES },
    (_, k) => (scale * probit(0.5 + (k + 0.5) / (2 * NODES))) ** 2,
  );
  const logs = variances.map(variance =>
    groups.reduce((sum, group) => sum + (group.length < 2 ? 0 : logLikelihood(group, variance)), 0),
  );
  const most = Math.max(...logs);
  const weights = logs.map(log => Math.exp(log - most));
  const total = weights.reduce((a, b) => a + b, 0);
  return variances.reduce((sum, variance, k) => sum + weights[k]! * variance, 0) / total;
}

/** The log likelihood of a group's members, with an unknown mean. */
function logLikelihood(group: readonly Estimate[], between: number): number {
  const finite = group.filter(({ variance }) => Number.isFinite(variance));
  const mean = meanOf(finite, between);
  let log = Math.log(Math.max(mean.variance, MIN_VARIANCE));
  for (const { value, variance } of finite)
    log -=
      Math.log(variance + between + MIN_VARIANCE) +
      (value - mean.value) ** 2 / (variance + between + MIN_VARIANCE);
  return log / 2;
}
