import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { describePages, drawn, field, inspect, isFocused, NARROW, tabTo } from '../support/browser.ts';
import { insertParcels, square } from '../support/parcels.ts';

describePages('the results of a search', site => {
  test('vacant lots of 5 to 20 acres of out-of-state owners in a named county: filters apply while typing, chips are removed, missing data is marked', async () => {
    const page = await site.open('/data');
    await page.locator('#results a[href="/data?county=33019"]').first().waitFor();
    const count = page.locator('#count');
    await field(page, 'county').fill('Sullivan, NH');
    await count.waitFor();
    const all = await count.textContent();
    await page.locator('.switch.unknown [name=wetlands_percent_max]').waitFor({ state: 'attached' });
    for (const name of ['vacant_only', 'out_of_state_owner'])
      await page.locator('.switch', { has: field(page, name) }).click();
    await field(page, 'acres_min').fill('5');
    await field(page, 'acres_max').fill('20');
    await page.locator('.chip', { hasText: '5 – 20 acres' }).waitFor();
    const found = Number(await count.textContent());
    expect(found).toBeGreaterThan(10);
    await expect.poll(() => page.locator('#shown').textContent()).toContain(` ${found} `);
    await page.locator('.filters .foot button').click();
    await page.locator('.filters:not([open])').waitFor({ state: 'attached' });
    await expect.poll(() => page.locator('.filters .count').first().textContent()).toBe('3');
    await page.locator('.chip:not([href*="vacant_only"])').click();
    await page.waitForFunction(
      before => Number(document.querySelector('#count')?.textContent) > before,
      found,
    );
    expect(new URL(page.url()).searchParams.has('vacant_only')).toBe(false);
    await page.locator('.filters summary').first().click();
    await expect.poll(() => field(page, 'vacant_only').isChecked()).toBe(false);
    await page.locator('.filters a[href="/coverage"]').waitFor();
    await inspect(page);
    await page.locator('.filters .foot a[href="/data"]').click();
    await page.locator('#results a[href="/data?county=33019"]').first().waitFor();
    expect(all).toMatch(/^2,0/);
  });

  test('the bar stays visible, with the number of rows and their price, the same as in a quote', async () => {
    const page = await site.open('/data?county=33019&acres_min=5&acres_max=20');
    const bar = page.locator('.selbar');
    const prices = page.locator('.selbar a[href^="/exports"]');
    const count = await page.locator('#count').textContent();
    await expect.poll(() => prices.getAttribute('title')).toMatch(new RegExp(`\\b${count} tokens\\)`));
    await page.locator('#results [name="property_id"]').last().scrollIntoViewIfNeeded();
    await expect.poll(() => bar.evaluate(element => getComputedStyle(element).position)).toBe('sticky');
    await inspect(page);
    // Another question, other prices.
    await page.goto('/data?county=33019');
    const all = Number((await page.locator('#count').textContent())!.replaceAll(',', ''));
    await expect
      .poll(() => prices.getAttribute('title'))
      .toMatch(new RegExp(`\\b${all.toLocaleString('en-US')} tokens\\)`));
    await page.locator('#results details', { hasText: `(${30 * Math.ceil(all / 500)} tokens ` }).waitFor();
    await page.goto('/data?county=33019&acres_min=90000');
    await expect.poll(() => prices.count()).toBe(0);
  });

  test('rows are selected one by one, as a range, and as a whole page, and counted', async () => {
    const page = await site.open('/data?county=33019&acres_min=100');
    const add = page.locator('.selbar [data-selected]');
    await expect.poll(() => add.isDisabled()).toBe(true);
    const said = page.locator('#selected');
    const rows = page.locator('#results [name="property_id"]');
    const clear = page.locator('#selection button[type=reset]');
    await expect.poll(() => clear.isVisible()).toBe(false);
    await rows.nth(1).check();
    await expect.poll(() => said.textContent()).toMatch(/^1 .* [\d,.]+ acres$/);
    await expect.poll(() => add.isEnabled()).toBe(true);
    await rows.nth(4).click({ modifiers: ['Shift'] });
    await expect.poll(() => said.textContent()).toMatch(/^4 /);
    await inspect(page);
    await page.locator('#select-all').check();
    await expect.poll(() => said.textContent()).toMatch(/^25 /);
    // What an action would be sent.
    const sent = await page.evaluate(() => [
      ...new FormData(document.querySelector<HTMLFormElement>('#selection')!),
    ]);
    expect(sent.filter(([name]) => name === 'property_id').length).toBe(25);
    expect(sent.filter(([name]) => name !== 'property_id')).toEqual([
      ['filter', '{"county":"33019","acres_min":100}'],
    ]);
    await clear.click();
    await said.waitFor({ state: 'hidden' });
    await expect.poll(() => page.locator('#results [name="property_id"]:checked').count()).toBe(0);
    // Another question begins without any.
    await rows.first().check();
    await page.locator('.chip', { hasText: '100 acres' }).click();
    await said.waitFor({ state: 'hidden' });
  });

  test('results are colored by value per acre, unless another color or none is chosen; rows without land come last', async () => {
    const page = await site.open('/data?county=33019');
    const legend = page.locator('#legend[data-colors]');
    const total = Number((await page.locator('#count').textContent())!.replace(',', ''));
    const counts = await legend.locator('> ul b').allTextContents();
    expect(counts.reduce((sum, text) => sum + Number(text.replace(',', '')), 0)).toBe(total);
    const acres = () =>
      page
        .locator('#results [data-acres]')
        .evaluateAll(all => all.map(one => Number((one as HTMLElement).dataset.acres)));
    const first = await acres();
    expect(first).toEqual(first.toSorted((a, b) => b - a));
    await page.goto(`/data?county=33019&page=${Math.ceil(total / 25)}`);
    expect((await acres()).at(-1)).toBe(0);
    await legend.locator('details summary').click();
    await legend.locator('a[href*="color=none"]').click();
    await legend.waitFor({ state: 'detached' });
    expect(page.url()).toContain('color=none');
  });

  test("a county without boundaries and estimates has plain colors, and its rows and map don't fail", async () => {
    await insertParcels(
      site.db.pool,
      [1, 2].map(n => ({ property_id: 23_011e8 + n, apn: `${n}`, acres: n })),
    );
    const page = await site.open('/data?county=23011');
    await page.locator('#results li').first().hover();
    await page.locator('#results li.pointed').waitFor();
    await expect.poll(() => page.locator('.ring').count()).toBe(0);
    await expect.poll(() => page.locator('#legend[data-colors]').count()).toBe(0);
    await page.locator('#fit').click();
    await page.locator('#results a[data-parcel]').first().click();
    await page.locator('#parcel').waitFor();
    await page.locator('#parcel a').first().click();
    await page.locator('#results').waitFor();
  });

  test('on a phone, a closed legend has words if all results are unknown, and an open one covers buttons', async () => {
    const page = await site.open('/data?county=33019&acres_min=20&color=buildable', { viewport: NARROW });
    const legend = page.locator('#legend');
    await page.locator('#legend:not([open])').waitFor();
    await expect.poll(() => legend.locator('.ramp').isVisible()).toBe(true);
    expect(await legend.locator('.ramp .swatch').count()).toBe(0);
    expect(await legend.locator('p').textContent()).toContain('wetlands');
    await legend.locator('summary').first().click();
    await legend.locator('details summary').click();
    await page.locator('#tools').waitFor();
    // Whatever is at each point of the legend belongs to it.
    const isOnTop = await legend.evaluate(element => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const at = [left + 20, right - 20].flatMap(x => [top + 20, bottom - 20].map(y => [x, y] as const));
      return at.every(([x, y]) => element.contains(document.elementFromPoint(x, y)));
    });
    expect(isOnTop).toBe(true);
    await inspect(page);
  });

  test("next to the table, the map's buttons don't cover each other", async () => {
    const page = await site.open('/data?county=33019&acres_min=20&view=table');
    await page.locator('#draw').waitFor();
    const tools = await page.locator('#share-view').boundingBox();
    const zoom = await page.locator('.maplibregl-ctrl-zoom-in').boundingBox();
    expect(tools!.x + tools!.width).toBeLessThan(zoom!.x);
    await page.locator('.maplibregl-ctrl-zoom-in').click();
  });

  test('selected units count the land they share once', async () => {
    await insertParcels(
      site.db.pool,
      [1, 2, 3].map(n => ({
        property_id: 23_009e8 + n,
        boundary: n < 3 ? square(-68.4, 44.5) : square(-68.6, 44.7),
        calculated_acres: 4,
      })),
    );
    for (const view of ['', '&view=table']) {
      const page = await site.open(`/data?county=23009&acres_min=1${view}`);
      await page.locator('#select-all').check();
      await expect.poll(() => page.locator('#selected').textContent()).toMatch(/^3 .* 8 acres$/);
    }
  });

  test('the table view is sorted by its headings, and stays when the search changes', async () => {
    const page = await site.open('/data?county=33019&acres_min=5&acres_max=20');
    await page.locator('.seg a[href*="view=table"]').click();
    await page.locator('.tablebox').waitFor();
    const worth = async () => {
      const texts = await page.locator('.tablebox td:nth-child(6)').allInnerTexts();
      return texts.map(text => Number(text.replace(/[$,]/g, '')));
    };
    const unsorted = await worth();
    const head = page.locator('#sort-value');
    expect(unsorted).not.toEqual(unsorted.toSorted((a, b) => b - a));
    await head.press('Enter');
    await page.locator('th[aria-sort="descending"]:has(#sort-value)').waitFor();
    await expect.poll(() => head.evaluate(isFocused)).toBe(true);
    const most = await worth();
    expect(most).toEqual(most.toSorted((a, b) => b - a));
    await head.press('Enter');
    await page.locator('th[aria-sort="ascending"]:has(#sort-value)').waitFor();
    const least = await worth();
    expect(least).toEqual(least.toSorted((a, b) => a - b));
    expect(least[0]).toBeLessThan(most.at(-1)!);
    await inspect(page);
    // A filter is set, and the table stays as it is sorted.
    const before = await page.locator('#count').textContent();
    await page.locator('.filters summary').first().click();
    await field(page, 'value_min').fill('60000');
    await page.waitForFunction(text => document.querySelector('#count')?.textContent !== text, before);
    const dear = await worth();
    expect(dear.length).toBeGreaterThan(5);
    expect(Math.min(...dear)).toBeGreaterThanOrEqual(60_000);
    expect(dear).toEqual(dear.toSorted((a, b) => a - b));
    expect(new URL(page.url()).search).toContain('view=table');
  });

  test('without script, the list and the table can be sorted, paged, and set to 500 rows', async () => {
    const page = await site.open(undefined, { script: false });
    await page.goto('/data?county=33019&acres_min=0.1');
    const follow = async (link: Locator) => {
      const loaded = page.waitForEvent('load');
      await link.click();
      await loaded;
    };
    const firstRow = () => page.locator('.tablebox tbody th').first().innerText();
    const order = page.locator('select[name=order]');
    await order.selectOption('-value');
    await follow(page.locator('select[name=order] ~ noscript button, select[name=order] ~ button'));
    await expect.poll(() => page.locator('.hits li').count()).toBe(25);
    await follow(page.locator('.seg a[href*="view=table"]'));
    await page.locator('th[aria-sort="descending"] #sort-value').waitFor();
    const first = await firstRow();
    await follow(page.locator('.pages a[href*="page=2"]'));
    await expect.poll(() => firstRow()).not.toBe(first);
    await follow(page.locator('.pages a[href*="page_size=500"]'));
    await expect.poll(() => page.locator('.tablebox tbody tr').count()).toBe(500);
    await expect.poll(() => firstRow()).toBe(first);
    await follow(page.locator('.seg a:not([aria-current])'));
    await expect.poll(() => order.inputValue()).toBe('-value');
    await expect.poll(() => page.locator('.hits li').count()).toBe(500);
    // What acts on a selection needs the script that counts it.
    await expect.poll(() => page.locator('#select-all').isVisible()).toBe(false);
  });

  test.each(['', '&view=table'])(
    'by keyboard alone%s: arrows lead through the results, Space selects, Enter opens, Escape returns',
    async view => {
      const page = await site.open(`/data?county=33019&acres_min=5&acres_max=20&order=-value${view}`);
      const link = (at: number) => page.locator('#results a[data-parcel]').nth(at);
      const box = (at: number) => page.locator('#results [name="property_id"]').nth(at);
      const press = async (...keys: string[]) => {
        for (const key of keys) await page.keyboard.press(key);
      };
      await tabTo(page, link(0));
      await press('ArrowDown', 'ArrowDown');
      await expect.poll(() => link(2).evaluate(isFocused)).toBe(true);
      await expect
        .poll(() => page.locator('.pointed a[data-parcel]').innerText())
        .toBe(await link(2).innerText());
      await press('Space', 'ArrowDown', 'ArrowDown', 'Shift+Space');
      await expect.poll(() => page.locator('#selected').textContent()).toMatch(/^3 /);
      // The row's checkbox is the one Tab stop before it.
      await press('Shift+Tab', 'ArrowUp');
      await expect.poll(() => box(3).evaluate(isFocused)).toBe(true);
      await press('Tab', ...Array.from({ length: 15 }, () => 'ArrowDown'));
      await expect.poll(() => link(18).evaluate(isFocused)).toBe(true);
      await press('Enter');
      await page.locator('#parcel h1:focus').waitFor();
      await press('Escape');
      await page.locator('#results').waitFor();
      await expect.poll(() => link(18).evaluate(isFocused)).toBe(true);
      await press('Tab');
      await expect
        .poll(() => page.locator('#results li:focus-within, #results tr:focus-within').count())
        .toBe(0);
    },
  );

  test("a row and its parcel on the map are linked; another place moves the map, another filter doesn't", async () => {
    const page = await site.open('/data?county=33019&acres_min=100');
    const ring = page.locator('.ring');
    const row = page.locator('#results li').nth(3);
    await row.hover();
    const { x, y, width, height } = (await ring.boundingBox())!;
    await field(page, 'county').hover();
    await ring.waitFor({ state: 'detached' });
    await page.mouse.move(x + width / 2 + 1, y + height / 2);
    await page.locator('#results li.pointed').waitFor();
    await expect.poll(() => page.locator('#results li.pointed').innerText()).toBe(await row.innerText());
    await expect
      .poll(() => page.locator('#parcel-card:not([hidden]) b').first().textContent())
      .toBe(await row.locator('b').textContent());
    await ring.waitFor();
    const scale = page.locator('.maplibregl-ctrl-scale');
    const whole = await scale.innerText();
    for (let i = 0; i < 3; i++) await page.locator('.maplibregl-ctrl-zoom-in').click();
    await page.waitForFunction(
      text => document.querySelector('.maplibregl-ctrl-scale')?.textContent !== text,
      whole,
    );
    await drawn(page);
    const near = await scale.innerText();
    const all = await page.locator('#count').textContent();
    const countChanges = (before: string | null) =>
      page.waitForFunction(text => document.querySelector('#count')?.textContent !== text, before);
    await page.locator('.filters summary').first().click();
    await field(page, 'vacant_only').check();
    await countChanges(all);
    await drawn(page);
    await expect.poll(() => scale.innerText()).toBe(near);
    await page.locator('#fit').click();
    const scaleChanges = (before: string) =>
      page.waitForFunction(
        text => document.querySelector('.maplibregl-ctrl-scale')?.textContent !== text,
        before,
      );
    await scaleChanges(near);
    for (let i = 0; i < 3; i++) await page.locator('.maplibregl-ctrl-zoom-in').click();
    await drawn(page);
    const again = await scale.innerText();
    const zips = field(page, 'zips_include');
    await page.locator('#more details', { has: zips }).locator('summary').click();
    await zips.fill('03280');
    await scaleChanges(again);
  });

  test("Enter in a checkbox opens its parcel and doesn't submit the form", async () => {
    const page = await site.open('/data?county=33019&acres_min=100');
    const first = page.locator('#results [name="property_id"]').first();
    const id = await first.inputValue();
    await tabTo(page, first);
    await page.keyboard.press('Space');
    await expect.poll(() => page.locator('#selected').textContent()).toMatch(/^1 /);
    await page.keyboard.press('Enter');
    await page.locator('#parcel h1').waitFor();
    expect(new URL(page.url()).pathname).toBe('/data');
    expect(new URL(page.url()).searchParams.get('parcel')).toBe(id);
  });
});
