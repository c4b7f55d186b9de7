import { addTo } from '../groups.ts';

/** What sales say of a figure, and how sure that is: the square of its standard error. */
export type Estimate = { value: number; variance: number };

/** What is believed of each county that has an estimate, of any other county of a state, and of any other at all. */
export type Shrunk = { counties: Map<number, Estimate>; states: Map<number, Estimate>; nation: Estimate };

/** What nothing is known of. */
const NOTHING: Estimate = { value: 0, variance: Number.POSITIVE_INFINITY };

/**
 * Empirical Bayes on two levels: counties differ from their state, and states from the nation, by variances that the method of
 * moments finds (R. DerSimonian, N. Laird, Meta-analysis in clinical trials, 1986), the nation from what is known without
 * sales. A county is drawn to what the others of its state say, a state to what the other states say: with its own
 * estimate among them it would be drawn to itself, and be believed more than its sales are worth.
 * @param estimates of counties by FIPS, the state being its first two digits
 * @param least the variances by which counties and states differ are known to be no smaller
 */
export function shrink(estimates: ReadonlyMap<number, Estimate>, known: Estimate, least = 0): Shrunk {
  const byState = new Map<number, [county: number, Estimate][]>();
  for (const [county, estimate] of estimates) {
    addTo(byState, Math.floor(county / 1000), [county, estimate]);
  }
  const values = (own: readonly [number, Estimate][]) => own.map(([, estimate]) => estimate);
  const between = Math.max(least, pooledBetween([...byState.values()].map(values)));
  // What each state's counties say of it.
  const said = new Map([...byState].map(([state, own]) => [state, all(values(own), between)]));
  const betweenStates = Math.max(least, pooledBetween([[...said.values()]]));
  const nation = both(known, all([...said.values()], betweenStates));

  const counties = new Map<number, Estimate>();
  const states = new Map<number, Estimate>();
  for (const [state, own] of byState) {
    const others = [...said].flatMap(([other, says]) => (other === state ? [] : [says]));
    const ofNation = widened(both(known, all(others, betweenStates)), betweenStates);
    const total = all(values(own), between);
    states.set(state, widened(both(ofNation, total), between));
    for (const [county, estimate] of own) {
      const neighbours = both(ofNation, without(total, widened(estimate, between)));
      counties.set(county, both(widened(neighbours, between), estimate));
    }
  }
  return { counties, states, nation: widened(nation, betweenStates + between) };
}

const widened = ({ value, variance }: Estimate, by: number): Estimate => ({ value, variance: variance + by });

/** Below it a variance would be a certainty, which nothing here is. */
const LEAST_VARIANCE = 1e-12;
const precisionOf = ({ variance }: Estimate) => 1 / Math.max(variance, LEAST_VARIANCE);

/** Two independent estimates together, each by its precision. */
function both(a: Estimate, b: Estimate): Estimate {
  const precision = precisionOf(a) + precisionOf(b);
  if (precision === 0) return NOTHING;
  return {
    value: (a.value * precisionOf(a) + b.value * precisionOf(b)) / precision,
    variance: 1 / precision,
  };
}

/** What `both` made of `part` and the rest, without the part. */
function without(total: Estimate, part: Estimate): Estimate {
  const precision = precisionOf(total) - precisionOf(part);
  // What rounding leaves of nothing.
  if (precision <= 1e-9 * precisionOf(total)) return NOTHING;
  const value = (total.value * precisionOf(total) - part.value * precisionOf(part)) / precision;
  return { value, variance: 1 / precision };
}

/** What estimates say of the mean that they vary around. */
function all(estimates: readonly Estimate[], between: number): Estimate {
  return estimates.reduce((sum, estimate) => both(sum, widened(estimate, between)), NOTHING);
}

/** Variance between the members of groups beyond what their own variances explain; groups of one say nothing. */
function pooledBetween(groups: readonly (readonly Estimate[])[]): number {
  let excess = 0;
  let scale = 0;
  for (const group of groups) {
    if (group.length < 2) continue;
    const weights = group.map(precisionOf);
    const total = weights.reduce((a, b) => a + b, 0);
    if (total === 0) continue;
    const mean = group.reduce((sum, { value }, i) => sum + weights[i]! * value, 0) / total;
    const q = group.reduce((sum, { value }, i) => sum + weights[i]! * (value - mean) ** 2, 0);
    excess += q - (weights.filter(weight => weight > 0).length - 1);
    scale += total - weights.reduce((sum, weight) => sum + weight * weight, 0) / total;
  }
  return scale > 0 ? Math.max(0, excess / scale) : 0;
}

/** A figure of each county that tells one, of each state by the first two digits of FIPS, and of all others. */
export type Regional<T> = { counties: [fips: number, T][]; states: [code: number, T][]; nation: T };

/** The figure of any county: its own, else its state's, else the nation's. */
export function byCounty<T>({ counties, states, nation }: Regional<T>): (county: number) => T {
  const own = new Map(counties);
  const ofState = new Map(states);
  return county => own.get(county) ?? ofState.get(Math.floor(county / 1000)) ?? nation;
}

/** @param of what is kept of an estimate; the county is -1 where it is of a state or the nation */
export function regional<T>(
  { counties, states, nation }: Shrunk,
  of: (estimate: Estimate, county: number) => T,
): Regional<T> {
  return {
    counties: [...counties].map(([fips, estimate]) => [fips, of(estimate, fips)]),
    states: [...states].map(([code, estimate]) => [code, of(estimate, -1)]),
    nation: of(nation, -1),
  };
}
