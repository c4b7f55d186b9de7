import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type axe from 'axe-core';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import sharp from 'sharp';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { rootDir } from '../../shared/platform/root.ts';
import { startTestApi, type TestApi } from './api.ts';
import { ARGS, CHROMIUM } from './chromium.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { testFolder } from './folder.ts';
import { drawNothing } from './graphics.ts';
import { ingestSample } from './sample.ts';
import type { TestDb } from './test-db.ts';
import { linkOf, newUser, visitor } from './visitor.ts';

export const WIDE = { width: 1_440, height: 900 };
export const NARROW = { width: 390, height: 844 };

/** The minified build, because it is less than half the size. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Whether the run keeps screenshots. */
const isLookedAt = Boolean(process.env.TEST_SHOTS || process.env.README_PICTURES);

/** Shared by all test files of a process, and closed with it. */
let browser: Promise<Browser> | undefined;

type User = Awaited<ReturnType<typeof newUser>>;
type PageOptions = {
  viewport?: typeof WIDE;
  script?: boolean;
  /** Default: the site's user. `null` means a visitor who is not signed in. */
  as?: User | null;
  /** Renders maps. By default they stay blank. */
  draws?: boolean;
};

export type Site = {
  db: TestDatabase;
  api: TestApi;
  /** A user with a Pro subscription. */
  readonly user: User;
  /** Opens a window with its own cookies, which is closed after the test. */
  open(path?: string, options?: PageOptions): Promise<Page>;
};

/**
 * Tests of pages in Chromium, with their own database that contains the sample of Washington, New Hampshire
 * (33019). Windows are closed after each test. The test fails if a page logged a console error or sent a
 * request to another site.
 */
export function describePages(name: string, tests: (site: Site) => void): void {
  const missing = existsSync(CHROMIUM) ? '' : ` (no browser at ${CHROMIUM}; TEST_CHROMIUM names one)`;
  if (missing) test.skip(name + missing);
  else
    describe(`${name}, in a browser`, async () => {
      const db = await createTestDatabase({}, { sample: true });
      const api = await startTestApi(db, { pages: true, env: { PLAT_DIR: testFolder() } });
      const opened: Page[] = [];
      const cookies = new Map<string, string>();
      let user: User;
      beforeAll(async () => {
        user = await newUser(db);
        browser ??= chromium.launch({ executablePath: CHROMIUM, args: ARGS });
        await browser;
      });
      afterEach(async () => {
        const faults = opened.flatMap(page => faultsOf(page));
        for (const page of opened.splice(0)) await page.context().close();
        expect(faults).toEqual([]);
      });

      async function cookieOf(somebody: User): Promise<string> {
        const known = cookies.get(somebody.id);
        if (known !== undefined) return known;
        const client = visitor(api);
        await client.submit(await linkOf(db, somebody.id), {});
        cookies.set(somebody.id, client.cookie!);
        return client.cookie!;
      }

      tests({
        db,
        api,
        get user() {
          return user;
        },
        async open(path, { viewport = WIDE, script = true, as = user, draws = false } = {}) {
          const context = await (await browser!).newContext({
            viewport,
            baseURL: api.url,
            javaScriptEnabled: script,
            colorScheme: 'light',
            // Skips animations, because every frame costs as much as the final one.
            reducedMotion: 'reduce',
            // At half the scale, only a quarter of the pixels are rendered.
            deviceScaleFactor: isLookedAt ? 1 : 0.5,
          });
          if (!isLookedAt && !draws) await context.addInitScript(drawNothing);
          if (as !== null) {
            const [name, value] = (await cookieOf(as)).split('=') as [string, string];
            await context.addCookies([{ name, value, url: api.url, httpOnly: true, sameSite: 'Lax' }]);
          }
          // Ends a test that hangs, like the test runner's own limits.
          context.setDefaultTimeout(300_000);
          const page = await context.newPage();
          listen(page, api.url);
          opened.push(page);
          if (path !== undefined) await visit(page, path);
          return page;
        },
      });
    });
}

const complaints = new WeakMap<Page, string[]>();

/** Returns the page's errors since the last call and clears them. A test that expects errors calls this. */
export function faultsOf(page: Page): string[] {
  return complaints.get(page)!.splice(0);
}

function listen(page: Page, origin: string): void {
  const faults: string[] = [];
  complaints.set(page, faults);
  page.on('pageerror', error => faults.push(error.message));
  page.on('console', message => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('request', request => {
    if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url()))
      faults.push(`asks ${request.url()}`);
  });
}

