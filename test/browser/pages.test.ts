import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleDir } from '../../workers/feeds/dirs.ts';
import { loadFeed } from '../../workers/feeds/load.ts';
import { recomputeStats } from '../../workers/market/recompute.ts';
import { startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { ingest } from '../support/ingest.ts';
import { linkOf, newUser } from '../support/visitor.ts';

const CHROMIUM = process.env.TEST_CHROMIUM ?? '/usr/bin/chromium';

/** Without these Chromium looks for its makers' servers at every start. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const missing = existsSync(CHROMIUM) ? '' : ` (skipped: no browser at ${CHROMIUM}; TEST_CHROMIUM names one)`;

describe.skipIf(missing !== '')(`the web app in a browser, on the sample${missing}`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plat-browser-'));
  const db = await createTestDatabase({}, { regions: true });
  const api = await startTestApi(db, { pages: true, env: { PLAT_DIR: folder } });
  let browser: Browser;
  let user: Awaited<ReturnType<typeof newUser>>;
  const wide = { width: 1_440, height: 900 };
  const narrow = { width: 390, height: 844 };

  beforeAll(async () => {
    for (const name of ['washington-nh', 'washington-nh-listings', 'washington-nh-roads'])
      await ingest(db.pool, await loadFeed(join(sampleDir, `${name}.yaml`)));
    await recomputeStats(db.pool, { fips: 33_019 }, {});
    user = await newUser(db);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });

  type Options = { viewport?: typeof wide; script?: boolean; dark?: boolean };

  /** Somebody who has signed in by a link; what the pages complain of fails the test. */
  async function signedIn({ viewport = wide, script = true, dark = false }: Options = {}): Promise<Page> {
    const context: BrowserContext = await browser.newContext({
      viewport,
      baseURL: api.url,
      javaScriptEnabled: script,
      colorScheme: dark ? 'dark' : 'light',
    });
    const page = await context.newPage();
    page.on('pageerror', error => faults.push(error.message));
    page.on('console', message => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('request', request => {
      if (!request.url().startsWith(api.url) && !/^(data|blob):/.test(request.url()))
        faults.push(`asks ${request.url()}`);
    });
    await page.goto(await linkOf(db, user.id));
    const button = page.getByRole('main').getByRole('button', { name: 'Sign in' });
    if (await button.count()) await button.click();
    return page;
  }
  const faults: string[] = [];

  async function check(page: Page): Promise<void> {
    const { violations } = await new AxeBuilder({ page }).exclude('.maplibregl-map').analyze();
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    expect(faults.splice(0)).toEqual([]);
  }

  const drawn = (page: Page) => page.waitForSelector('#map[data-idle]', { state: 'attached' });

  test('the map: parcels are filtered as one types, opened by a click on the list, and closed again', async () => {
    const page = await signedIn();
    await page.goto('/data?county=33019');
    await drawn(page);
    expect(await page.getAttribute('#map', 'data-error')).toBeNull();
    const all = await page.locator('#count').textContent();
    expect(all).toMatch(/^2,0\d\d$/);
    await page.getByText('Find parcels').click();
    await page.getByLabel('Acres, at least (acres)').fill('100');
    await page.waitForFunction(before => document.querySelector('#count')?.textContent !== before, all);
    expect(page.url()).toContain('acres_min=100');
    await page.locator('#results a[data-parcel]').first().click();
    await page.getByText('Back to the list').waitFor();
    expect(page.url()).toContain('parcel=33019');
    await check(page);
    await page.getByText('Back to the list').click();
    await page.locator('#results').waitFor();
    await page.context().close();
  });

  test('a click on the map opens the parcel', async () => {
    const page = await signedIn();
    await page.goto('/data?parcel=3301900000010');
    await drawn(page);
    const map = (await page.locator('#map').boundingBox())!;
    await page.goto('/data?county=33019&property_id=3301900000010');
    await page.locator('#results a[data-parcel]').first().click();
    await page.getByText('Back to the list').waitFor();
    await drawn(page);
    await page.mouse.click(map.x + map.width / 2, map.y + map.height / 2);
    await page.getByText('Back to the list').waitFor();
    expect(page.url()).toContain('parcel=');
    await page.context().close();
  });

  test.each([
    ['/', wide],
    ['/data?county=33019&acres_min=20', narrow],
    ['/data?county=33019&parcel=3301900000010', narrow],
    ['/markets', wide],
    ['/markets', narrow],
    ['/markets/33019', wide],
    ['/markets/33019', narrow],
    ['/coverage', wide],
    ['/coverage', narrow],
    ['/account', wide],
    ['/account', narrow],
    ['/nowhere', wide],
  ])(
    '%s: nothing serious for axe, no fault, no request to others, no sideways scrolling',
    async (path, viewport) => {
      for (const dark of [false, true]) {
        const page = await signedIn({ viewport, dark });
        await page.goto(path);
        if (await page.locator('#map').count()) await drawn(page);
        if (path === '/nowhere') faults.length = 0;
        await check(page);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow).toBeLessThanOrEqual(0);
        await page.context().close();
      }
    },
  );

  test('forms work without script: sign in, filter, save a market, make and revoke a key, sign out', async () => {
    const context = await browser.newContext({ baseURL: api.url, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto('/data');
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
    expect(page.url()).toBe(`${api.url}/data`);
    await page.getByLabel('County', { exact: true }).fill('33019');
    await page.getByRole('button', { name: 'Find' }).click();
    expect(await page.locator('#count').textContent()).toMatch(/^2,0\d\d$/);
    await page.goto('/markets/33019');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.goto('/markets');
    await page.getByLabel('Status of Sullivan, NH').fill('Active');
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    expect(await page.locator('.board h3').textContent()).toBe('Active');
    await page.goto('/account');
    await page.getByText('New key').click();
    await page.getByLabel('Name').fill('website');
    await page.getByRole('button', { name: 'Make the key' }).click();
    expect(await page.locator('.secret').textContent()).toMatch(/plat_[\w-]{43}/);
    await page.getByRole('button', { name: 'Revoke' }).click();
    expect(await page.getByText('is revoked').count()).toBe(1);
    await page.getByRole('banner').getByRole('button', { name: 'Sign out' }).click();
    await page.goto('/data');
    expect(page.url()).toContain('/sign-in');
    await context.close();
  });

  test('the first view of the map is at most 600 kB over the wire', async () => {
    const page = await signedIn();
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    const sizes: Promise<number>[] = [];
    page.on('requestfinished', request =>
      sizes.push(request.sizes().then(size => size.responseBodySize + size.responseHeadersSize)),
    );
    await page.goto('/data?county=33019');
    await drawn(page);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    // The document, styles, scripts, the map's worker and its first tiles.
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThanOrEqual(600_000);
    await page.context().close();
  });

  test('the keyboard alone: to the content, through the filters, into a parcel', async () => {
    const page = await signedIn();
    await page.goto('/data?county=33019&acres_min=100');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content');
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(() => document.activeElement?.hasAttribute('data-parcel'))) break;
    }
    await page.keyboard.press('Enter');
    await page.getByText('Back to the list').waitFor();
    await page.context().close();
  });
});
