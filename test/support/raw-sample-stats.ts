import type { RawComp } from './raw-sample.ts';

/**
 * Market statistics of a few comps, straight from the definitions: filter, sort, and reckon in fractions of whole
 * numbers, so that nothing is rounded before the end. Written for the sample alone and from the raw files alone; shares
 * nothing with the program.
 */
type Fraction = { over: bigint; under: bigint };
type Data = Record<string, number | null>;

/** Label, least acres, and the acres below which the bucket ends; in the order of the specification. */
const BUCKETS: [label: string, from: Fraction, to: Fraction][] = [
  ['0-9.5k sqft', decimal('0'), sqft('9500')],
  ['0-0.25 acre', decimal('0'), decimal('0.25')],
  ['0.15 acre-1 acre', decimal('0.15'), decimal('1')],
  ['0.2 acre-100 acre', decimal('0.2'), decimal('100')],
  ['9.5k sqft-1 acre', sqft('9500'), decimal('1')],
  ['0.25 acre-1 acre', decimal('0.25'), decimal('1')],
  ['1 acre-2 acre', decimal('1'), decimal('2')],
  ['1 acre-3 acre', decimal('1'), decimal('3')],
  ['2 acre-5 acre', decimal('2'), decimal('5')],
  ['2 acre-100 acre', decimal('2'), decimal('100')],
  ['3 acre-5 acre', decimal('3'), decimal('5')],
  ['5 acre-10 acre', decimal('5'), decimal('10')],
  ['5 acre-100 acre', decimal('5'), decimal('100')],
  ['5 acre-10000 acre', decimal('5'), decimal('10000')],
  ['10 acre-20 acre', decimal('10'), decimal('20')],
  ['20 acre-40 acre', decimal('20'), decimal('40')],
  ['40 acre-60 acre', decimal('40'), decimal('60')],
  ['40 acre-100 acre', decimal('40'), decimal('100')],
  ['40 acre-10000 acre', decimal('40'), decimal('10000')],
  ['60 acre-80 acre', decimal('60'), decimal('80')],
  ['80 acre-500 acre', decimal('80'), decimal('500')],
  ['100 acre-10000 acre', decimal('100'), decimal('10000')],
];

/** As of 2025-09-28, the day of the roll: sold after the first day, up to and including the last. */
const WINDOWS: [name: string, after: string, until: string][] = [
  ['1mo', '2025-08-28', '2025-09-28'],
  ['3mo', '2025-06-28', '2025-09-28'],
  ['6mo', '2025-03-28', '2025-09-28'],
  ['1yr', '2024-09-28', '2025-09-28'],
];

/** What the API's `stats` must be for these comps as of 2025-09-28. */
export function rawStats(comps: RawComp[]): { type: string; data: Data }[] {
  const land = comps
    .map(comp => ({ ...comp, price: decimal(comp.price), acres: decimal(comp.acres) }))
    .filter(comp => comp.price.over > 0n && comp.acres.over > 0n)
    .map(comp => ({ ...comp, ppa: divide(comp.price, comp.acres) }));
  return BUCKETS.flatMap(([type, from, to]) => {
    const inside = land.filter(comp => !isLess(comp.acres, from) && isLess(comp.acres, to));
    return inside.length > 0 ? [{ type, data: bucket(inside) }] : [];
  });
}

type Land = {
  status: string;
  price: Fraction;
  acres: Fraction;
  ppa: Fraction;
  soldOn: string | null;
  daysOnMarket: number | null;
};

