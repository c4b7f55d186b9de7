import type { Endpoint } from '../http/endpoint.ts';
import { countyStats, zipStats } from './market-stats.ts';
import { deleteMarket, listMarkets, saveMarket } from './markets.ts';
import { searchRegions } from './regions.ts';

/** Every endpoint of v1, in the order of the documentation. */
export const endpoints: readonly Endpoint[] = [
  countyStats,
  zipStats,
  searchRegions,
  listMarkets,
  saveMarket,
  deleteMarket,
];
