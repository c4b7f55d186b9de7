import { addToGroup } from '../../shared/kernels/groups.ts';
import { type ListingColumns, NO_DAY } from '../../shared/kernels/stats/region-stats.ts';
import type { PriceIndex } from '../../shared/kernels/valuation/price-index.ts';
import { type CopiedColumns, readCopy } from '../../shared/platform/copy.ts';
import type { Db } from '../../shared/platform/db.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { compose, literal } from '../../shared/platform/statements.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import type { RegionRow } from '../regions/load-regions.ts';

/** Regions to recompute: a county and its ZIPs, one ZIP, all regions, or those that merges have marked. */
export type MarketScope = { fips: number } | { zip: string } | { all: true } | { dirty: true };

/** A region, its stored statistics, and when it was marked. */
export type StoredRegion = RegionRow & {
  etag: string;
  /** 'YYYY-MM-DD'. Null if there is no data yet. */
  as_of: string | null;
  listings: number;
  price_index: PriceIndex | null;
  marked_at: string | null;
};

type DirtyMark = { type: 'county' | 'zip'; code: string; marked_at: string };

export type Snapshot = {
  regions: StoredRegion[];
  listings: MarketListings;
  strayMarks: DirtyMark[];
};

export type Codes = { county: string[]; zip: string[] };

export type RowsOf = Record<keyof Codes, Map<number, number[]>>;

/** Call this in a snapshot, so that marks and listings are consistent. @throws PlatError `not_found` */
export async function readSnapshot(db: Db, scope: MarketScope): Promise<Snapshot> {
  const marks = await db.run<DirtyMark & { known: boolean }>('market/list_dirty_regions');
  const codes = codesOf(scope, marks);
  if (codes !== null && 'fips' in scope) {
    const rows = await db.run<{ zip: string }>('market/list_county_zips', { fips: scope.fips });
    codes.zip.push(...rows.map(row => row.zip));
  }
  const stored = await db.run<Omit<StoredRegion, 'marked_at'>>('market/list_stored_stats', listed(codes));
  if (stored.length === 0 && ('fips' in scope || 'zip' in scope)) {
    const name =
      'fips' in scope ? `county with the FIPS code ${fiveDigits(scope.fips)}` : `ZIP code ${scope.zip}`;
    throw new PlatError('not_found', `There is no ${name}.`);
  }
  const scoped = { scope: ofRegions(codes) };
  const { rows: count, columns } = await readCopy(db, compose('market/copy_listings', scoped), COLUMNS);
  const markOf = new Map(marks.map(mark => [`${mark.type}:${mark.code}`, mark.marked_at]));
  return {
    regions: stored.map(row => ({ ...row, marked_at: markOf.get(`${row.type}:${row.code}`) ?? null })),
    listings: { ...columns, count, price: dollars(columns) },
    strayMarks: 'dirty' in scope || 'all' in scope ? marks.filter(mark => !mark.known) : [],
  };
}

/** Codes of a scope's regions by type, or null for all regions. */
function codesOf(scope: MarketScope, marks: readonly DirtyMark[]): Codes | null {
  if ('all' in scope) return null;
  if ('fips' in scope) return { county: [fiveDigits(scope.fips)], zip: [] };
  if ('zip' in scope) return { county: [], zip: [scope.zip] };
  const codes: Codes = { county: [], zip: [] };
  // Marks are free text. Skip those that aren't region codes, because they can't be compared as numbers.
  for (const { type, code } of marks) if (/^\d{5}$/.test(code)) codes[type]?.push(code);
  return codes;
}

/** A listing's region: county FIPS and ZIP as numbers, or -1 if unknown. */
export const REGION_COLUMNS = {
  fips: { type: 'int4', null: -1 },
  zip: { type: 'digits5', null: -1 },
} as const;

const COLUMNS = {
  ...REGION_COLUMNS,
  status: { type: 'char', null: 0 },
  cents: { type: 'int8', null: Number.NaN },
  acres: { type: 'float8', null: Number.NaN },
  soldDay: { type: 'date', null: NO_DAY },
  daysOnMarket: { type: 'int4', null: NO_DAY },
  asked: { type: 'float8', null: Number.NaN },
  feedDay: { type: 'date', null: NO_DAY },
} as const;

/** Listings by column. Entry i of each array is listing i. */
export type MarketListings = ListingColumns & {
  count: number;
  fips: Int32Array;
  zip: Int32Array;
  /** The snapshot day of the listing's feed, in days since 1970-01-01. NO_DAY for a live feed. */
  feedDay: Int32Array;
};

/**
 * Converts cents to dollars in place. COPY transfers integer cents, because numeric has no fixed width. The
 * quotient is the double nearest to the price.
 */
export function dollars({ cents }: Pick<CopiedColumns<typeof COLUMNS>, 'cents'>): Float64Array {
  for (let i = 0; i < cents.length; i++) cents[i] = cents[i]! / 100;
  return cents;
}

/** The rows of each region in ascending order. Rows without a code don't belong to any region. */
export function rowsOfRegions({ fips, zip }: Pick<MarketListings, 'fips' | 'zip'>): RowsOf {
  const byCode = (codes: Int32Array) => {
    const groups = new Map<number, number[]>();
    for (const [row, code] of codes.entries()) if (code >= 0) addToGroup(groups, code, row);
    return groups;
  };
  return { county: byCode(fips), zip: byCode(zip) };
}

/** Regions as two array parameters, which are null for all regions. */
export const listed = (codes: Codes | null) => ({
  types: codes && [...codes.county.map(() => 'county'), ...codes.zip.map(() => 'zip')],
  codes: codes && [...codes.county, ...codes.zip],
});

/** An SQL condition for listings in these regions. Null means all regions. */
export function ofRegions(codes: Codes | null): string {
  if (codes === null) return 'true';
  const { county, zip } = codes;
  return `fips = any (${literal(county.map(Number))}::int[]) or zip = any (${literal(zip)}::text[])`;
}
