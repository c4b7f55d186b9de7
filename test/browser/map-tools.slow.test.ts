import type { Locator } from 'playwright-core';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import {
  describePages,
  drawn,
  faultsOf,
  inspect,
  isFocused,
  NARROW,
  visit,
  WIDE,
} from '../support/browser.ts';

describePages('the tools of the map', site => {
  test('measuring, a radius by mouse and by keyboard, coordinates, a link to the view, a picture, the parcels in view', async () => {
    const page = await site.open('/data?county=33019', { draws: true });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const box = (await page.locator('#map').boundingBox())!;
    const spot = (across: number, down: number) =>
      [box.x + across * box.width, box.y + down * box.height] as const;
    const tools = page.locator('#tools > summary');
    const radius = page.locator('#tools button[value=radius]');
    const tool = async (value: string) => {
      await tools.click();
      await page.locator(`#tools button[value=${value}]`).click();
    };
    const said = page.locator('#drawing output');
    const count = page.locator('#count');
    const counts = async (before: string | null) => {
      await page.waitForFunction(text => {
        const now = document.querySelector('#count')?.textContent;
        return now !== undefined && now !== text;
      }, before);
      return Number(await count.textContent());
    };
    const all = await count.textContent();

    // The menu closes like others.
    await tools.press('Enter');
    await radius.press('Escape');
    await page.locator('#tools:not([open])').waitFor();
    await tool('measure');
    await page.mouse.click(...spot(0.4, 0.4));
    await page.mouse.click(...spot(0.6, 0.4));
    await expect.poll(() => said.textContent()).toMatch(/^[\d.]+ mi$/);
    await page.mouse.click(...spot(0.6, 0.6));
    await expect.poll(() => said.textContent()).toMatch(/^[\d.]+ mi · .*: [\d,]+ acres$/);
    await page.locator('#drawing [value=back]').click();
    await expect.poll(() => said.textContent()).toMatch(/^[\d.]+ mi$/);
    await inspect(page);
    await page.setViewportSize(WIDE);
    await page.locator('#drawing [value=cancel]').click();
    await expect.poll(() => count.textContent()).toBe(all);

    await tool('radius');
    await page.mouse.click(...spot(0.5, 0.55));
    await page.mouse.move(...spot(0.55, 0.55));
    await expect.poll(() => said.textContent()).toMatch(/^[\d.,]+ (ft|mi)\b/);
    await page.mouse.click(...spot(0.55, 0.55));
    const near = await counts(all);
    expect(near).toBeGreaterThan(0);
    const ring = new URL(page.url()).searchParams.get('geom_intersects')!;
    expect(ring.split(',').length).toBe(65);

    // By keyboard: the middle of the map, and as far as the map is moved.
    await drawn(page);
    await tools.press('Enter');
    await radius.press('Enter');
    await page.keyboard.press('Enter');
    await page.locator('#map').evaluate(element => element.removeAttribute('data-idle'));
    await page.keyboard.press('ArrowRight');
    await drawn(page);
    await page.keyboard.press('Enter');
    await page.waitForFunction(
      before => new URLSearchParams(location.search).get('geom_intersects') !== before,
      ring,
    );

    await drawn(page);
    await tool('spot');
    const copy = page.locator('#spot [data-copy]');
    await expect.poll(() => copy.evaluate(isFocused)).toBe(true);
    await copy.press('Enter');
    const [lat, lon] = (await page.evaluate(() => navigator.clipboard.readText())).split(', ').map(Number);
    expect(lat).toBeCloseTo(43.2, 0);
    expect(lon).toBeCloseTo(-72.1, 0);
    await expect
      .poll(() => page.locator('#spot a[href*="google"]').getAttribute('href'))
      .toBe(`https://www.google.com/maps/search/?api=1&query=${lat!.toFixed(5)},${lon!.toFixed(5)}`);
    await inspect(page);
    await page.setViewportSize(WIDE);
    await page.keyboard.press('Escape');
    await page.locator('#spot').waitFor({ state: 'hidden' });

    const saved = page.waitForEvent('download');
    await tool('picture');
    const picture = sharp(await (await saved).path());
    const { width } = await picture.metadata();
    const { channels } = await picture.stats();
    expect(width).toBeGreaterThan(200);
    // It shows something.
    expect(channels[0]!.stdev).toBeGreaterThan(5);

    await visit(page, '/data?county=33019&acres_min=20');
    const some = await count.textContent();
    const scale = page.locator('.maplibregl-ctrl-scale');
    const here = page.locator('#search-here');
    await expect.poll(() => here.isVisible()).toBe(false);
    await page.mouse.move(...spot(0.5, 0.5));
    for (let i = 0; i < 4; i++) await page.mouse.wheel(0, -400);
    await here.waitFor();
    await drawn(page);
    const [view, middle] = [await scale.innerText(), await page.getAttribute('#map', 'data-middle')];
    await here.click();
    await expect.poll(() => counts(some)).toBeLessThan(Number(some));
    await drawn(page);
    await expect.poll(() => scale.innerText()).toBe(view);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      acres_min: '20',
      geom_intersects: expect.stringMatching(/^POLYGON/),
    });

    await page.locator('#share-view').click();
    await page.locator('dialog [data-copies]').waitFor();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('map=');
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(await page.locator('dialog .secret pre').textContent()).toBe(link);
    const other = await site.open(undefined, { viewport: NARROW });
    await visit(other, link);
    await expect.poll(() => other.getAttribute('#map', 'data-middle')).toBe(middle);
    expect(new URL(other.url()).searchParams.has('map')).toBe(false);

    // On that telephone, with a finger.
    const fingers = await other.context().newCDPSession(other);
    const tap = async (x: number, y: number) => {
      await fingers.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
      await fingers.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    const tapOn = async (button: Locator) => {
      const { x, y, width, height } = (await button.boundingBox())!;
      await tap(x + width / 2, y + height / 2);
    };
    const hits = other.locator('#count');
    const [before, address] = [await hits.textContent(), other.url()];
    const corners = other.locator('#drawing output');
    await tapOn(other.locator('#draw'));
    await corners.waitFor();
    const map = (await other.locator('#map').boundingBox())!;
    for (const [i, [across, down]] of [
      [0.3, 0.4],
      [0.6, 0.4],
      [0.6, 0.6],
    ].entries()) {
      await tap(map.x + across! * map.width, map.y + down! * map.height);
      await expect.poll(() => corners.textContent()).toMatch(new RegExp(`\\b${i + 1} corner`));
    }
    await tapOn(other.locator('#draw'));
    await expect.poll(() => other.url()).not.toBe(address);
    await expect.poll(() => hits.textContent()).not.toBe(before);
  });

  test("the page says what the map can't do, and logs it to the console", async () => {
    const page = await site.open();
    const fault = page.locator('#map-fault');
    await page.addInitScript(() => {
      document.addEventListener('readystatechange', () =>
        document.getElementById('legend')?.setAttribute('data-colors', '{'),
      );
    });
    await visit(page, '/data?county=33019&acres_min=20&color=acres');
    await fault.waitFor();
    expect(faultsOf(page).join()).toContain('JSON');

    const other = await site.open('/data?county=33019');
    await expect.poll(() => other.locator('#map-fault').isVisible()).toBe(false);
    await other.route('**/tiles/**', route => route.fulfill({ status: 503 }));
    await other.locator('.maplibregl-ctrl-zoom-in').click();
    await other.locator('#map-fault').waitFor();
    // The browser's own lines on what was not served.
    expect(faultsOf(other).filter(line => !line.includes('503'))).toEqual([]);

    await page.addInitScript(() => {
      HTMLCanvasElement.prototype.getContext = () => null;
    });
    await page.goto('/data?county=33019&order=property_id');
    await fault.waitFor();
    expect(faultsOf(page).join()).toContain('WebGL');
    // The first one has no boundary either.
    await page.locator('#results a[data-parcel]').first().click();
    await page.locator('#parcel', { hasText: 'boundary' }).waitFor();
    await inspect(page);
  });
});
