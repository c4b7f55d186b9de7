// Filters the list of comps, in the browser and, for browsers without JavaScript, on the server.

import type { Candidate } from '../../../shared/comping/comp-report.ts';
import type { Result } from '../../../shared/comping/comp-report-result.ts';

export type Shown = Pick<Candidate, (typeof SHOWN_FIELDS)[number]> & { photos: { length: number } };

export const SHOWN_FIELDS = [
  ...(['id', 'status', 'acres', 'price', 'days_on_market', 'age'] as const),
  ...(['distance_m', 'zip', 'fips', 'steps', 'lon', 'lat'] as const),
];

/** The server's response to a change in a report. `html` has the parts of the page to replace. */
export type Update = {
  version: number;
  chosen: string[];
  title: string;
  notes: string;
  /** Current values of fields that another user has changed in the meantime. */
  conflict?: { title?: string; notes?: string } | undefined;
  /** A new link to the report. */
  link?: string | undefined;
  result: Result | null;
  html: string;
};

/** A comp's share of the estimate. */
export const weightText = (weight: number): string => `${(100 * weight).toFixed(1)}% weight`;

export const METERS_PER_MILE = 1_609.344;

/** The filters of `comps/`, plus price per acre. The distance is in miles from the subject. */
export const BOUNDS = [
  ['miles', 'Miles away (maximum)'],
  ['age', 'Sold within (days)'],
  ['acres_min', 'Acres (minimum)'],
  ['acres_max', 'Acres (maximum)'],
  ['ppa_min', 'Price per acre (minimum)'],
  ['ppa_max', 'Price per acre (maximum)'],
  ['dom_min', 'Days on market (minimum)'],
  ['dom_max', 'Days on market (maximum)'],
  ['min_photos', 'Photos (minimum)'],
] as const;
export type Bound = (typeof BOUNDS)[number][0];

export const STATUSES = ['SOLD', 'PENDING', 'ACTIVE'] as const;

/** Sort orders for the list. */
export const ORDERS = [
  ['steps', 'Most similar'],
  ['distance', 'Nearest'],
  ['acres', 'Smallest'],
  ['-acres', 'Largest'],
  ['ppa', 'Lowest $/acre'],
  ['-ppa', 'Highest $/acre'],
  ['price', 'Lowest price'],
  ['-price', 'Highest price'],
  ['age', 'Latest sale'],
  ['dom', 'Fewest days on market'],
  ['-dom', 'Most days on market'],
] as const;

export type Filters = {
  bounds: Partial<Record<Bound, number>>;
  statuses: string[];
  zip: string;
  fips: string;
  /** One ring of longitude and latitude. */
  area: [number, number][] | null;
  order: string;
};

export function readFilters(params: URLSearchParams): Filters {
  const bounds: Filters['bounds'] = {};
  for (const [name] of BOUNDS) {
    const value = Number.parseFloat((params.get(name) ?? '').replaceAll(',', ''));
    if (Number.isFinite(value)) bounds[name] = value;
  }
  return {
    bounds,
    // Without the parameter, show all comps. With all boxes unchecked, the form sends an empty value, so show
    // none.
    statuses: params.has('status') ? params.getAll('status') : [...STATUSES],
    zip: (params.get('zip') ?? '').trim(),
    fips: (params.get('fips') ?? '').trim(),
    area: ringOf(params.get('polygon') ?? ''),
    order: params.get('order') ?? 'steps',
  };
}

/** The outer ring of a GeoJSON polygon. */
function ringOf(text: string): [number, number][] | null {
  try {
    const ring: unknown = JSON.parse(text).coordinates[0];
    const isRing = Array.isArray(ring) && ring.length > 3 && ring.length < 1_000;
    return isRing && ring.flat().every(Number.isFinite) ? (ring as [number, number][]) : null;
  } catch {
    return null;
  }
}

const ppaOf = ({ price, acres }: Shown): number => price / acres;

export function isShown(comp: Shown, { bounds, statuses, zip, fips, area }: Filters): boolean {
  if (!statuses.includes(comp.status)) return false;
  if (zip !== '' && comp.zip !== zip) return false;
  if (fips !== '' && comp.fips !== fips.padStart(5, '0')) return false;
  const { miles, age, acres_min, acres_max, ppa_min, ppa_max, dom_min, dom_max, min_photos } = bounds;
  return (
    atMost(comp.distance_m / METERS_PER_MILE, miles) &&
    atMost(comp.age, age) &&
    atLeast(comp.acres, acres_min) &&
    atMost(comp.acres, acres_max) &&
    atLeast(ppaOf(comp), ppa_min) &&
    atMost(ppaOf(comp), ppa_max) &&
    atLeast(comp.days_on_market, dom_min) &&
    atMost(comp.days_on_market, dom_max) &&
    atLeast(comp.photos.length, min_photos) &&
    (area === null || isWithin(comp, area))
  );
}

/** Unknown values don't match any bound. */
const atLeast = (value: number | null, bound: number | undefined) =>
  bound === undefined || (value !== null && value >= bound);
const atMost = (value: number | null, bound: number | undefined) =>
  bound === undefined || (value !== null && value <= bound);

/**
 * Counts how often a line to the east crosses the edge. Points exactly on the edge of a hand-drawn area don't
 * matter.
 */
function isWithin({ lon, lat }: Shown, ring: readonly [number, number][]): boolean {
  let inside = false;
  for (let i = 1; i < ring.length; i++) {
    const [[x1, y1], [x2, y2]] = [ring[i - 1]!, ring[i]!];
    if (y1 > lat !== y2 > lat && lon < x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside;
  }
  return inside;
}

const VALUES: Record<string, (comp: Shown) => number | null> = {
  steps: comp => comp.steps,
  distance: comp => comp.distance_m,
  acres: comp => comp.acres,
  ppa: ppaOf,
  price: comp => comp.price,
  age: comp => comp.age,
  dom: comp => comp.days_on_market,
};

/** Unknown values come last. */
export function inOrder<T extends Shown>(comps: readonly T[], order: string): T[] {
  const name = order.replace('-', '');
  const value = VALUES[Object.hasOwn(VALUES, name) ? name : 'steps']!;
  const sign = order.startsWith('-') ? -1 : 1;
  const key = (comp: Shown) => {
    const one = value(comp);
    return one === null ? Number.POSITIVE_INFINITY : sign * one;
  };
  return comps
    .map(comp => ({ comp, at: key(comp) }))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.comp.steps - b.comp.steps))
    .map(({ comp }) => comp);
}
