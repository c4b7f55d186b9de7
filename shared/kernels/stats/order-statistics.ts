/**
 * Statistics of ascending samples. Each takes the range [from, to) of a larger array, so that many samples can share one
 * buffer; the range must be sorted already.
 */

/** The middle value, or the mean of the middle two; null of nothing. */
export function median(sorted: Float64Array, from = 0, to = sorted.length): number | null {
  if (to <= from) return null;
  const upper = from + ((to - from) >> 1);
  if ((to - from) % 2 === 1) return sorted[upper]!;
  return (sorted[upper - 1]! + sorted[upper]!) / 2;
}

/**
 * Gini coefficient of positive values, 0 (all equal) to 100; null below two of them.
 *
 * G = 100 * (2 * sum(i * x_i) / (n * sum(x_i)) - (n + 1) / n), i from 1 in ascending order (Sen 1973, On Economic
 * Inequality). It is computed as 100 * sum((2i - n - 1) * x_i) / (n * sum(x_i)), the same over one denominator, with
 * the terms of x_i and x_(n+1-i) taken together as weight * (larger - smaller). No term is negative, so nothing cancels:
 * equal values give exactly 0, and the error stays at a few units in the last place where the textbook form loses most
 * digits of a small coefficient. The sums run over sorted values, so the order of the input cannot show.
 */
export function gini(sorted: Float64Array, from = 0, to = sorted.length): number | null {
  const count = to - from;
  if (count < 2) return null;
  let sum = count % 2 === 1 ? sorted[from + (count >> 1)]! : 0;
  let weightedGaps = 0;
  let weight = count - 1;
  for (let low = from, high = to - 1; low < high; low++, high--) {
    const smaller = sorted[low]!;
    const larger = sorted[high]!;
    sum += smaller + larger;
    weightedGaps += weight * (larger - smaller);
    weight -= 2;
  }
  return (100 * weightedGaps) / (count * sum);
}
