import type { RegionStats } from '../../v1/common/request-schemas.ts';
import { readCoverage } from '../../v1/feeds/get-coverage.ts';
import type { Visit } from '../frame/visit.ts';
import { countyOf } from '../parts/county-filter.ts';

/** Why a market has no sales: either its county isn't loaded, or coverage gives the reason. */
export type Gap = { fips: number; isLoaded: boolean; message: string };

/** Undefined if there are sales. */
export async function findGap(visit: Visit, market: RegionStats): Promise<Gap | undefined> {
  const { type, county_name, state, stats } = market;
  if (stats.some(({ data }) => data['Sold: 1yr'])) return undefined;
  // For a ZIP code, only its county's name is known.
  const fips = type === 'county' ? Number(market.fips) : countyOf(`${county_name}, ${state}`, new Set());
  if (typeof fips !== 'number') return undefined;
  const [county] = await readCoverage(visit.deps.db, fips);
  return { fips, isLoaded: county !== undefined, message: county?.no_comps?.message ?? '' };
}
