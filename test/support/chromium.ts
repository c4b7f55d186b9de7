import { existsSync } from 'node:fs';

/**
 * Chromium without a window. The whole one draws the bars of every window that nobody sees: five small pages,
 * each in a window of its own, took 10.2 s of processor time and 3.2 in this one.
 */
const SHELL = '/usr/bin/chromium-headless-shell';

/** Path of the browser for tests of pages. */
export const CHROMIUM = process.env.TEST_CHROMIUM ?? (existsSync(SHELL) ? SHELL : '/usr/bin/chromium');

/** Without these Chromium calls Google's servers at every start. */
export const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The process that waits for the next page takes a seventh of the processor time. The others are
  // Playwright's own list, which this one replaces.
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
