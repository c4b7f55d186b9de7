import { expect, test } from 'vitest';
import { usageOf } from '../support/api.ts';
import { describePages, field, inspect, isFocused, tabTo } from '../support/browser.ts';

describePages('from a county name to a phone number', site => {
  test('filtering a county, sorting, opening a parcel, and buying its numbers once work by keyboard alone', async () => {
    // Every number of the sample's people, which are 555-01xx, is on the registry.
    await site.db.pool.query(`with listed as (
        insert into dnc_areas (area_code, edition, numbers, feed_id, changed_run)
        select code, '2026-11-01', 10000, (select min(id) from feeds), 1 from generate_series(200, 999) code
        returning area_code
      )
      insert into dnc_numbers (prefix, bits)
      select area_code * 1000 + 555, decode(repeat('ff', 1250), 'hex') from listed`);
    const page = await site.open('/markets');
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const count = page.locator('#count');
    await press('/');
    await page.keyboard.type('sullivan county');
    await page.getByRole('option', { name: /^Sullivan, NH County/ }).waitFor();
    await press('Enter');
    await page.waitForURL(/\/data\?county=33019/);
    const all = await count.textContent();
    await tabTo(page, page.locator('.filters > summary'));
    await press('Enter');
    for (const name of ['vacant_only', 'out_of_state_owner']) {
      await tabTo(page, field(page.locator('#switches'), name));
      await press('Space');
    }
    // What the county lacks is dotted before it is asked for, and said.
    await page.getByText(/wetlands, flood zone, slope, or tax delinquency data/).waitFor();
    await expect.poll(() => page.locator('.range.unknown legend').allTextContents()).toContain('Structures');
    await tabTo(page, field(page, 'acres_min'));
    await page.keyboard.type('5');
    await press('Tab');
    await page.keyboard.type('20');
    await page.locator('.chip', { hasText: '5 – 20 acres' }).waitFor();
    const found = Number(await count.textContent());
    expect(found).toBeGreaterThan(25);
    expect(found).toBeLessThan(Number(all!.replace(',', '')));
    // A thumb of the histogram writes into its field, which leads.
    await page.locator('.spread[data-of="value"]').waitFor();
    const most = field(page, 'value_max');
    await tabTo(page, page.locator('[data-bound=value_max]'));
    const steps = 14;
    await press(...Array.from({ length: steps }, () => 'ArrowLeft'));
    await page.waitForFunction(
      before => Number(document.querySelector('#count')?.textContent) < before,
      found,
    );
    expect(Number(await most.inputValue())).toBeGreaterThan(0);
    await expect.poll(() => page.locator('.spread[data-of="acres"] .in').count()).toBeGreaterThan(2);
    await inspect(page);
    await press(...Array.from({ length: steps }, () => 'ArrowRight'));
    await page.waitForFunction(
      before => Number(document.querySelector('#count')?.textContent) === before,
      found,
    );
    await expect.poll(() => most.inputValue()).toBe('');
    await tabTo(page, page.locator('.filters .foot button', { hasText: ` ${found} ` }));
    await press('Enter');
    await page.locator('.filters:not([open])').waitFor({ state: 'attached' });

    await tabTo(page, page.locator('.seg a[href*="view=table"]'));
    await press('Enter');
    await tabTo(page, page.locator('#sort-value_per_acre'));
    await press('Enter');
    await page.locator('th[aria-sort="descending"]').waitFor();
    const links = page.locator('#results a[data-parcel]');
    await tabTo(page, links.first());
    await press('ArrowDown', 'Enter');
    await page.locator('#parcel h1:focus').waitFor();
    const place = (nth: number) =>
      page.locator('.neighbors span', { hasText: new RegExp(`^${nth}\\b.*\\b${found}$`) }).waitFor();
    await place(2);
    await page.locator('.tabs a[href="#overview"][aria-current]').waitFor();

    const tokens = async () => Number((await page.locator('.tokens').textContent())!.replace(/\D/g, ''));
    const before = await tokens();
    const phones = page.locator('.phones');
    // Where none is known one goes on: it costs nothing.
    for (let at = 2; at < 12; at++) {
      await tabTo(page, page.locator('button[value=phones]', { hasText: '20 tokens' }));
      await Promise.all([page.waitForEvent('domcontentloaded'), press('Enter')]);
      if ((await phones.count()) > 0) break;
      await expect.poll(() => tokens()).toBe(before);
      await tabTo(page, page.locator('.neighbors a.only').last());
      await press('Enter');
      await place(at + 1);
    }
    await phones.locator('.badge.bad').first().waitFor();
    await expect.poll(() => tokens()).toBe(before - 20);
    await inspect(page);
    // What was paid for is shown again, free.
    await page.reload();
    await phones.waitFor();
    await expect.poll(() => page.locator('button[value=phones]').count()).toBe(0);
    await expect
      .poll(() => usageOf(site.db, site.user.accountId))
      .toEqual({ tokens: 20, calls: 1, daily: 20 });
    await press('Escape');
    await page.locator('#results').waitFor();
    await expect.poll(() => count.textContent()).toBe(String(found));
  });

  test("a histogram's thumb keeps the focus when the bars of the previous search arrive late", async () => {
    const page = await site.open('/data?county=33019');
    await page.locator('.filters > summary').click();
    await page.locator('.spread[data-of="value"]').waitFor();
    let answer = () => {};
    const isAllowed = new Promise<void>(allow => {
      answer = allow;
    });
    await page.route('**/data/spreads?*', async route => {
      await isAllowed;
      await route.continue();
    });
    const asked = page.waitForRequest('**/data/spreads?*');
    await field(page, 'vacant_only').check();
    await asked;
    const thumb = page.locator('[data-bound=value_max]');
    const old = await thumb.elementHandle();
    await thumb.focus();
    answer();
    await expect.poll(() => old!.evaluate(one => one.isConnected)).toBe(false);
    await expect.poll(() => thumb.evaluate(isFocused)).toBe(true);
  });

  test('a place without parcels says so, and links to places that have some', async () => {
    const page = await site.open('/data?zips_include=03257');
    await page.locator('.notice.warn', { hasText: 'Merrimack, NH' }).waitFor();
    await page.goto(`${site.api.url}/data?zips_include=03743&acres_min=100`);
    await page.locator('.notice a.button', { hasText: 'Sullivan, NH' }).click();
    await page.locator('.chip', { hasText: '100 acres' }).waitFor();
    await expect.poll(async () => Number(await page.locator('#count').textContent())).toBeGreaterThan(10);
  });

  test('filters checked right after another county was chosen stay, with a note of what that county lacks', async () => {
    const page = await site.open('/data');
    // The county is answered once the tick has been asked for, too.
    const ticked = page.waitForRequest(/vacant_only=true/);
    await page.route('**/data?*', async route => {
      await ticked;
      await route.continue();
    });
    const county = field(page, 'county');
    await county.fill('sullivan');
    const vacant = field(page, 'vacant_only');
    await county.evaluate(one => (one as HTMLElement).blur());
    await vacant.check();
    await page.locator('.chip').waitFor();
    await page.getByText(/wetlands, flood zone/).waitFor();
    await expect.poll(() => vacant.isChecked()).toBe(true);
    expect(new URL(page.url()).searchParams.get('vacant_only')).toBe('true');
  });
});
