import { add, divide, exactly, type Fraction, roundDecimal, times, total } from './decimal.ts';

/**
 * A literal implementation of the market statistics: for every bucket and key, it filters the listings, sorts
 * them, and calculates exactly. It shares nothing with the kernels, not even the bucket ranges, which it
 * derives from their labels.
 */
export type PlainListing = {
  status: 'ACTIVE' | 'PENDING' | 'SOLD';
  price: number | null;
  acres: number | null;
  /** YYYY-MM-DD */
  soldDate: string | null;
  daysOnMarket: number | null;
  /** Last asking price before the sale. */
  asked?: number | null;
};

type Figures = Record<string, number | null>;
export type PlainBucket = { type: string; listings: number; data: Figures; more: Figures };

/** In the order of the API specification. */
export const LABELS = [
  '0-9.5k sqft',
  '0-0.25 acre',
  '0.15 acre-1 acre',
  '0.2 acre-100 acre',
  '9.5k sqft-1 acre',
  '0.25 acre-1 acre',
  '1 acre-2 acre',
  '1 acre-3 acre',
  '2 acre-5 acre',
  '2 acre-100 acre',
  '3 acre-5 acre',
  '5 acre-10 acre',
  '5 acre-100 acre',
  '5 acre-10000 acre',
  '10 acre-20 acre',
  '20 acre-40 acre',
  '40 acre-60 acre',
  '40 acre-100 acre',
  '40 acre-10000 acre',
  '60 acre-80 acre',
  '80 acre-500 acre',
  '100 acre-10000 acre',
];

const WINDOWS = { '1mo': 1, '3mo': 3, '6mo': 6, '1yr': 12 };

/** `0.15 acre-1 acre` is [0.15, 1]. A number without a unit has the same unit as the other number. */
export function rangeOf(label: string): [min: number, max: number] {
  const unit = label.endsWith('sqft') ? 'sqft' : 'acre';
  const [min, max] = label.split('-').map(edge => {
    const number = Number.parseFloat(edge) * (edge.includes('k') ? 1000 : 1);
    return edge.includes('sqft') || (unit === 'sqft' && !edge.includes('acre')) ? number / 43560 : number;
  });
  return [min!, max!];
}

/** `date` minus `months` calendar months, or the last day of the month if that day doesn't exist. */
export function monthsBefore(date: string, months: number): string {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  const index = year * 12 + (month - 1) - months;
  const y = Math.floor(index / 12);
  const m = (index % 12) + 1;
  const leap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0;
  const length = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][m - 1]!;
  const two = (n: number) => String(n).padStart(2, '0');
  return `${y}-${two(m)}-${two(Math.min(day, length))}`;
}

const ascending = (values: number[]) => values.toSorted((a, b) => a - b);
const rounded = (value: Fraction | null) => (value === null ? null : roundDecimal(value));

export function mean(values: number[]): Fraction | null {
  return values.length === 0 ? null : divide(total(values.map(exactly)), exactly(values.length));
}

export function middle(values: number[]): Fraction | null {
  const sorted = ascending(values);
  const half = sorted.length / 2;
  return mean(sorted.slice(Math.ceil(half - 1), Math.floor(half + 1)));
}

/** 100 * (2 * sum(i * x_i) / (n * sum(x_i)) - (n + 1) / n) */
export function giniCoefficient(values: number[]): Fraction | null {
  const n = values.length;
  if (n < 2) return null;
  const ranked = total(ascending(values).map((x, i) => times(exactly(i + 1), exactly(x))));
  const ratio = divide(times(exactly(2), ranked), times(exactly(n), total(values.map(exactly))));
  return times(exactly(100), add(ratio, divide(exactly(-(n + 1)), exactly(n))));
}

const least = (values: number[]) => (values.length === 0 ? null : exactly(Math.min(...values)));
const greatest = (values: number[]) => (values.length === 0 ? null : exactly(Math.max(...values)));

