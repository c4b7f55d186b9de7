import { createLags, LAG_DAYS, type Lags, MOST_LAG_SALES, type PastErrors } from './lag.ts';
import { landAt } from './land.ts';
import type { Fitted } from './market.ts';
import { FEATURES, featuresOf, fitScale, PRIOR_SALES, scaleOf } from './scale.ts';
import { choose, combine, FEWEST_COMPS, newChosen } from './select.ts';
import { byCounty } from './shrink.ts';
import type { Comps } from './types.ts';

/**
 * How far off estimates are, learned from past sales that are valued with the sales known on the day before each. Errors,
 * ln(estimate / price), over their expected size have one distribution, whose quantiles give intervals and the chance to
 * be within 25 %. What is expected of each error is learned from the others alone.
 * (A cross-conformal predictor with a learned scale: V. Vovk, Cross-Conformal Predictors, 2015; J. Lei et al.,
 * Distribution-Free Predictive Inference for Regression, 2018. The effects and the surface are those of the as-of day, the
 * comps those of the day before.)
 */
export type Calibration = {
  /** Of `featuresOf`: their sum is the logarithm of the expected size of the error. */
  coefficients: readonly number[];
  /** What each county's latest estimates were off by; taken off its estimates. */
  lags: Lags;
  /** Held-out errors over their expected size, ascending, each without the lag that was known before it. */
  errors: readonly number[];
};

/** The latest sales that are valued. */
const MOST_HELD_OUT = 2_000;
/**
 * Sales that are left out as comps are prices all the same, and an interval of prices has to reckon with them; but as far
 * as more than so many lie on one side they are another kind of deal.
 */
const MOST_OUTLIERS = 0.05;

/** Errors of the latest sales, the latest first. */
type HeldOut = PastErrors & { features: Float64Array[] };
type Dated = Pick<PastErrors, 'counties' | 'days'>;

const nothingHeldOut = (): HeldOut => ({ counties: [], days: [], errors: [], features: [] });

/**
 * @param comps that the model was made of
 * @param known the sales among them that were known on its day, those that it left out included
 */
export function calibrate(model: Fitted, comps: Comps, known: Int32Array): Calibration {
  const { kept, outliers, older } = valueLatest(model, comps, known);
  const past = {
    counties: [...kept.counties, ...older.counties],
    days: [...kept.days, ...older.days],
    errors: [...kept.errors, ...older.errors],
  };
  const { lags, known: knownLags } = lagsOf(kept, past, model.asOfDay);
  const errors = kept.errors.map((error, i) => error - knownLags[i]!);
  const { coefficients, heldOut } = fitScale(kept.features, errors);
  const sized = errors.map((error, i) => error / heldOut[i]!);
  const far = outliers.errors.map((error, i) => error / scaleOf(coefficients, outliers.features[i]!));
  const most = Math.floor(MOST_OUTLIERS * (errors.length + far.length));
  for (const side of [far.filter(error => error < 0), far.filter(error => error > 0)])
    sized.push(...side.slice(0, most));
  return { lags, coefficients, errors: sized.sort((a, b) => a - b) };
}

/**
 * Values the latest sales, each by those of the days before it and without itself. `older` are those before them that tell the
 * lag of their county, which has fewer among the latest.
 */
function valueLatest(model: Fitted, comps: Comps, known: Int32Array) {
  const { lon, lat, acres, price, soldDay, county } = comps;
  const entryOf = new Map(Array.from(model.sales.source, (comp, entry) => [comp, entry]));
  const latest = known.slice().sort((a, b) => soldDay[b]! - soldDay[a]! || a - b);
  const chosen = newChosen();
  const [kept, outliers, older] = [nothingHeldOut(), nothingHeldOut(), nothingHeldOut()];
  const valued = new Map<number, number>();
  for (const [rank, i] of latest.entries()) {
    const entry = entryOf.get(i) ?? -1;
    const ofCounty = valued.get(county[i]!) ?? 0;
    if (rank >= MOST_HELD_OUT) {
      if (soldDay[i]! <= model.asOfDay - LAG_DAYS) break;
      if (entry < 0 || ofCounty >= MOST_LAG_SALES) continue;
    }
    const subject = {
      lon: lon[i]!,
      lat: lat[i]!,
      acres: acres[i]!,
      county: county[i]!,
      land: landAt(comps.land, i),
    };
    choose(model, subject, soldDay[i]! - 1, entry, chosen);
    if (chosen.count < FEWEST_COMPS) continue;
    const { mean, deviation } = combine(chosen);
    if (entry >= 0) valued.set(county[i]!, ofCounty + 1);
    const into = rank >= MOST_HELD_OUT ? older : entry < 0 ? outliers : kept;
    into.counties.push(county[i]!);
    into.features.push(featuresOf(chosen, deviation, new Float64Array(FEATURES)));
    into.errors.push(mean - Math.log(price[i]! / acres[i]!));
    into.days.push(soldDay[i]!);
  }
  return { kept, outliers, older };
}

/** The lags on the model's day, and what was known of each sale's on the day before it. */
function lagsOf(
  { counties, days }: Dated,
  past: PastErrors,
  asOfDay: number,
): { lags: Lags; known: number[] } {
  const lagsOn = createLags(past);
  const known: number[] = new Array(days.length);
  let lagOf = byCounty(lagsOn(Number.NEGATIVE_INFINITY));
  for (let i = days.length - 1; i >= 0; i--) {
    if (days[i] !== days[i + 1]) lagOf = byCounty(lagsOn(days[i]! - 1));
    known[i] = lagOf(counties[i]!);
  }
  return { lags: lagsOn(asOfDay), known };
}

/** With fewer held-out errors so many times the expected size bound the interval. */
const FEW_ERRORS_WIDTH = 2;

/** The error, as ln(estimate / price), below which 10 % and above which 10 % of all estimates of this scale fall. */
export function interval({ errors }: Calibration, scale: number): { low: number; high: number } {
  const last = errors.length - 1;
  // Conformal: the (n + 1) x 10 % smallest and largest, and between two of them as far as that is no whole number.
  const place = (last + 2) * 0.1 - 1;
  if (place < 0) return { low: -FEW_ERRORS_WIDTH * scale, high: FEW_ERRORS_WIDTH * scale };
  const rank = Math.floor(place);
  const share = place - rank;
  const between = (a: number, b: number) => errors[a]! * (1 - share) + errors[b]! * share;
  return { low: between(rank, rank + 1) * scale, high: between(last - rank, last - rank - 1) * scale };
}

/** Chance of |estimate - price| <= 25 % of the price. With few errors it is drawn to what the guess of their size says. */
export function chanceWithinQuarter({ errors }: Calibration, scale: number): number {
  const low = Math.log(0.75) / scale;
  const high = Math.log(1.25) / scale;
  const inside = firstAbove(errors, high) - firstAbove(errors, low);
  // Of errors with a Laplace distribution of mean size 1.
  const guessed = 1 - (Math.exp(low) + Math.exp(-high)) / 2;
  return (inside + PRIOR_SALES * guessed) / (errors.length + PRIOR_SALES);
}

function firstAbove(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
