import { fitProcess, logLikelihood } from './gaussian-process.ts';

/**
 * How alike ln(price per acre) is between two sales, apart from the county's change over time: they share a
 * level, effects of size and the shore, and what is typical for their place in those years.
 */
export type Sites = {
  count: number;
  /** Position in steps of distance. */
  x: Float64Array;
  y: Float64Array;
  /** ln(acres) minus its mean. */
  size: Float64Array;
  years: Float64Array;
  /** 1 on a shore, 0 elsewhere, minus the mean; 0 if unknown. */
  shore: Float64Array;
  county: Int32Array;
};

export function newSites(count: number): Sites {
  const column = () => new Float64Array(count);
  const county = new Int32Array(count);
  return { count, x: column(), y: column(), size: column(), years: column(), shore: column(), county };
}

/** Variances and lengths that are learned from the sales. */
export type Kernel = {
  /** Variance and length in steps of a field that varies smoothly from place to place and over the years. */
  smooth: number;
  length: number;
  /** Variance of a rough field, in which only neighbors of like size resemble each other. */
  rough: number;
  /** Variance of one sale. */
  noise: number;
};

/** Priors of the kernel: medians and standard deviations of logarithms, chosen on five markets. */
const PRIORS: Record<keyof Kernel, readonly [median: number, deviation: number]> = {
  smooth: [0.15, 1],
  length: [1.2, 0.6],
  rough: [0.15, 1],
  noise: [0.25, 0.7],
};
const PARAMETERS = Object.keys(PRIORS) as (keyof Kernel)[];

// Prior variances that sales in one county can't show well.
const LEVEL = 1;
/** Between counties: a factor of two. */
const COUNTY_LEVEL = Math.LN2 ** 2;
const SIZE_SLOPE = 0.05;
/** In 19 of 20 markets, a shore multiplies or divides prices by seven at most. */
export const SHORE = 1;
/** A curve of prices over sizes instead of a line. */
const SIZE_BEND = 0.05;
const SIZE_BEND_LENGTH = 1.5;
/** A place drifts away from its county: the smooth field's length in time. */
const SMOOTH_YEARS = 6;
/** The length of the rough field, as a share of that of the smooth one, and in ln(acres). */
const ROUGH_LENGTH = 0.35;
const ROUGH_SIZES = 2;

export function covariance(kernel: Kernel, a: Sites, i: number, b: Sites, j: number): number {
  const dx = a.x[i]! - b.x[j]!;
  const dy = a.y[i]! - b.y[j]!;
  const squared = (dx * dx + dy * dy) / (kernel.length * kernel.length);
  const size = Math.abs(a.size[i]! - b.size[j]!);
  const bent = size / SIZE_BEND_LENGTH;
  const apart = (a.years[i]! - b.years[j]!) / SMOOTH_YEARS;
  return (
    LEVEL +
    (a.county[i] === b.county[j] ? COUNTY_LEVEL : 0) +
    SIZE_SLOPE * a.size[i]! * b.size[j]! +
    SHORE * a.shore[i]! * b.shore[j]! +
    SIZE_BEND * Math.exp((-bent * bent) / 2) +
    kernel.smooth * Math.exp(-(squared + apart * apart) / 2) +
    kernel.rough * Math.exp(-Math.sqrt(squared) / ROUGH_LENGTH - size / ROUGH_SIZES)
  );
}

/** The lower triangle of the covariances between some sites. */
export function covariancesOf(kernel: Kernel, sites: Sites, chosen: ArrayLike<number>): Float64Array {
  const size = chosen.length;
  const matrix = new Float64Array(size * size);
  for (let i = 0; i < size; i++)
    for (let j = 0; j <= i; j++)
      matrix[i * size + j] = covariance(kernel, sites, chosen[i]!, sites, chosen[j]!);
  return matrix;
}

const kernelOf = (logs: readonly number[]): Kernel =>
  Object.fromEntries(PARAMETERS.map((name, k) => [name, Math.exp(logs[k]!)])) as Kernel;

/**
 * The most likely kernel given its prior (maximum a posteriori).
 * @param groups sales that are compared with each other; large markets are learned from parts of them
 * @param like a kernel of a similar market, to start from
 */
export function fitKernel(
  sites: Sites,
  values: Float64Array,
  groups: readonly Int32Array[],
  like?: Kernel,
): Kernel {
  const prior = PARAMETERS.map(name => Math.log(PRIORS[name][0]));
  const typical = kernelOf(prior);
  const parts = groups.map(group => {
    const own = Float64Array.from(group, i => values[i]!);
    const { weights } = fitProcess(covariancesOf(typical, sites, group), own, typical.noise);
    return { group, own, weights };
  });
  const score = (logs: readonly number[]) => {
    const kernel = kernelOf(logs);
    let sum = 0;
    for (const { group, own, weights } of parts)
      sum += logLikelihood(covariancesOf(kernel, sites, group), own, kernel.noise, weights);
    for (const [k, name] of PARAMETERS.entries()) sum -= ((logs[k]! - prior[k]!) / PRIORS[name][1]) ** 2 / 2;
    return sum;
  };
  if (like === undefined) return kernelOf(climb(score, prior, FIRST_STEP));
  const start = PARAMETERS.map(name => Math.log(like[name]));
  return kernelOf(climb(score, start, FIRST_STEP / 2));
}

/** Halved whenever no step of this size is better. */
const FIRST_STEP = 0.8;
const LAST_STEP = 0.15;

/** Finds a maximum by steps along each axis (R. Hooke, T. A. Jeeves, Direct Search, 1961). */
function climb(
  score: (at: readonly number[]) => number,
  start: readonly number[],
  firstStep: number,
): readonly number[] {
  let best = start;
  let most = score(best);
  for (let step = firstStep; step >= LAST_STEP; ) {
    const before = most;
    for (const k of start.keys())
      for (const by of [step, -step]) {
        const next = best.with(k, best[k]! + by);
        const reached = score(next);
        if (reached <= most) continue;
        [best, most] = [next, reached];
        break;
      }
    if (most === before) step /= 2;
  }
  return best;
}
