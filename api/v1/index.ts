import type { Endpoint } from '../http/endpoint.ts';
import { aiCompValue } from './ai-comp-value.ts';
import { listComps } from './comps/endpoint.ts';
import { filterParcels } from './filter/filter-parcels.ts';
import { listFilters } from './filter/list-filters.ts';
import { countyStats, zipStats } from './market-stats.ts';
import { deleteMarket, listMarkets, saveMarket } from './markets.ts';
import { ownerPortfolio } from './owner-portfolio.ts';
import { getProperty } from './property-detail.ts';
import { searchProperties } from './property-search.ts';
import { searchRegions } from './regions.ts';
import { readUsage, readUsageBreakdown } from './usage.ts';

/** Every endpoint of v1, in the order of the documentation. */
export const endpoints: readonly Endpoint[] = [
  filterParcels,
  searchProperties,
  getProperty,
  ownerPortfolio,
  aiCompValue,
  listFilters,
  countyStats,
  zipStats,
  listComps,
  searchRegions,
  listMarkets,
  saveMarket,
  deleteMarket,
  readUsage,
  readUsageBreakdown,
];
