import type { Endpoint } from './http/endpoint.ts';
import { readUsage, readUsageBreakdown } from './v1/accounts/get-usage.ts';
import { listChanges } from './v1/changes/list-changes.ts';
import { listSearchChanges } from './v1/changes/list-search-changes.ts';
import { createCompReport } from './v1/comping/create-comp-report.ts';
import { traceOwner, tracePropertyOwner } from './v1/contacts/skip-trace.ts';
import {
  addListing,
  changeListing,
  getListing,
  listDeals,
  removeListing,
} from './v1/deals/deal-endpoints.ts';
import { dealHistory } from './v1/deals/deal-history.ts';
import {
  cancelRunningExport,
  createExport,
  deleteExport,
  getExport,
  listExports,
} from './v1/exports/export-endpoints.ts';
import { countyQuality } from './v1/feeds/get-county-quality.ts';
import { countyCoverage, listCoverage } from './v1/feeds/get-coverage.ts';
import { listOverlays } from './v1/feeds/list-overlays.ts';
import { getParcelImage } from './v1/imagery/parcel-image.ts';
import { addListRows } from './v1/lists/add-list-rows.ts';
import { changeRows, removeRows } from './v1/lists/change-list-rows.ts';
import { readRows } from './v1/lists/list-rows.ts';
import { changeList, createList, deleteList, getList, listLists } from './v1/lists/lists.ts';
import { compareMarkets } from './v1/market/compare-markets.ts';
import { searchRegions } from './v1/market/find-regions.ts';
import { countyHistory, zipHistory } from './v1/market/get-market-history.ts';
import { countyStats, zipStats } from './v1/market/get-market-stats.ts';
import { listComps } from './v1/market/list-comps.ts';
import { deleteMarket, listMarkets, saveMarket } from './v1/market/saved-markets.ts';
import { topMarkets } from './v1/market/top-markets.ts';
import { filterParcels } from './v1/parcels/filter/filter-parcels.ts';
import { listFilters } from './v1/parcels/filter/list-filters.ts';
import { quoteFilter } from './v1/parcels/filter/quote-filter.ts';
import { ownerPortfolio } from './v1/parcels/owner-portfolio.ts';
import { getProperty } from './v1/parcels/property-detail.ts';
import { searchProperties } from './v1/parcels/property-search.ts';
import { search } from './v1/search/search.ts';
import {
  changeSearch,
  createSearch,
  deleteSearch,
  getSearch,
  listSearches,
} from './v1/searches/search-endpoints.ts';
import { aiCompValue } from './v1/valuation/ai-comp-value.ts';
import { listDeliveries, replayWebhook, testWebhook } from './v1/webhooks/webhook-deliveries.ts';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
} from './v1/webhooks/webhook-endpoints.ts';

export const endpoints: readonly Endpoint[] = [
  search,
  filterParcels,
  quoteFilter,
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
  countyHistory,
  zipHistory,
  compareMarkets,
  topMarkets,
  listComps,
  listChanges,
  listSearches,
  createSearch,
  getSearch,
  changeSearch,
  deleteSearch,
  listSearchChanges,
  listWebhooks,
  createWebhook,
  getWebhook,
  changeWebhook,
  deleteWebhook,
  rotateSecret,
  testWebhook,
  replayWebhook,
  listDeliveries,
  listLists,
  createList,
  getList,
  changeList,
  deleteList,
  readRows,
  addListRows,
  changeRows,
  removeRows,
  createExport,
  listExports,
  getExport,
  cancelRunningExport,
  deleteExport,
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
  countyQuality,
  listOverlays,
];
