import type { Endpoint } from './http/endpoint.ts';
import { aiCompValue } from './v1/ai-comp-value.ts';
import { createCompReport } from './v1/comp-reports.ts';
import { listComps } from './v1/comps/endpoint.ts';
import { countyCoverage, listCoverage } from './v1/coverage.ts';
import { addListing, changeListing, getListing, listDeals, removeListing } from './v1/deal-flow/endpoints.ts';
import { dealHistory } from './v1/deal-flow/history.ts';
import { filterParcels } from './v1/filter/filter-parcels.ts';
import { listFilters } from './v1/filter/list-filters.ts';
import { countyStats, zipStats } from './v1/market-stats.ts';
import { deleteMarket, listMarkets, saveMarket } from './v1/markets.ts';
import { ownerPortfolio } from './v1/owner-portfolio.ts';
import { getParcelImage } from './v1/parcel-image.ts';
import { getProperty } from './v1/property-detail.ts';
import { searchProperties } from './v1/property-search.ts';
import { searchRegions } from './v1/regions.ts';
import { traceOwner, tracePropertyOwner } from './v1/skip-trace.ts';
import { readUsage, readUsageBreakdown } from './v1/usage.ts';

/** Every endpoint of v1, in the order of the documentation. */
export const endpoints: readonly Endpoint[] = [
  filterParcels,
  searchProperties,
  getProperty,
  getParcelImage,
  ownerPortfolio,
  aiCompValue,
  tracePropertyOwner,
  traceOwner,
  listFilters,
  countyStats,
  zipStats,
  listComps,
  createCompReport,
  searchRegions,
  listMarkets,
  saveMarket,
  deleteMarket,
  listDeals,
  addListing,
  getListing,
  changeListing,
  removeListing,
  dealHistory,
  readUsage,
  readUsageBreakdown,
  listCoverage,
  countyCoverage,
];