/** Presses Tab until the element has focus, as a person without a mouse would. */
export async function tabTo(page: Page, wanted: Locator): Promise<void> {
  let element = await wanted.elementHandle();
  for (let presses = 0; presses < 200; presses++) {
    await page.keyboard.press('Tab');
    const { focused, gone } = await element!.evaluate(one => ({
      focused: one === document.activeElement,
      gone: !one.isConnected,
    }));
    if (focused) return;
    // The page has replaced the element.
    if (gone) element = await wanted.elementHandle();
  }
  throw new Error(`The focus never gets to ${wanted}.`);
}

/** Runs in the page. */
export const isFocused = (element: Element): boolean => element === document.activeElement;

/** Finds a form field by its name, which doesn't change when its label is reworded. */
export const field = (where: Page | Locator, name: string): Locator => where.locator(`[name="${name}"]`);

/** Finds a form's button by the value it sends. */
export const button = (where: Page | Locator, value: string): Locator =>
  where.locator(`button[value="${value}"]`);

/** Clicks a button that submits a form, and waits for the next page. */
export async function send(page: Page, pressed: Locator): Promise<void> {
  const answered = page.waitForEvent('domcontentloaded');
  await pressed.first().click();
  await answered;
}

/** Opens a path and waits for its map, if it has one. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await drawn(page);
}

export async function drawn(page: Page): Promise<void> {
  if ((await page.locator('#map').count()) === 0) return;
  await page.waitForSelector('#map[data-idle]', { state: 'attached' });
}

/**
 * Axe skips maps and repeated items. The first five rows of a list are checked, as representatives of the
 * rest.
 */
const LEFT_OUT = [
  '.maplibregl-map',
  ':is(li, tr, option):nth-child(n + 6)',
  '.operation-tag-content > :nth-child(n + 2) .opblock:not(.is-open)',
];

/**
 * Checks the open page in three views: wide, wide and dark, and narrow. Axe must find no moderate or worse
 * violation, and the page must not scroll sideways. If TEST_SHOTS names a folder, saves a screenshot of each
 * view.
 */
export async function inspect(page: Page): Promise<void> {
  // Loaded once for all three views, because loading takes as long as checking most pages.
  await page.evaluate(AXE);
  for (const [name, viewport, colorScheme] of [
    ['1440', WIDE, 'light'],
    ['1440-dark', WIDE, 'dark'],
    ['390', NARROW, 'light'],
  ] as const) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await picture(page, name);
    const { violations } = await page.evaluate<
      axe.AxeResults,
      { exclude: string[]; options: axe.RunOptions }
    >(
      ({ exclude, options }) => (globalThis as unknown as { axe: typeof axe }).axe.run({ exclude }, options),
      {
        exclude: LEFT_OUT,
        options: {
          // To halve the time, this reports only violations, and runs the slowest rule only once. Preloading
          // is off because only disabled rules need it.
          resultTypes: ['violations'],
          rules: { region: { enabled: name === '1440' } },
          preload: false,
          // The dark color scheme changes only colors.
          ...(colorScheme === 'dark' && { runOnly: ['color-contrast'] }),
        },
      },
    );
    const found = violations.filter(({ impact }) => impact !== 'minor');
    expect(found.map(({ id, nodes }) => `${name}: ${id}: ${nodes[0]?.html}`)).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, `${name}: sideways scrolling`).toBeLessThanOrEqual(0);
  }
}

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.TEST_SHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await drawn(page);
  const path = new URL(page.url()).pathname.replaceAll('/', '-').slice(1) || 'index';
  await page.screenshot({ path: join(folder, `${path}-${name}.png`), fullPage: true });
}

/** The parcel in the README's screenshots and sample calls: vacant land on a road, with a valuation. */
export const README_PARCEL = 3301900001247;

/** Loads water and place names for the screenshots. A first start loads them too, but tests don't. */
export const ingestGround = (pool: TestDb): Promise<void> =>
  ingestSample(pool, 'washington-nh-water', 'washington-nh-places');

/** If README_PICTURES=1, saves a screenshot of the window as the README picture with this name. */
export async function readmePicture(page: Page, name: string): Promise<void> {
  await drawn(page);
  const picture = sharp(await page.screenshot())
    .resize(1_200)
    .png({ palette: true, effort: 10 });
  await picture.toFile(join(rootDir, 'docs/pictures', `${name}.png`));
}
