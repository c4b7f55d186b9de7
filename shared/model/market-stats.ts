import { hash } from 'node:crypto';
import { isoDay } from '../kernels/stats/calendar.ts';
import {
  type BucketSummary,
  type ListingColumns,
  NO_LISTINGS,
  type Summary,
  summarizeBuckets,
} from '../kernels/stats/region-stats.ts';
import { round2 } from '../kernels/stats/rounding.ts';
import { indexAt, type PriceIndex } from '../kernels/valuation/price-index.ts';
import { ACRE_BUCKETS } from './buckets.ts';

/** What the API says of a region besides its statistics. */
export type RegionFields = {
  /** uuid */
  id: string;
  type: 'county' | 'zip';
  name: string;
  /** Two letters. */
  state: string;
  county_name: string;
  /** Five digits for a county, empty for a ZIP. */
  fips: string | null;
};

/**
 * The figures of a bucket, spelled and ordered as the API answers them; null where there is
 * nothing to divide by.
 */
function bucketData({ active, pending, sold }: BucketSummary, { listed }: StatsContext) {
  const [month, quarter, half, year] = sold;
  return {
    Active: listed ? active.count : null,
    Pending: listed ? pending.count : null,
    'Sold: 1mo': month.count,
    'Sold: 3mo': quarter.count,
    'Sold: 6mo': half.count,
    'Sold: 1yr': year.count,
    'Pending STR': rate(pending, active),
    '1mo STR': rate(month, active),
    '3mo STR': rate(quarter, active),
    '6mo STR': rate(half, active),
    '1yr STR': rate(year, active),
    'Avg DOM 1mo': rounded(month.daysOnMarket),
    'Avg DOM 3mo': rounded(quarter.daysOnMarket),
    'Avg DOM 6mo': rounded(half.daysOnMarket),
    'Avg DOM 1yr': rounded(year.daysOnMarket),
    'Median Price 1mo': rounded(month.medianPrice),
    'Median Price 3mo': rounded(quarter.medianPrice),
    'Median Price 6mo': rounded(half.medianPrice),
    'Median Price 1yr': rounded(year.medianPrice),
    'Median Pending Price': rounded(pending.medianPrice),
    'Median Active Price': rounded(active.medianPrice),
    'Median Active Acreage': rounded(active.medianAcres),
    'Median Pending Acreage': rounded(pending.medianAcres),
    'Median Sold Acreage': rounded(year.medianAcres),
    'Median Pending PPA': rounded(pending.medianPpa),
    'Median Active PPA': rounded(active.medianPpa),
    'Median Sold PPA': rounded(year.medianPpa),
    'Active PPA Min': rounded(active.minPpa),
    'Active PPA Max': rounded(active.maxPpa),
    'Pending PPA Min': rounded(pending.minPpa),
    'Pending PPA Max': rounded(pending.maxPpa),
    'PPA Range 1mo Min': rounded(month.minPpa),
    'PPA Range 1mo Max': rounded(month.maxPpa),
    'PPA Range 3mo Min': rounded(quarter.minPpa),
    'PPA Range 3mo Max': rounded(quarter.maxPpa),
    'PPA Range 6mo Min': rounded(half.minPpa),
    'PPA Range 6mo Max': rounded(half.maxPpa),
    'PPA Range 1yr Min': rounded(year.minPpa),
    'PPA Range 1yr Max': rounded(year.maxPpa),
    'Gini 1mo': rounded(month.gini),
    'Gini 3mo': rounded(quarter.gini),
    'Gini 6mo': rounded(half.gini),
    'Gini 1yr': rounded(year.gini),
  };
}

/** Fewer sales carry none of the figures in `more`. */
export const LEAST_SALES = 5;

/** Figures beside the 43, in their order; a new one is added at the end. */
function moreData({ active, sold, yearBefore, toAsked }: BucketSummary, context: StatsContext, day: number) {
  const year = sold[3];
  const carried = year.count >= LEAST_SALES;
  const change =
    carried && yearBefore.count >= LEAST_SALES ? year.medianPpa! / yearBefore.medianPpa! - 1 : null;
  return {
    months_of_supply: carried && context.listed ? round2((12 * active.count) / year.count) : null,
    sale_to_list: toAsked.count >= LEAST_SALES ? round2(100 * toAsked.median!) : null,
    median_ppa_change_12mo: change === null ? null : round2(100 * change),
    sales_prior_12mo: yearBefore.count,
    ...indexFigures(context.index, day),
  };
}

/** The price index as figures of `more`; null where the county's sales do not reach so far back. */
export function indexFigures(index: PriceIndex | null, day: number) {
  const at = index && indexAt(index, day);
  return {
    price_index: at && round2(at.value),
    price_index_low: at && round2(at.low),
    price_index_high: at && round2(at.high),
  };
}

