import { probit } from 'simple-statistics';
import { addTo } from '../groups.ts';

/** What sales say of a figure, and how sure that is: the square of its standard error. */
export type Estimate = { value: number; variance: number };

/** What nothing is known of. */
const NOTHING: Estimate = { value: 0, variance: Number.POSITIVE_INFINITY };

/**
 * What other counties' estimates let expect of one: counties vary around their state, and states around the
 * nation (A. Gelman et al., Bayesian Data Analysis, 2013, 5.4). @param others by FIPS, the county's own not
 * among them @param known what is expected of any county without a sale
 */
export function expectFrom(others: ReadonlyMap<number, Estimate>, county: number, known: Estimate): Estimate {
  const byState = new Map<number, Estimate[]>();
  for (const [fips, estimate] of others) addTo(byState, Math.floor(fips / 1000), estimate);
  const scale = Math.sqrt(known.variance);
  const between = varianceBetween([...byState.values()], scale);
  // What each state's counties say of it.
  const said = new Map([...byState].map(([state, own]) => [state, meanOf(own, between)]));
  const betweenStates = varianceBetween([[...said.values()]], scale);
  const state = Math.floor(county / 1000);
  const elsewhere = [...said].flatMap(([other, says]) => (other === state ? [] : [says]));
  const ofNation = widened(combined(known, meanOf(elsewhere, betweenStates)), betweenStates);
  const ofState = combined(ofNation, said.get(state) ?? NOTHING);
  const expected = widened(ofState, between);
  return expected.variance < known.variance ? expected : known;
}

const widened = ({ value, variance }: Estimate, by: number): Estimate => ({ value, variance: variance + by });

/** Below it a variance would be a certainty, which nothing here is. */
const LEAST_VARIANCE = 1e-12;
const precisionOf = ({ variance }: Estimate) => 1 / Math.max(variance, LEAST_VARIANCE);

/** Two independent estimates together, each by its precision. */
export function combined(a: Estimate, b: Estimate): Estimate {
  const precision = precisionOf(a) + precisionOf(b);
  if (precision === 0) return NOTHING;
  return {
    value: (a.value * precisionOf(a) + b.value * precisionOf(b)) / precision,
    variance: 1 / precision,
  };
}

/** What is left of a figure without what may be chance: the positive part of W. James and C. Stein, 1961. */
export function withoutChance({ value, variance }: Estimate): number {
  return value ** 2 <= variance ? 0 : value * (1 - variance / value ** 2);
}

/**
 * What members of a group let expect of another: they vary around a mean by what they show, the half-normal
 * prior being of the scale.
 */
export function expectNext(group: readonly Estimate[], scale: number): Estimate {
  const between = varianceBetween([group], scale);
  return widened(meanOf(group, between), between);
}

/** What estimates say of the mean that they vary around. */
function meanOf(estimates: readonly Estimate[], between: number): Estimate {
  return estimates.reduce((sum, estimate) => combined(sum, widened(estimate, between)), NOTHING);
}

/** Nodes of the integral over the standard deviation between the members of a group. */
const NODES = 40;

/**
 * The mean of the posterior distribution, the standard deviation being half-normal of the scale; groups
 * of one say nothing.
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

/** Of members of a group whose mean is not known. */
function logLikelihood(group: readonly Estimate[], between: number): number {
  const told = group.filter(({ variance }) => Number.isFinite(variance));
  const mean = meanOf(told, between);
  let log = Math.log(Math.max(mean.variance, LEAST_VARIANCE));
  for (const { value, variance } of told)
    log -=
      Math.log(variance + between + LEAST_VARIANCE) +
      (value - mean.value) ** 2 / (variance + between + LEAST_VARIANCE);
  return log / 2;
}
