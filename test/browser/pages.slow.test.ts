import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { rootDir } from '../../shared/platform/root.ts';
import { startTestApi } from '../support/api.ts';
import {
  button,
  describePages,
  drawn,
  faultsOf,
  field,
  ingestGround,
  inspect,
  isFocused,
  NARROW,
  README_PARCEL,
  readmePicture,
  visit,
  WIDE,
} from '../support/browser.ts';
import { insertParcels, square } from '../support/parcels.ts';
import { ingestSample } from '../support/sample.ts';
import { linkOf } from '../support/visitor.ts';

describePages('the web app', site => {
  test('the map: at most 600 kB over the wire; parcels are filtered while typing, opened by a click on the list, and closed again', async () => {
    const page = await site.open(undefined, { draws: true });
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    const sizes: Promise<number>[] = [];
    page.on('requestfinished', request =>
      sizes.push(request.sizes().then(size => size.responseBodySize + size.responseHeadersSize)),
    );
    await visit(page, '/data?county=33019');
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    // The document, styles, scripts, the map's worker and its first tiles.
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThanOrEqual(600_000);
    await session.detach();
    page.removeAllListeners('requestfinished');
    await expect.poll(() => page.getAttribute('#map', 'data-error')).toBeNull();
    const all = await page.locator('#count').textContent();
    expect(all).toMatch(/^2,0\d\d$/);
    await page.locator('.filters summary').first().click();
    await field(page, 'acres_min').fill('100');
    await page.waitForFunction(before => document.querySelector('#count')?.textContent !== before, all);
    expect(page.url()).toContain('acres_min=100');
    const found = await page.locator('#count').textContent();
    await page.locator('#results a[data-parcel]').nth(1).click();
    const place = (nth: number) =>
      page.locator('.neighbors span', { hasText: new RegExp(`^${nth}\\b.*\\b${found}$`) }).waitFor();
    await place(2);
    expect(page.url()).toContain('parcel=33019');
    await inspect(page);
    // The tabs lead to its parts, and tell which is in sight.
    for (const part of ['value', 'land']) {
      await page.locator(`.tabs a[href$="#${part}"]`).click();
      await page.locator(`.tabs a[href$="#${part}"][aria-current]`).waitFor();
    }
    // On to the next result, and back to its row.
    await page.locator('.neighbors a.only').last().click();
    await place(3);
    await page.locator('#parcel a', { hasText: `‹ ${found}` }).click();
    await page.locator('#results').waitFor();
    await expect.poll(() => page.locator('#results a[data-parcel]').nth(2).evaluate(isFocused)).toBe(true);
    // Back takes back one step of these.
    await page.goBack();
    await place(3);
  });

  test.runIf(process.env.README_PICTURES)(
    'pictures of the map for the README and the home page',
    async () => {
      await ingestGround(site.db.pool);
      const page = await site.open(`/data?county=33019&parcel=${README_PARCEL}`);
      await page.locator('#map').evaluate(element => element.removeAttribute('data-idle'));
      await page.getByRole('button', { name: 'Zoom out' }).click();
      await readmePicture(page, 'map');

      await page.setViewportSize({ width: 1_280, height: 800 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await visit(
          page,
          '/data?county=33019&vacant_only=true&out_of_state_owner=true&acres_min=5&acres_max=20&color=value_per_acre',
        );
        await sharp(await page.screenshot())
          .resize(1_100)
          .webp({ quality: 80 })
          .toFile(join(rootDir, 'api/pages/home', `home-${colorScheme}.webp`));
      }
    },
  );

  test('a click on the map opens the parcel', async () => {
    const page = await site.open('/data?county=33019&property_id=3301900000010');
    const map = (await page.locator('#map').boundingBox())!;
    await page.locator('#results a[data-parcel]').first().click();
    await page.locator('#parcel').waitFor();
    await drawn(page);
    await page.mouse.click(map.x + map.width / 2, map.y + map.height / 2);
    await page.locator('#parcel').waitFor();
    expect(page.url()).toContain('parcel=');
  });

  test('an estimate whose range spans more than a factor of ten is called too uncertain to use', async () => {
    const { rows } = await site.db.pool.query<{ id: string; high: number; low: number }>(
      `select property_id as id, high_price as high, low_price as low from valuations
       where high_price < 9 * low_price order by 1 limit 1`,
    );
    const { id, high, low } = rows[0]!;
    const page = await site.open(`/data?county=33019&parcel=${id}`);
    const told = page.locator('#parcel');
    await told.waitFor();
    await expect.poll(() => told.locator('[data-useless]').count()).toBe(0);
    const setHigh = (price: number) =>
      site.db.pool.query('update valuations set high_price = $1 where fips = 33019 and property_id = $2', [
        price,
        id,
      ]);
    await setHigh(11 * low);
    await page.reload();
    await told.waitFor();
    await expect.poll(() => told.locator('[data-useless]').count()).toBe(1);
    await setHigh(high);
  });

  test('an area is drawn with the mouse, searched, and restored from its URL', async () => {
    const page = await site.open('/data?county=33019');
    const all = await page.locator('#count').textContent();
    const { x, y, width, height } = (await page.locator('#map').boundingBox())!;
    await page.locator('#draw').click();
    for (const [across, down] of [
      [0.4, 0.3],
      [0.7, 0.3],
      [0.7, 0.6],
      [0.4, 0.6],
    ] as const)
      await page.mouse.click(x + across * width, y + down * height);
    await page.getByText(/\b4 corners/).waitFor();
    await page.locator('#draw').click();
    await page.waitForFunction(before => document.querySelector('#count')?.textContent !== before, all);
    const found = await page.locator('#count').textContent();
    expect(Number(found)).toBeGreaterThan(0);
    const address = new URL(page.url());
    expect(address.searchParams.get('geom_intersects')).toMatch(
      /^POLYGON\(\((-7\d\.\d{1,6} 4\d\.\d{1,6}(, )?){5}\)\)$/,
    );
    await page.reload();
    await expect.poll(() => page.locator('#count').textContent()).toBe(found);
  });

  test('an area is drawn by keyboard alone; Escape cancels it', async () => {
    const page = await site.open('/data?county=33019');
    const all = await page.locator('#count').textContent();
    const map = page.locator('#map');
    /** Each key has the map drawn anew: moved, or with another corner. */
    const press = async (key: string) => {
      await map.evaluate(element => element.removeAttribute('data-idle'));
      await page.keyboard.press(key);
      await drawn(page);
    };
    await page.locator('#draw').press('Enter');
    await press('Enter');
    for (const arrow of ['ArrowRight', 'ArrowDown']) {
      await press(arrow);
      await press('Enter');
    }
    await page.getByText(/\b3 corners/).waitFor();
    await page.locator('#draw').press('Enter');
    await page.waitForFunction(before => document.querySelector('#count')?.textContent !== before, all);
    const address = page.url();
    await page.locator('#draw').press('Enter');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Escape');
    await page.locator('#drawing').waitFor({ state: 'hidden' });
    expect(page.url()).toBe(address);
  });

  test.each([
    '/',
    '/data?county=33019&acres_min=20',
    '/lists',
    '/replies',
    '/markets',
    '/markets/33019?with=03280&years=10',
    '/markets/zip/03280',
    '/account/brand',
    '/search?q=washington',
    '/search?q=no%20such%20thing',
    '/coverage',
    '/coverage/33019',
    '/exports',
    '/exports?county=33019&acres_min=20',
    '/nowhere',
  ])('%s: nothing serious for axe, no fault, no request to others, no sideways scrolling', async path => {
    const page = await site.open(path);
    if (path === '/nowhere') expect(faultsOf(page)).toEqual([expect.stringContaining('404')]);
    await inspect(page);
  });

  test('a custom basemap is drawn; its host is the only other one that gets requests', async () => {
    const host = 'https://tiles.example';
    const env = { BASEMAP_URL: `${host}/{z}/{x}/{y}.png`, BASEMAP_ATTRIBUTION: 'Our aerials' };
    const api = await startTestApi(site.db, { pages: true, env });
    const page = await site.open(undefined, { as: null });
    const body = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#884422' } })
      .png()
      .toBuffer();
    const headers = { 'Access-Control-Allow-Origin': '*' };
    await page.route(`${host}/**`, route => route.fulfill({ body, headers, contentType: 'image/png' }));
    await page.goto(api.url + (await linkOf(site.db, site.user.id)));
    await page.goto(`${api.url}/data?county=33019`);
    await drawn(page);
    await page.locator('#credits', { hasText: 'Our aerials' }).waitFor();
    await page.close();
    const others = faultsOf(page).filter(fault => !fault.startsWith(`asks ${api.url}`));
    expect(others.length).toBeGreaterThan(0);
    expect(others.filter(fault => !fault.startsWith(`asks ${host}/`))).toEqual([]);
  });

  test('signing in: axe finds nothing serious on the way', async () => {
    const link = await linkOf(site.db, site.user.id, 'reset');
    for (const path of ['/sign-in', '/sign-in/reset', link])
      await inspect(await site.open(path, { as: null }));
  });

  test('forms work without script: sign in, filter, save a market, create and revoke a key, sign out', async () => {
    const page = await site.open(undefined, { script: false, as: null });
    await page.goto('/data');
    await field(page, 'email').fill(site.user.email);
    await field(page, 'password').fill(site.user.password);
    await button(page, 'password').click();
    expect(page.url()).toBe(`${site.api.url}/data`);
    await field(page, 'county').fill('sullivan');
    await field(page, 'county').press('Enter');
    await expect.poll(() => page.locator('#count').textContent()).toMatch(/^2,0\d\d$/);
    await page.goto('/markets/33019');
    // On a phone and on paper a chart is whole, its axis left of its lines.
    for (const media of ['screen', 'print'] as const) {
      await page.emulateMedia({ media });
      await page.setViewportSize(NARROW);
      const [axis, plot] = await Promise.all(
        ['axis', 'plot'].map(part => page.locator(`.drawn .${part}`).first().boundingBox()),
      );
      expect(axis!.x).toBeGreaterThanOrEqual(0);
      expect(axis!.x + axis!.width).toBeLessThanOrEqual(plot!.x);
      expect(plot!.x + plot!.width).toBeLessThan(NARROW.width);
      expect(await page.locator('#compared').isVisible()).toBe(media === 'screen');
    }
    await page.emulateMedia({ media: null });
    await page.setViewportSize(WIDE);
    await page
      .locator('.pagehead form', { has: field(page, 'status') })
      .locator('button')
      .first()
      .click();
    await page.goto('/markets');
    await page.locator('.savedcards summary').click();
    await page.locator('.savedcards [name=status]').fill('Active');
    await page.locator('.savedcards [name=status]').press('Enter');
    await expect.poll(() => page.locator('.savedcards .badge').textContent()).toBe('Active');
    await page.goto('/account');
    const making = page.locator('#keys details', { has: button(page, 'create key') });
    await making.locator('summary').click();
    await field(making, 'name').fill('website');
    await button(making, 'create key').click();
    await expect.poll(() => page.locator('.secret').textContent()).toMatch(/plat_[\w-]{43}/);
    const ending = page.locator('#keys details', { has: button(page, 'revoke key') });
    await ending.locator('summary').click();
    await button(ending, 'revoke key').click();
    await page.locator('.notice.good', { hasText: 'website' }).waitFor();
    await page.locator('button[popovertarget=menu]').first().click();
    await page.locator('#menu form[action="/sign-out"] button').click();
    await page.goto('/data');
    expect(page.url()).toContain('/sign-in');
  });

  test('the keyboard alone reaches the content, the filters, and a parcel', async () => {
    const page = await site.open('/data?county=33019&acres_min=100');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe('#main');
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(() => document.activeElement?.hasAttribute('data-parcel'))) break;
    }
    await page.keyboard.press('Enter');
    await page.locator('#parcel').waitFor();
  });

  test('ZIP areas are turned on: their outlines and codes show, and no parcel is measured again', async () => {
    const { pool } = site.db;
    await ingestSample(pool, 'washington-nh-zips');
    expect((await pool.query('select from attributes_dirty')).rowCount).toBe(0);
    const page = await site.open('/data?county=33019');
    await page.locator('details.layers summary').click();
    const [tile] = await Promise.all([
      page.waitForResponse(/\/tiles\/zips\/\d+\//),
      page.locator('[data-layer=zips]').check(),
    ]);
    const bytes = (await tile.body()).toString('latin1');
    for (const part of ['zips', 'codes', '03280']) expect(bytes).toContain(part);
    await drawn(page);
    await expect.poll(() => page.getAttribute('#map', 'data-error')).toBeNull();
  });

  test("a parcel's photo is on its page, with its credit, at no charge; without a photo, its land map is", async () => {
    const { pool } = site.db;
    const pictured = 3809300000001;
    await ingestSample(pool, 'washington-nh-relief', 'naip-north-dakota');
    await insertParcels(pool, [{ property_id: pictured, boundary: [square(-99.157, 47.0222, 0.005)[0]!] }]);
    const page = await site.open(`/data?parcel=${pictured}`);
    const picture = page.locator('figure.photo img');
    const size = () =>
      picture.evaluate(async (image: HTMLImageElement) => {
        await image.decode();
        return [image.naturalWidth, image.naturalHeight];
      });
    expect(await size()).toEqual([1024, 768]);
    await page.locator('figure.photo figcaption', { hasText: 'National Agriculture Imagery' }).waitFor();
    // A relief isn't a photo.
    await page.goto(`${site.api.url}/data?parcel=3301900001047`);
    expect(await size()).toEqual([400, 320]);
    expect(
      (await pool.query('select from usage_daily where endpoint = $1', ['public_parcel_image'])).rowCount,
    ).toBe(0);
  });
});
