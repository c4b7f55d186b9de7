/** Where the second and later classes of a figure start, and how many figures are in each class. */
export type FigureClasses = { breaks: number[]; counts: number[] };

const FIFTHS = [0.2, 0.4, 0.6, 0.8];

/** Splits figures into about five classes of the same size, with round breaks. */
export function classifyFifths(figures: Float64Array): FigureClasses {
  const sorted = figures.toSorted();
  if (sorted.length === 0) return { breaks: [], counts: [] };
  const fifths = FIFTHS.map(share => sorted[Math.ceil(share * sorted.length) - 1]!);
  const breaks = roundBreaks(fifths);
  const counts = new Array<number>(breaks.length + 1).fill(0);
  for (const figure of sorted) counts[breaks.findLastIndex(from => from <= figure) + 1]!++;
  return { breaks, counts };
}

/** Rounds where classes start. Breaks that are the same after rounding become one. */
export const roundBreaks = (breaks: readonly number[]): number[] => [...new Set(breaks.map(roundNumber))];

const LEADING = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** Rounds to a number that people would choose, such as 8,000 for 8,344. */
export function roundNumber(value: number): number {
  if (!(value > 0)) return 0;
  const scale = 10 ** Math.floor(Math.log10(value));
  const leading = LEADING.reduce((best, one) =>
    Math.abs(one - value / scale) < Math.abs(best - value / scale) ? one : best,
  );
  return Number((leading * scale).toPrecision(2));
}
