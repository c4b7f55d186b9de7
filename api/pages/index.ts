import { accountPage } from './account.tsx';
import { adminPages } from './admin.tsx';
import { compingPages } from './comping.tsx';
import { consentPage } from './consent.tsx';
import { coveragePages } from './coverage.tsx';
import { dataPages } from './data.tsx';
import { dealPage } from './deal.tsx';
import { dealsPages } from './deals.tsx';
import { eventsPage } from './deals-events.ts';
import { homePage } from './home.tsx';
import { marketPages } from './market.tsx';
import { marketsPages } from './markets.tsx';
import type { Page } from './pages.tsx';
import { signInPages } from './sign-in.tsx';
import { tilePage } from './tiles.ts';
import { drawingPage } from './worth.tsx';

/** Every page of the web app; of those that fit an address the first answers. */
export const pages: readonly Page[] = [
  ...[homePage, ...signInPages, accountPage, consentPage],
  ...[...dataPages, drawingPage, ...marketsPages, ...marketPages, ...coveragePages],
  ...[...compingPages, ...dealsPages, eventsPage, dealPage],
  ...[...adminPages, tilePage],
];
