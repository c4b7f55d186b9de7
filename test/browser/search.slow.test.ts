import { expect, test } from 'vitest';
import { describePages, inspect, NARROW } from '../support/browser.ts';

const LOT = 'parcel=3301900000069';

describePages('the search box', site => {
  test('works by keyboard alone: / or Ctrl K, arrows, Escape, Enter', async () => {
    const page = await site.open('/coverage');
    const box = page.locator('search [name=q]');
    await page.keyboard.press('/');
    await expect.poll(() => box.evaluate(field => field === document.activeElement)).toBe(true);
    await page.keyboard.type('washington heights');
    const options = page.locator('#found [role="option"]');
    await options.first().waitFor();
    await expect.poll(() => box.getAttribute('aria-expanded')).toBe('true');
    const active = () => box.getAttribute('aria-activedescendant');
    await expect.poll(() => active()).toBe('found-1');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => active()).toBe('found-2');
    await expect.poll(() => page.locator('[aria-selected="true"]').getAttribute('id')).toBe('found-2');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => active()).toBe(`found-${await options.count()}`);
    await page.keyboard.press('Escape');
    await expect.poll(() => box.getAttribute('aria-expanded')).toBe('false');
    await expect.poll(() => active()).toBeNull();
    // Elsewhere on the page, and back.
    await box.blur();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('322 washington heights road');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/data?${LOT}`);
  });

  test('groups at most ten parcels, places, and owners, with at least three of each, highlights the match, and leads to all of them', async () => {
    const page = await site.open('/markets');
    await page.keyboard.press('/');
    await page.keyboard.type('wash');
    await page.getByRole('group', { name: 'Owners' }).waitFor();
    for (const name of ['Parcels', 'Places', 'Owners']) {
      const count = await page.getByRole('group', { name }).getByRole('option').count();
      expect(count).toBeGreaterThanOrEqual(3);
    }
    await expect.poll(() => page.getByRole('group').getByRole('option').count()).toBe(10);
    await expect.poll(() => page.locator('#found mark').first().textContent()).toMatch(/^wash$/i);
    await inspect(page);
    await page.setViewportSize(NARROW);
    const place = (await page.locator('#found').boundingBox())!;
    expect(place.width).toBeGreaterThan(300);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/search\?q=wash$/);
    const found = (group: string) => page.locator(`section:has(h2:text("${group}")) li`);
    expect(await found('Parcels').count()).toBe(10);
    expect(await found('Owners').count()).toBeGreaterThan(3);
    await page.locator('a[href*="group=parcels"]').click();
    await page.waitForURL(/group=parcels/);
    await expect.poll(() => found('Parcels').count()).toBe(50);
    expect(await found('Owners').count()).toBe(0);
  });

  test('prefers results near the middle of the map on a page with a map', async () => {
    const page = await site.open('/data?county=33019');
    await page.keyboard.press('/');
    const asked = page.waitForRequest(/search\/options/);
    await page.keyboard.type('main');
    const near = new URL((await asked).url()).searchParams.get('near')!.split(',').map(Number);
    expect(near[0]).toBeCloseTo(-72.1, 0);
    expect(near[1]).toBeCloseTo(43.2, 0);
  });

  test("a place keeps the map's filters, even ones that were just set, and an owner becomes a filter", async () => {
    const page = await site.open('/data?county=33013&acres_min=50&page=2');
    await page.keyboard.press('/');
    await page.keyboard.type('washington, nh');
    await page
      .getByRole('option', { name: /^Washington, NH/ })
      .first()
      .click();
    await page.waitForURL(/zips_include=03280/);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      acres_min: '50',
      zips_include: '03280',
    });
    await page.keyboard.press('/');
    await page.keyboard.type('washington land rev');
    await page.getByRole('option', { name: /^Washington Land/ }).click();
    await page.waitForURL(/owner_name=WASHINGTON/);
    await page.locator('#count').waitFor();
    expect(Number(await page.locator('#count').textContent())).toBeGreaterThan(0);
  });

  test('a search without a match leads to a page that says what to search for', async () => {
    const page = await site.open('/coverage');
    await page.keyboard.press('/');
    await page.keyboard.type('no such thing');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/search\?q=no\+such\+thing/);
    await page.locator('main', { hasText: '“no such thing”' }).waitFor();
  });

  test('shows the address of a parcel number in title case', async () => {
    const page = await site.open('/search?q=7-44');
    await expect
      .poll(() => page.locator('.found small').first().innerText())
      .toMatch(/^\w+ Main St, Washington/);
  });

  test('works without script, filters included', async () => {
    const page = await site.open(undefined, { script: false });
    await page.goto('/data?county=33019&acres_min=5');
    await page.locator('search [name=q]').fill('washington nh');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/search\?q=washington/);
    await expect
      .poll(() => page.getByRole('heading', { level: 2 }).allTextContents())
      .toEqual(['Places', 'Parcels']);
    await expect.poll(() => page.locator('.found li').count()).toBeGreaterThan(6);
    await page.locator('.found a[href*="zips_include=03280"]').first().click();
    await page.waitForURL(/zips_include=03280/);
    expect(page.url()).toContain('acres_min=5');
  });
});
