import { groupRows } from '../../shared/kernels/stats/group-rows.ts';
import type { MarketListings } from './read-listings.ts';

/** The listings of one region: rows[start] up to, not including, rows[end]. */
export type RegionGroup = { rows: Uint32Array; start: number; end: number };

const NOTHING: RegionGroup = { rows: new Uint32Array(0), start: 0, end: 0 };

export type RegionGroups = {
  of(type: 'county' | 'zip', code: string): RegionGroup;
  /** Codes of that type which have listings, ascending, as integers. */
  codes(type: 'county' | 'zip'): Int32Array;
};

/** Groups listings by county and by ZIP, each sorted once. */
export function groupByRegion(listings: MarketListings): RegionGroups {
  const groups = { county: groupRows(listings.fips), zip: groupRows(listings.zip) };
  const positions = {
    county: new Map(Array.from(groups.county.codes, (code, at) => [code, at])),
    zip: new Map(Array.from(groups.zip.codes, (code, at) => [code, at])),
  };
  return {
    of(type, code) {
      const at = positions[type].get(Number(code));
      if (at === undefined) return NOTHING;
      const { rows, starts } = groups[type];
      return { rows, start: starts[at]!, end: starts[at + 1]! };
    },
    codes: type => groups[type].codes,
  };
}
