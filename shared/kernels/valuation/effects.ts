/**
 * How the price per acre moves with size and time: ln(ppa) = level(place) + elasticity x ln(acres) + trend x years + noise.
 * Differences between sales that are near each other rid of the level; what is left is regressed robustly, county by
 * county, and each county is drawn towards its state, and the state towards the nation, the more the less its sales say.
 */

import { middleOf } from './middle.ts';

/** Elasticity of price per acre to acres, and trend of its logarithm a year. */
export type Effects = { elasticity: number; trend: number };

type Estimate = { value: number; variance: number };
export type EffectEstimates = {
  elasticity: Estimate;
  trend: Estimate;
  /** Variance of the differences that are left. */
  residual: number;
};

/** Differences between two near sales: of ln(price per acre), of ln(acres), of years. */
export type Pairs = {
  county: Int32Array;
  ppa: Float64Array;
  acres: Float64Array;
  years: Float64Array;
  count: number;
};

/**
 * All that is known without a sale. Land of twice the size costs between as much and twice as much, which are
 * elasticities of -1 and 0; and prices have seldom doubled or halved within ten years, a trend of 0.07. Two sales' worth.
 */
const IGNORANCE = { elasticity: { value: -0.5, variance: 0.25 }, trend: { value: 0, variance: 0.0025 } };

/** P. J. Huber, Robust Statistics, 1981: 95 % efficient under normal noise. */
const HUBER = 1.345;
const ROUNDS = 20;
/** Standard deviation of normal noise by its median absolute deviation. */
const MAD_TO_SD = 1.4826;
/** Pairs that each sale is in as the first. */
export const PAIRS_PER_SALE = 8;

/**
 * A variance that a few pairs seem to have is drawn to what it is elsewhere as if by this many sales: two parameters go
 * through two pairs without any residual, and would be believed.
 */
const VARIANCE_PRIOR_SALES = 10;
/** Variance of a difference before anything is known: sales of raw land are within 50 % of one another. */
const VARIANCE_PRIOR = 2 * 0.5 ** 2;
const EFFECTS = 2;

/** Effects of each county that has pairs, of each state by the first two digits of FIPS, and for all others. */
export type RegionalEffects = {
  counties: [fips: number, Effects][];
  states: [code: number, Effects][];
  nation: Effects;
};

export function estimateEffects(pairs: Pairs): RegionalEffects {
  const rows = new Map<number, number[]>();
  for (let i = 0; i < pairs.count; i++) {
    const county = pairs.county[i]!;
    const list = rows.get(county);
    if (list) list.push(i);
    else rows.set(county, [i]);
  }
  const all = Array.from({ length: pairs.count }, (_, i) => i);
  const { residual } = regress(pairs, all, VARIANCE_PRIOR);
  const estimates = new Map([...rows].map(([county, own]) => [county, regress(pairs, own, residual)]));
  const elasticity = shrink(estimates, 'elasticity');
  const trend = shrink(estimates, 'trend');
  const both = (of: 'counties' | 'states') =>
    [...elasticity[of]].map(([code, value]): [number, Effects] => [
      code,
      { elasticity: value, trend: trend[of].get(code)! },
    ]);
  return {
    counties: both('counties'),
    states: both('states'),
    nation: { elasticity: elasticity.nation, trend: trend.nation },
  };
}

/**
 * Huber's regression without intercept on some pairs; variances by the noise that is left.
 * @param elsewhere variance of the differences that is expected before these pairs are looked at
 */
export function regress(pairs: Pairs, rows: readonly number[], elsewhere: number): EffectEstimates {
  const { ppa, acres, years } = pairs;
  let elasticity = 0;
  let trend = 0;
  let scale = Number.POSITIVE_INFINITY;
  let aa = 0;
  let tt = 0;
  let at = 0;
  const residuals = new Float64Array(rows.length);
  for (let round = 0; round < ROUNDS; round++) {
    aa = 0;
    tt = 0;
    at = 0;
    let ay = 0;
    let ty = 0;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const a = acres[row]!;
      const t = years[row]!;
      const size = Math.abs(residuals[i]!);
      const weight = size <= HUBER * scale ? 1 : (HUBER * scale) / size;
      aa += weight * a * a;
      tt += weight * t * t;
      at += weight * a * t;
      ay += weight * a * ppa[row]!;
      ty += weight * t * ppa[row]!;
    }
    const determinant = aa * tt - at * at;
    // Where all are of one size, or of one day, that says nothing of its effect: it stays 0 and its variance large.
    const both = determinant > 1e-9 * aa * tt && aa > 0 && tt > 0;
    const nextElasticity = both ? (ay * tt - ty * at) / determinant : aa > 0 ? ay / aa : 0;
    const nextTrend = both ? (ty * aa - ay * at) / determinant : aa === 0 && tt > 0 ? ty / tt : 0;
    const moved = Math.abs(nextElasticity - elasticity) + Math.abs(nextTrend - trend);
    elasticity = nextElasticity;
    trend = nextTrend;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      residuals[i] = ppa[row]! - elasticity * acres[row]! - trend * years[row]!;
    }
    scale = Math.max(1e-9, MAD_TO_SD * middleOf(residuals.map(Math.abs))!);
    if (round > 0 && moved < 1e-9) break;
  }
  const free = Math.max(0, rows.length / PAIRS_PER_SALE - EFFECTS);
  const residual = (free * scale * scale + VARIANCE_PRIOR_SALES * elsewhere) / (free + VARIANCE_PRIOR_SALES);
  // k pairs of one sale share its noise: with as many sales they say no more than one pair a sale would.
  const noise = residual * PAIRS_PER_SALE;
  const determinant = aa * tt - at * at;
  const both = determinant > 1e-9 * aa * tt;
  return {
    elasticity: {
      value: elasticity,
      variance: both ? (noise * tt) / determinant : noise / Math.max(aa, 1e-12),
    },
    trend: { value: trend, variance: both ? (noise * aa) / determinant : noise / Math.max(tt, 1e-12) },
    residual,
  };
}

