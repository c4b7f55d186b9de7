import { accountPage } from './account.tsx';
import { adminPages } from './admin.tsx';
import { compsPage, csvPage, reportPage, sharedPage } from './comping.tsx';
import { reportsPage } from './comping-own.tsx';
import { consentPage } from './consent.tsx';
import { coveragePage, coverageValuesPage } from './coverage.tsx';
import { dataPage, hitsPage } from './data.tsx';
import { dealPage } from './deal.tsx';
import { boardPage, exportPage } from './deals.tsx';
import { eventsPage } from './deals-events.ts';
import { homePage } from './home.tsx';
import { marketPage, zipMarketPage } from './market.tsx';
import { marketsPage, marketValuesPage } from './markets.tsx';
import type { Page } from './pages.tsx';
import { signInPages } from './sign-in.tsx';
import { tilePage } from './tiles.ts';
import { drawingPage } from './worth.tsx';

/** Every page of the web app. */
export const pages: readonly Page[] = [
  homePage,
  ...signInPages,
  accountPage,
  consentPage,
  dataPage,
  hitsPage,
  drawingPage,
  marketsPage,
  marketValuesPage,
  zipMarketPage,
  marketPage,
  reportsPage,
  sharedPage,
  compsPage,
  csvPage,
  reportPage,
  boardPage,
  exportPage,
  eventsPage,
  dealPage,
  coveragePage,
  coverageValuesPage,
  ...adminPages,
  tilePage,
];
