import { fromMiddle, middleOf } from './middle.ts';

/**
 * What prices of a market lie around: the middle of their ln(price per acre), brought to one size and like land, and the median
 * distance from it. A price beyond 3.5 robust standard deviations stands against its market.
 * B. Iglewicz, D. Hoaglin, How to Detect and Handle Outliers, ASQC 1993: modified z-scores, 0.6745 and 3.5.
 */
export type Bound = { middle: number; spread: number };

const MOST_Z = 3.5;
const MAD_SHARE = 0.6745;

/** Fewer prices than this do not tell their spread. */
export const FEWEST = 15;
/** More say nothing more about a median. */
export const MOST = 100;
/** Noise below this is no noise: identical prices a lot of one subdivision must not make all others outliers. */
const LEAST_MAD = 0.1;

const FEWEST_ALIKE = 3;
/**
 * The median distance that is taken where fewer than 15 prices would tell it, of which half may be mistyped. With it a price is
 * left out that is 13 times what the others are, or less than a thirteenth.
 */
const FEW_SPREAD = 0.5;

/** By a median distance that is known. */
export const boundAt = (middle: number, distance: number): Bound => ({
  middle,
  spread: Math.max(LEAST_MAD, distance),
});

/** By prices of a market, in any order; null of fewer than three. */
export function boundOf(levels: ArrayLike<number> & Iterable<number>): Bound | null {
  if (levels.length < FEWEST_ALIKE) return null;
  const middle = middleOf(levels)!;
  if (levels.length < FEWEST) return { middle, spread: FEW_SPREAD };
  return boundAt(middle, middleOf(fromMiddle(Array.from(levels)))!);
}

/** By the latest prices of other counties, the earliest first: however alike these are, the next county may be dearer by far. */
export function boundElsewhere(levels: readonly number[]): Bound | null {
  const bound = boundOf(levels.slice(-MOST));
  return bound === null ? null : { ...bound, spread: Math.max(FEW_SPREAD, bound.spread) };
}

export function isBeyond(level: number, { middle, spread }: Bound): boolean {
  return (MAD_SHARE * Math.abs(level - middle)) / spread > MOST_Z;
}