/**
 * Empirical Bayes on two levels: the variance between counties of a state, and between states, by the method of moments
 * (R. DerSimonian, N. Laird, Meta-analysis in clinical trials, 1986), the nation being drawn to what is known without a sale.
 */
function shrink(estimates: ReadonlyMap<number, EffectEstimates>, effect: 'elasticity' | 'trend') {
  const byState = new Map<number, Estimate[]>();
  for (const [county, estimate] of estimates) {
    const state = Math.floor(county / 1000);
    byState.set(state, [...(byState.get(state) ?? []), estimate[effect]]);
  }
  const between = pooledBetween([...byState.values()]);
  const stateMeans = new Map([...byState].map(([state, own]) => [state, meanOf(own, between)]));
  const betweenStates = pooledBetween([[...stateMeans.values()]]);
  const nation = towards(meanOf([...stateMeans.values()], betweenStates), IGNORANCE[effect]);
  const states = new Map(
    [...stateMeans].map(([state, mean]) => [
      state,
      towards(mean, { value: nation.value, variance: betweenStates + nation.variance }),
    ]),
  );
  const counties = new Map(
    [...estimates].map(([county, estimate]) => {
      const state = states.get(Math.floor(county / 1000))!;
      return [
        county,
        towards(estimate[effect], { value: state.value, variance: between + state.variance }).value,
      ];
    }),
  );
  return {
    counties,
    states: new Map([...states].map(([state, { value }]) => [state, value])),
    nation: nation.value,
  };
}

/** An estimate and a prior together, each by its precision. */
function towards(estimate: Estimate, prior: Estimate): Estimate {
  if (!Number.isFinite(estimate.variance)) return prior;
  const precision = 1 / Math.max(estimate.variance, 1e-12) + 1 / Math.max(prior.variance, 1e-12);
  const value =
    estimate.value / Math.max(estimate.variance, 1e-12) + prior.value / Math.max(prior.variance, 1e-12);
  return { value: value / precision, variance: 1 / precision };
}

function meanOf(estimates: readonly Estimate[], between: number): Estimate {
  let weights = 0;
  let sum = 0;
  for (const { value, variance } of estimates) {
    const weight = 1 / (variance + between + 1e-12);
    weights += weight;
    sum += weight * value;
  }
  return weights === 0
    ? { value: 0, variance: Number.POSITIVE_INFINITY }
    : { value: sum / weights, variance: 1 / weights };
}

/** Variance between the members of groups beyond what their own variances explain; groups of one say nothing. */
function pooledBetween(groups: readonly (readonly Estimate[])[]): number {
  let excess = 0;
  let scale = 0;
  for (const group of groups) {
    if (group.length < 2) continue;
    const weights = group.map(({ variance }) => 1 / Math.max(variance, 1e-12));
    const total = weights.reduce((a, b) => a + b, 0);
    const mean = group.reduce((sum, { value }, i) => sum + weights[i]! * value, 0) / total;
    const q = group.reduce((sum, { value }, i) => sum + weights[i]! * (value - mean) ** 2, 0);
    excess += q - (group.length - 1);
    scale += total - weights.reduce((sum, weight) => sum + weight * weight, 0) / total;
  }
  return scale > 0 ? Math.max(0, excess / scale) : 0;
}

/** The effects of any county: its own, else its state's, else the nation's. */
export function effectsByCounty({ counties, states, nation }: RegionalEffects): (county: number) => Effects {
  const own = new Map(counties);
  const ofState = new Map(states);
  return county => own.get(county) ?? ofState.get(Math.floor(county / 1000)) ?? nation;
}