/** How many of `these` there are for 100 active listings. */
function rate(these: Summary, active: Summary): number | null {
  return active.count === 0 ? null : round2((100 * these.count) / active.count);
}

const rounded = (figure: number | null): number | null => (figure === null ? null : round2(figure));

export type BucketData = ReturnType<typeof bucketData>;
export type MetricKey = keyof BucketData;
export type MoreData = ReturnType<typeof moreData>;
export type MoreKey = keyof MoreData;

/** What is known beside the listings. */
export type StatsContext = {
  /** The county's; null for a ZIP, and where its sales tell none. */
  index: PriceIndex | null;
  /** Whether it is known what was on the market. */
  listed: boolean;
};

const none = NO_LISTINGS;
const NOTHING: BucketSummary = {
  listings: 0,
  active: none,
  pending: none,
  sold: [none, none, none, none],
  yearBefore: { count: 0, medianPpa: null },
  toAsked: { count: 0, median: null },
};
const UNKNOWN: StatsContext = { index: null, listed: false };
export const METRIC_KEYS = Object.keys(bucketData(NOTHING, UNKNOWN)) as MetricKey[];
export const MORE_KEYS = Object.keys(moreData(NOTHING, UNKNOWN, 0)) as MoreKey[];
export type FigureKey = MetricKey | MoreKey;
export const FIGURE_KEYS: readonly FigureKey[] = [...METRIC_KEYS, ...MORE_KEYS];

/**
 * `asOf` is YYYY-MM-DD, null without listings; buckets in the order of ACRE_BUCKETS, null for
 * one without listings.
 */
export type RegionStats = {
  asOf: string | null;
  buckets: readonly ({ listings: number; data: BucketData; more: MoreData } | null)[];
};

export const NO_STATS: RegionStats = { asOf: null, buckets: [] };

export function regionStats(
  listings: ListingColumns,
  rows: readonly number[],
  asOfDay: number,
  context: StatsContext = { index: null, listed: true },
): RegionStats {
  const buckets = summarizeBuckets(listings, rows, asOfDay, ACRE_BUCKETS);
  const shown = new Map<BucketSummary | null, RegionStats['buckets'][number]>([[null, null]]);
  for (const each of buckets)
    if (each !== null && !shown.has(each))
      shown.set(each, {
        listings: each.listings,
        data: bucketData(each, context),
        more: moreData(each, context, asOfDay),
      });
  return {
    asOf: rows.length > 0 ? isoDay(asOfDay) : null,
    buckets: buckets.map(each => shown.get(each)!),
  };
}

export function statsBody(region: RegionFields, stats: RegionStats): string {
  const shown = stats.buckets.flatMap((each, i) =>
    each === null ? [] : [{ type: ACRE_BUCKETS[i]!.label, ...each }],
  );
  return JSON.stringify({ ...fieldsOf(region), as_of: stats.asOf, stats: shown });
}

/** The recorded response that begins with `told`. */
export function recordedBody(told: string, stats: RegionStats): string {
  const [fields] = JSON.parse(`[${told}"stats":[]}]`);
  return statsBody(fields, { ...stats, asOf: fields.as_of });
}

/**
 * Raise it whenever the same figures give another body, so that every stored response is rewritten. What was
 * recorded of past months is made of its figures: its body has to stay the same for the keys that it has.
 */
const RESPONSE_FORMAT = 3;

/**
 * From what a body is made of (RFC 9110 section 8.8.3): hashing every region's body would cost more
 * than its statistics.
 */
export function statsEtag(region: RegionFields, stats: RegionStats): string {
  const figures = new Float64Array(stats.buckets.length * (2 + FIGURE_KEYS.length));
  let at = 0;
  stats.buckets.forEach((each, bucket) => {
    if (each === null) return;
    figures[at++] = bucket;
    figures[at++] = each.listings;
    for (const figure of Object.values(each.data)) figures[at++] = figure ?? Number.NaN;
    for (const figure of Object.values(each.more)) figures[at++] = figure ?? Number.NaN;
  });
  const digest = hash('sha256', new Uint8Array(figures.buffer, 0, at * figures.BYTES_PER_ELEMENT), 'hex');
  const content = JSON.stringify([RESPONSE_FORMAT, ...Object.values(fieldsOf(region)), stats.asOf, digest]);
  return `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
}

/** In the order in which the API answers them, and nothing else. */
function fieldsOf({ id, type, name, state, county_name, fips }: RegionFields): RegionFields {
  return { id, type, name, state, county_name, fips };
}
