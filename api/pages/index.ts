import { accountPage } from './accounts/account-page.tsx';
import { brandPage } from './accounts/brand-page.tsx';
import { consentPage } from './accounts/consent-page.tsx';
import { signInPages } from './accounts/sign-in-page.tsx';
import { webhookPage } from './accounts/webhook-page.tsx';
import { adminPages } from './admin/admin-page.tsx';
import { compingPages } from './comping/comping-page.tsx';
import { addDealPage } from './deals/add-deal-page.tsx';
import { dealPage } from './deals/deal-page.tsx';
import { eventsPage } from './deals/deals-events.ts';
import { dealsPages } from './deals/deals-page.tsx';
import { docsPages } from './docs/docs-page.tsx';
import { exportEventsPage } from './exports/exports-events.ts';
import { exportsPage } from './exports/exports-page.tsx';
import { countyRecordPage } from './feeds/county-record-page.tsx';
import { coveragePages } from './feeds/coverage-page.tsx';
import type { Page } from './frame/pages.tsx';
import { themePage } from './frame/theme-page.ts';
import { homePage } from './home/home-page.tsx';
import { addToListPages } from './lists/add-to-list.tsx';
import { callSheetPage } from './lists/call-sheet-page.tsx';
import { letterPage } from './lists/letter-page.tsx';
import { listPages } from './lists/list-page.tsx';
import { listsPages } from './lists/lists-page.tsx';
import { repliesPage } from './lists/replies-page.tsx';
import { creditsPage } from './map/credits-page.ts';
import { drawingPage } from './map/drawing-page.ts';
import { dataPages } from './map/map-page.tsx';
import { tilePage } from './map/map-tiles.ts';
import { marketPages } from './market/market-page.tsx';
import { marketsPages } from './market/markets-page.tsx';
import { searchPages } from './search/search-page.tsx';
import { savedSearchPages } from './searches/searches-page.tsx';

/** Every page of the web app. If several match a URL, the first one handles it. */
export const pages: readonly Page[] = [
  homePage,
  themePage,
  ...signInPages,
  accountPage,
  brandPage,
  webhookPage,
  consentPage,
  ...dataPages,
  creditsPage,
  drawingPage,
  ...searchPages,
  ...savedSearchPages,
  ...listsPages,
  ...addToListPages,
  repliesPage,
  callSheetPage,
  letterPage,
  ...listPages,
  ...marketsPages,
  ...marketPages,
  ...coveragePages,
  countyRecordPage,
  exportEventsPage,
  exportsPage,
  ...compingPages,
  ...dealsPages,
  eventsPage,
  addDealPage,
  dealPage,
  ...adminPages,
  ...docsPages,
  tilePage,
];