export function plainStats(listings: PlainListing[], asOf: string): PlainBucket[] {
  const counted = listings.filter(
    (one): one is PlainListing & { price: number; acres: number } =>
      one.acres !== null && one.price !== null && one.acres > 0 && one.price > 0,
  );
  return LABELS.flatMap(type => {
    const [min, max] = rangeOf(type);
    const inside = counted.filter(one => min <= one.acres && one.acres < max);
    return inside.length === 0
      ? []
      : [{ type, listings: inside.length, data: bucketData(inside, asOf), more: moreData(inside, asOf) }];
  });
}

/** Omits the price index, which isn't computed from listings. */
function moreData(listings: (PlainListing & { price: number; acres: number })[], asOf: string): Figures {
  const soldIn = (from: number, to: number) =>
    listings.filter(
      ({ status, soldDate }) =>
        status === 'SOLD' &&
        soldDate !== null &&
        soldDate > monthsBefore(asOf, from) &&
        soldDate <= monthsBefore(asOf, to),
    );
  const [year, before] = [soldIn(12, 0), soldIn(24, 12)];
  const active = listings.filter(({ status }) => status === 'ACTIVE').length;
  const shares = year.flatMap(({ price, asked }) => (asked && asked > 0 ? [price / asked] : []));
  const ppa = (list: typeof listings) => double(list.map(one => one.price / one.acres));
  const from5 = (count: number, value: () => Fraction) => (count < 5 ? null : roundDecimal(value()));
  return {
    months_of_supply: from5(year.length, () => divide(exactly(12 * active), exactly(year.length))),
    sale_to_list: from5(shares.length, () => exactly(100 * double(shares))),
    median_ppa_change_12mo: from5(Math.min(year.length, before.length), () =>
      exactly(100 * (ppa(year) / ppa(before) - 1)),
    ),
    sales_prior_12mo: before.length,
    price_index: null,
    price_index_low: null,
    price_index_high: null,
  };
}

/** The median as a double. */
function double(values: number[]): number {
  const sorted = ascending(values);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

function bucketData(listings: (PlainListing & { price: number; acres: number })[], asOf: string): Figures {
  const active = listings.filter(one => one.status === 'ACTIVE');
  const pending = listings.filter(one => one.status === 'PENDING');
  const soldIn = (months: number) =>
    listings.filter(
      one =>
        one.status === 'SOLD' &&
        one.soldDate !== null &&
        one.soldDate > monthsBefore(asOf, months) &&
        one.soldDate <= asOf,
    );
  const prices = (list: typeof listings) => list.map(one => one.price);
  const acres = (list: typeof listings) => list.map(one => one.acres);
  const ppa = (list: typeof listings) => list.map(one => one.price / one.acres);
  const perActive = (count: number) =>
    active.length === 0 ? null : divide(exactly(100 * count), exactly(active.length));
  const year = soldIn(12);

  const data: Record<string, Fraction | null> = {
    Active: exactly(active.length),
    Pending: exactly(pending.length),
    'Pending STR': perActive(pending.length),
    'Median Sold Acreage': middle(acres(year)),
    'Median Sold PPA': middle(ppa(year)),
  };
  for (const [name, listed] of Object.entries({ Active: active, Pending: pending })) {
    data[`Median ${name} Price`] = middle(prices(listed));
    data[`Median ${name} Acreage`] = middle(acres(listed));
    data[`Median ${name} PPA`] = middle(ppa(listed));
    data[`${name} PPA Min`] = least(ppa(listed));
    data[`${name} PPA Max`] = greatest(ppa(listed));
  }
  for (const [name, months] of Object.entries(WINDOWS)) {
    const sold = soldIn(months);
    data[`Sold: ${name}`] = exactly(sold.length);
    data[`${name} STR`] = perActive(sold.length);
    data[`Avg DOM ${name}`] = mean(
      sold.flatMap(one => (one.daysOnMarket === null ? [] : [one.daysOnMarket])),
    );
    data[`Median Price ${name}`] = middle(prices(sold));
    data[`PPA Range ${name} Min`] = least(ppa(sold));
    data[`PPA Range ${name} Max`] = greatest(ppa(sold));
    data[`Gini ${name}`] = giniCoefficient(ppa(sold));
  }
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, rounded(value)]));
}
