import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { startApi } from '../../api/start-api.ts';
import { createAccount } from '../../shared/accounts/accounts.ts';
import { createLink } from '../../shared/accounts/sign-in.ts';
import { findUser } from '../../shared/accounts/users.ts';
import { loadConfig } from '../../shared/platform/config.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { loadRegions } from '../../workers/regions/load-regions.ts';
import { ARGS, CHROMIUM } from '../support/chromium.ts';
import { ingestSample, loadSample } from '../support/sample.ts';
import type { TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, median, timed, withBenchDatabase } from './bench.ts';

const PAGE = '/data?county=33019';
/** Bangor has data for every layer on the map. */
const ALL_LAYERS_PAGE = '/data?county=23019&acres_min=1&color=acres';
const BANGOR = ['', '-roads', '-wetlands', '-flood', '-water', '-places', '-elevation'];
const EMAIL = 'bench@plat.example';

/**
 * Measures the time from opening a page until its map is drawn: with the sample, and with all layers, the
 * relief, and colored hits. Compares it with the same pages when all map data comes back empty. Every round
 * opens a new window with an empty cache. Requests on both sides are intercepted in the same way.
 */
export async function compareIdle(options: BenchOptions): Promise<BenchResult[]> {
  if (!existsSync(CHROMIUM)) {
    options.note(`  no browser at ${CHROMIUM} (TEST_CHROMIUM names one): the time to idle is skipped`);
    return [];
  }
  return withBenchDatabase(options, async (url, pool) => {
    options.note('  ingesting the sample');
    await loadRegions(pool);
    await loadSample(pool);
    const config = loadConfig({ DATABASE_URL: url, PORT: '0', LOG_LEVEL: 'warn' });
    const api = await startApi(config, createLogger(config, 'bench'));
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
    try {
      const storageState = await signIn(browser, api.url, pool);
      const compare = async (address: string, allLayers: boolean) => {
        const idle = async (isEmpty: boolean): Promise<number> => {
          const context = await browser.newContext({ baseURL: api.url, storageState });
          if (allLayers) await context.addInitScript(switchOnAll);
          const ms = await timeToIdle(context, address, isEmpty);
          await context.close();
          return ms;
        };
        const full: number[] = [];
        const bare: number[] = [];
        for (let round = 0; round <= (options.quick ? 1 : 9); round++) {
          const [one, other] = [await idle(false), await idle(true)];
          // The first round warms up the service and the browser.
          if (round === 0) continue;
          full.push(one);
          bare.push(other);
        }
        return {
          reference: 'the same page with an empty map',
          value: median(full) / median(bare),
          unit: 'x' as const,
          details: { ms: median(full).toFixed(0), 'ms of the empty map': median(bare).toFixed(0) },
        };
      };
      const plain = await compare(PAGE, false);
      options.note('  ingesting the layers of Bangor');
      await ingestSample(pool, ...BANGOR.map(layer => `bangor-me${layer}`));
      const all = await compare(ALL_LAYERS_PAGE, true);
      return [
        judged({ name: 'pages: the map with the sample, to idle', ...plain }, { most: 1.5 }),
        judged({ name: 'pages: the map with all layers and colors, to idle', ...all }, { most: 2 }),
      ];
    } finally {
      await browser.close();
      await api.stop();
    }
  });
}

/** The cookies of a new user who has signed in. */
async function signIn(browser: Browser, baseURL: string, pool: TestDb) {
  await createAccount(pool, { name: 'bench', tier: 'scale', user: EMAIL });
  const link = await createLink(pool, (await findUser(pool, EMAIL)).id, 'sign_in');
  const context = await browser.newContext({ baseURL });
  await context.request.post(link, { headers: { Origin: baseURL }, form: {} });
  return context.storageState();
}

/** Runs in the page, before the map's module reads which layers are on. */
function switchOnAll(): void {
  document.addEventListener('readystatechange', () => {
    for (const input of document.querySelectorAll<HTMLInputElement>('[data-layer], [value=relief]'))
      input.checked = true;
  });
}

async function timeToIdle(context: BrowserContext, address: string, isEmpty: boolean): Promise<number> {
  const page = await context.newPage();
  await page.route(/\/tiles\//, route => (isEmpty ? route.fulfill({ body: '' }) : route.continue()));
  return timed(async () => {
    await page.goto(address);
    await page.waitForSelector('#map[data-idle]', { state: 'attached' });
  });
}
