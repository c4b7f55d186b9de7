/** Counts below this aren't free, because they can reveal individual parcels. */
export const MIN_DISCLOSED_COUNT = 25;

/** An exact count, or null and an upper bound. */
export type DisclosedCount = { count: number | null; at_most: number };

export type DisclosedCounts = DisclosedCount & { counties: (DisclosedCount & { fips: number })[] };

const disclosed = (count: number): DisclosedCount =>
  count < MIN_DISCLOSED_COUNT ? { count: null, at_most: MIN_DISCLOSED_COUNT } : { count, at_most: count };

/**
 * The counts by county that a quote discloses. Small counts are hidden. If callers could still compute them
 * from the total, the smallest of the other counts is hidden too.
 * @param counts the counts for counties with matches
 * @param asked the requested counties, which are always listed
 */
export function withholdCounts(
  counts: ReadonlyMap<number, number>,
  asked: readonly number[],
): DisclosedCounts {
  const total = sum(counts.values());
  const large = [...counts].filter(([, count]) => count >= MIN_DISCLOSED_COUNT);
  const rest = total - sum(large.map(([, count]) => count));
  const isWithheld = rest > 0 || asked.some(fips => (counts.get(fips) ?? 0) < MIN_DISCLOSED_COUNT);
  const smallest = large.toSorted(([, a], [, b]) => a - b)[0];
  const alsoHidden = isWithheld && rest < MIN_DISCLOSED_COUNT ? smallest : undefined;
  const listed = [...new Set([...asked, ...large.map(([fips]) => fips)])].sort((a, b) => a - b);
  const counties = listed.map(fips =>
    fips === alsoHidden?.[0]
      ? { fips, count: null, at_most: rest + alsoHidden[1] }
      : { fips, ...disclosed(counts.get(fips) ?? 0) },
  );
  return { ...disclosed(total), counties };
}

function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
