import { existsSync } from 'node:fs';

/**
 * Chromium's headless shell. The full browser also draws window frames that nobody sees: five small pages in
 * separate windows took 10.2 s of processor time, compared with 3.2 s with the shell.
 */
const SHELL = '/usr/bin/chromium-headless-shell';

/** Path to the browser for page tests. */
export const CHROMIUM = process.env.TEST_CHROMIUM ?? (existsSync(SHELL) ? SHELL : '/usr/bin/chromium');

/** Without these, Chromium contacts Google's servers at every start. */
export const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A spare renderer for the next page would take a seventh of the processor time. The other features are
  // Playwright's defaults, which this flag would otherwise replace.
  `--disable-features=${[
    'SpareRendererForSitePerProcess',
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'DestroyProfileOnBrowserClose',
    'HttpsUpgrades',
    'HttpsFirstBalancedModeAutoEnable',
    'LensOverlay',
    'MediaRouter',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
    'AvoidCorsURLLoaderRestartOnRedirect',
    'OptimizationHints',
    'NetworkTimeServiceQuerying',
    'AimEnabled',
    'PreconnectToSearch',
  ]}`,
];
