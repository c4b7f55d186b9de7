export const SQ_FT_PER_ACRE = 43_560;

const SQ_FT_9500 = 9_500 / SQ_FT_PER_ACRE;

/** In the API's order. A bucket has lots with `minAcres <= acres < maxAcres`. Buckets overlap on purpose. */
export const ACRE_BUCKETS = [
  { label: '0-9.5k sqft', minAcres: 0, maxAcres: SQ_FT_9500 },
  { label: '0-0.25 acre', minAcres: 0, maxAcres: 0.25 },
  { label: '0.15 acre-1 acre', minAcres: 0.15, maxAcres: 1 },
  { label: '0.2 acre-100 acre', minAcres: 0.2, maxAcres: 100 },
  { label: '9.5k sqft-1 acre', minAcres: SQ_FT_9500, maxAcres: 1 },
  { label: '0.25 acre-1 acre', minAcres: 0.25, maxAcres: 1 },
  { label: '1 acre-2 acre', minAcres: 1, maxAcres: 2 },
  { label: '1 acre-3 acre', minAcres: 1, maxAcres: 3 },
  { label: '2 acre-5 acre', minAcres: 2, maxAcres: 5 },
  { label: '2 acre-100 acre', minAcres: 2, maxAcres: 100 },
  { label: '3 acre-5 acre', minAcres: 3, maxAcres: 5 },
  { label: '5 acre-10 acre', minAcres: 5, maxAcres: 10 },
  { label: '5 acre-100 acre', minAcres: 5, maxAcres: 100 },
  { label: '5 acre-10000 acre', minAcres: 5, maxAcres: 10_000 },
  { label: '10 acre-20 acre', minAcres: 10, maxAcres: 20 },
  { label: '20 acre-40 acre', minAcres: 20, maxAcres: 40 },
  { label: '40 acre-60 acre', minAcres: 40, maxAcres: 60 },
  { label: '40 acre-100 acre', minAcres: 40, maxAcres: 100 },
  { label: '40 acre-10000 acre', minAcres: 40, maxAcres: 10_000 },
  { label: '60 acre-80 acre', minAcres: 60, maxAcres: 80 },
  { label: '80 acre-500 acre', minAcres: 80, maxAcres: 500 },
  { label: '100 acre-10000 acre', minAcres: 100, maxAcres: 10_000 },
] as const;

export type AcreBucket = (typeof ACRE_BUCKETS)[number];
export type BucketLabel = AcreBucket['label'];

/** Consecutive, non-overlapping buckets, smallest lots first. */
export const NARROW_BUCKETS: readonly BucketLabel[] = [
  '0-0.25 acre',
  '0.25 acre-1 acre',
  '1 acre-2 acre',
  '2 acre-5 acre',
  '5 acre-10 acre',
  '10 acre-20 acre',
  '20 acre-40 acre',
  '40 acre-60 acre',
  '60 acre-80 acre',
  '80 acre-500 acre',
];

/**
 * The narrowest bucket that contains an acreage, or the lower of two equally narrow ones. Undefined if the
 * acreage is above all buckets.
 */
export function narrowestBucket(acres: number): AcreBucket | undefined {
  const width = ({ minAcres, maxAcres }: AcreBucket) => maxAcres - minAcres;
  return ACRE_BUCKETS.filter(({ minAcres, maxAcres }) => minAcres <= acres && acres < maxAcres)
    .toSorted((a, b) => width(a) - width(b) || a.minAcres - b.minAcres)
    .at(0);
}

/** A bucket in words: "80 to 500 acres" for `80 acre-500 acre`. */
export function sizes(bucket: string): string {
  const [from, to] = bucket.replace('9.5k sqft', '9,500 sq ft').replace('10000', '10,000').split('-') as [
    string,
    string,
  ];
  const most = /^1 acre|sq ft/.test(to) ? to : `${to}s`;
  return from === '0' ? `under ${most}` : `${from.replace(' acre', '')} to ${most}`;
}