function bucket(land: Land[]): Data {
  const active = land.filter(comp => comp.status === 'ACTIVE');
  const pending = land.filter(comp => comp.status === 'PENDING');
  const sold = land.filter(comp => comp.status === 'SOLD');
  const ofActive = (count: number) =>
    active.length === 0 ? null : rounded({ over: BigInt(100 * count), under: BigInt(active.length) });

  const data: Data = {
    Active: active.length,
    Pending: pending.length,
    'Pending STR': ofActive(pending.length),
  };
  for (const [name, after, until] of WINDOWS) {
    const closed = sold.filter(comp => comp.soldOn! > after && comp.soldOn! <= until);
    const days = closed.map(comp => comp.daysOnMarket).filter(day => day !== null);
    const ppa = ascending(closed.map(comp => comp.ppa));
    data[`Sold: ${name}`] = closed.length;
    data[`${name} STR`] = ofActive(closed.length);
    data[`Avg DOM ${name}`] = mean(days.map(day => decimal(String(day))));
    data[`Median Price ${name}`] = median(closed.map(comp => comp.price));
    data[`PPA Range ${name} Min`] = rounded(ppa.at(0));
    data[`PPA Range ${name} Max`] = rounded(ppa.at(-1));
    data[`Gini ${name}`] = gini(ppa);
    if (name !== '1yr') continue;
    data['Median Sold Acreage'] = median(closed.map(comp => comp.acres));
    data['Median Sold PPA'] = median(ppa);
  }
  for (const [name, listed] of [
    ['Active', active],
    ['Pending', pending],
  ] as const) {
    const ppa = ascending(listed.map(comp => comp.ppa));
    data[`Median ${name} Price`] = median(listed.map(comp => comp.price));
    data[`Median ${name} Acreage`] = median(listed.map(comp => comp.acres));
    data[`Median ${name} PPA`] = median(ppa);
    data[`${name} PPA Min`] = rounded(ppa.at(0));
    data[`${name} PPA Max`] = rounded(ppa.at(-1));
  }
  return data;
}

/** The middle value, or the mean of the middle two. */
function median(values: Fraction[]): number | null {
  const sorted = ascending(values);
  const last = sorted.length - 1;
  return last < 0 ? null : mean([sorted[Math.floor(last / 2)]!, sorted[Math.ceil(last / 2)]!]);
}

function mean(values: Fraction[]): number | null {
  return values.length === 0 ? null : rounded(divide(sum(values), decimal(String(values.length))));
}

/** 100 * (2 * sum(i * x_i) / (n * sum(x_i)) - (n + 1) / n), x ascending, i from 1 */
function gini(sorted: Fraction[]): number | null {
  if (sorted.length < 2) return null;
  const n = BigInt(sorted.length);
  const ranked = sum(sorted.map((x, i) => ({ over: BigInt(i + 1) * x.over, under: x.under })));
  const total = sum(sorted);
  const share = divide(
    { over: 2n * ranked.over, under: ranked.under },
    { over: n * total.over, under: total.under },
  );
  const { over, under } = sum([share, { over: -(n + 1n), under: n }]);
  return rounded({ over: 100n * over, under });
}

/** '12.50' is 1250 over 100. */
function decimal(text: string): Fraction {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) throw new Error(`not a plain decimal number: ${text}`);
  const [, whole, part = ''] = match;
  return { over: BigInt(whole + part), under: 10n ** BigInt(part.length) };
}

function sqft(text: string): Fraction {
  return divide(decimal(text), decimal('43560'));
}

function divide(a: Fraction, b: Fraction): Fraction {
  return { over: a.over * b.under, under: a.under * b.over };
}

function sum(values: Fraction[]): Fraction {
  return values.reduce((a, b) => ({ over: a.over * b.under + b.over * a.under, under: a.under * b.under }));
}

function isLess(a: Fraction, b: Fraction): boolean {
  return a.over * b.under < b.over * a.under;
}

function ascending(values: Fraction[]): Fraction[] {
  return values.toSorted((a, b) => (isLess(a, b) ? -1 : isLess(b, a) ? 1 : 0));
}

/** To 2 decimals, half away from zero; nothing here is negative. */
function rounded(value: Fraction | undefined): number | null {
  if (value === undefined) return null;
  return Number((200n * value.over + value.under) / (2n * value.under)) / 100;
}
