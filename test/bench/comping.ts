import { existsSync } from 'node:fs';
import pg from 'pg';
import { chromium, type Page } from 'playwright-core';
import { startApi } from '../../api/start-api.ts';
import { loadConfig } from '../../shared/base/config.ts';
import { createLogger } from '../../shared/base/log.ts';
import { prepareCounty } from '../../workers/comping/prepare-reports.ts';
import { ARGS, CHROMIUM } from '../support/chromium.ts';
import { insertParcels } from '../support/parcels.ts';
import { type BenchOptions, type BenchResult, judged, median, withBenchDatabase } from './bench.ts';
import { MARKET_FIPS, seedMarket } from './generate/market.ts';
import { signIn } from './pages-idle.ts';

const MOST_MS = 50;
const SUBJECT = MARKET_FIPS * 1e8 + 1;

/** A report's 500 comps in a browser, filtered and ordered as somebody types: the longest time from one frame to the next. */
export async function bench(options: BenchOptions): Promise<BenchResult[]> {
  if (!existsSync(CHROMIUM)) {
    options.note(`  no browser at ${CHROMIUM} (TEST_CHROMIUM names one): skipped`);
    return [];
  }
  return withBenchDatabase(options, async (url, pool) => {
    await insertParcels(pool, [{ property_id: SUBJECT, location: '(-1010000000,423000000)', acres: 5 }]);
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      const comps = options.quick ? 1_000 : 10_000;
      await seedMarket(client, { parcels: 1_000, comps, seed: 15, firstSerial: 2 });
    } finally {
      await client.end();
    }
    const config = loadConfig({ DATABASE_URL: url, PORT: '0', LOG_LEVEL: 'warn' });
    const api = await startApi(config, createLogger(config, 'bench'));
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
    try {
      const storageState = await signIn(browser, api.url, pool);
      const { rows } = await pool.query<{ id: string }>(
        `insert into comp_reports (account_id, fips, property_id, wanted_at)
         select id, $1, $2, now() from accounts returning id`,
        [MARKET_FIPS, SUBJECT],
      );
      await prepareCounty(pool, MARKET_FIPS, AbortSignal.timeout(60_000));
      const context = await browser.newContext({
        baseURL: api.url,
        storageState,
        viewport: { width: 1_440, height: 900 },
      });
      const page = await context.newPage();
      await page.goto(`/comping/${rows[0]!.id}`);
      await page.waitForSelector('.comping[data-ready]');
      await page.waitForSelector('#map[data-idle]', { state: 'attached' });
      const frames = await filter(page, options.quick ? 1 : 5);
      const result = {
        name: 'comping: filtering 500 comps, the longest frame',
        reference: '',
        value: Math.max(...frames),
        unit: 'ms' as const,
        details: { frames: frames.length, 'ms of the middle one': median(frames).toFixed(1) },
      };
      return [judged(result, { most: MOST_MS })];
    } finally {
      await browser.close();
      await api.stop();
    }
  });
}

const TYPED: readonly [field: string, values: string[]][] = [
  ['acres_min', ['1', '3', '5', '12', '40', '5', '2', '']],
  ['ppa_max', ['50000', '9000', '4000', '1000', '9000', '']],
  ['order', ['-ppa', 'acres', 'distance', 'steps']],
];

/** Types into the filters of the open page from within, so that nothing but the page is measured. @returns ms of every frame */
function filter(page: Page, rounds: number): Promise<number[]> {
  const typed = TYPED.flatMap(([field, values]) => values.map(value => [field, value] as const));
  const all = Array.from({ length: rounds }, () => typed).flat();
  // Without a function that has a name: the transpiler would have it call one of its own.
  return page.evaluate(async typed => {
    const frames: number[] = [];
    for (const [name, value] of typed) {
      const field = document.querySelector<HTMLInputElement>(`#filters [name=${name}]`)!;
      field.value = value;
      field.dispatchEvent(new Event('input', { bubbles: true }));
      let last = await new Promise<number>(resolve => requestAnimationFrame(resolve));
      for (let i = 0; i < 6; i++) {
        const now = await new Promise<number>(resolve => requestAnimationFrame(resolve));
        frames.push(now - last);
        last = now;
      }
    }
    return frames;
  }, all);
}
