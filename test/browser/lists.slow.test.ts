import { expect, test } from 'vitest';
import { button, describePages, field, inspect, isFocused, NARROW, tabTo } from '../support/browser.ts';

const SEARCH = '/data?county=33019&acres_min=5&acres_max=20&out_of_state_owner=true';

/** Of a search, and of a parcel. */
const ADD_TO = 'button[formaction="/lists/add"]';

describePages('lists', site => {
  test('a search becomes a list: rows are mailed, unmarked, given notes, and removed', async () => {
    const page = await site.open(SEARCH);
    const found = Number(await page.locator('#count').textContent());
    await page.locator(`${ADD_TO}[name=all]`).click();
    await page.locator('.page-dialog[open] h1', { hasText: `${found} parcels` }).waitFor();
    await inspect(page);
    await field(page, 'name').fill('Sullivan, out of state');
    await page.locator('.page-dialog button[type=submit]').click();
    const said = page.locator('.notice, .toast');
    await page.locator('.toast', { hasText: `${found} parcels` }).waitFor();
    // The map stays as it was.
    expect(page.url()).toContain(SEARCH);
    await page.locator('.toast a').click();
    await page.waitForURL(/\/lists\/[\w-]{36}$/);
    await expect
      .poll(() => page.locator('.pagehead').textContent())
      .toMatch(new RegExp(`Sullivan, out of state${found} parcels of \\d+ owners`));

    // On the map it is a search like others.
    const address = page.url();
    await page.locator('.pagehead a[href^="/data?"]').click();
    await expect.poll(() => page.locator('#count').textContent()).toBe(String(found));
    await page.locator('#legend[data-colors]').waitFor();
    await inspect(page);
    await page.locator('.filters > summary').click();
    await field(page, 'acres_min').fill('15');
    await expect.poll(async () => Number(await page.locator('#count').textContent())).toBeLessThan(found);
    await page.locator('.filters .foot button[type=submit]').click();
    await page.getByRole('link', { name: 'Sullivan, out of state' }).click();
    await expect.poll(() => page.url()).toBe(address);

    // A row with a price becomes an offer once it is mailed.
    const offer = page.locator('.offer-form [name=offer]').first();
    await offer.fill('12.5k');
    await offer.press('Tab');
    await expect.poll(() => offer.inputValue()).toBe('$12,500');
    await page.locator('.toast').waitFor();
    const boxes = page.locator('.list-rows [name="property_id"][form]');
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await expect.poll(() => page.locator('#selected').textContent()).toMatch(/\b2\b/);
    await button(page, 'status').click();
    await expect.poll(() => said.textContent()).toMatch(/Mailed/);
    // A toast stays for as long as somebody is in it.
    await button(said, 'undo').focus();
    await expect.poll(() => page.locator('.seg').textContent()).toContain('Mailed 2');
    await expect.poll(() => page.locator('.cards').textContent()).toMatch(/\$[1-9][\d,]+ offers?$/);
    await inspect(page);
    await button(said, 'undo').click();
    await expect.poll(() => page.locator('.seg').textContent()).not.toContain('Mailed');

    // One row's status is saved as it is chosen, by the page's script.
    await page.waitForLoadState();
    const first = page.locator('.row-form').first();
    await first.locator('select').selectOption('answered');
    await page.locator('.seg', { hasText: 'Responded 1' }).waitFor();
    await page.locator('.row-form summary').first().click();
    await field(page, 'note').first().fill('Call in spring');
    await field(page, 'tags').first().fill('warm, lake');
    await page.locator('.row-form [name=do_not_mail]').first().check();
    await page.locator('.row-form details button').first().click();
    await expect
      .poll(() => page.locator('.row-form summary').first().textContent())
      .toBe('warm · lake · Call in spring');
    await page.locator('.list-rows th .badge').first().waitFor();

    // More than are looked up at once stay selected.
    await page.locator('#select-all').check();
    await button(page, 'phones').click();
    await expect.poll(() => said.textContent()).toMatch(/\b20 rows/);
    await expect.poll(() => page.locator('#selected').textContent()).toMatch(/\b25\b/);
    await page.locator('#select-all').uncheck();
    for (const at of [1, 2, 3]) await boxes.nth(at).check();
    await button(page, 'phones').click();
    await expect.poll(() => said.textContent()).toMatch(/\b60 tokens/);
    await button(page, 'phones_now').click();
    await expect.poll(() => button(page, 'phones_now').count()).toBe(0);
    await expect.poll(() => said.textContent()).toMatch(/\btokens\b/);
    await inspect(page);

    await page.locator('#select-all').check();
    await button(page, 'remove').click();
    await button(page, 'remove_now').waitFor();
    const rows = await boxes.count();
    await button(page, 'remove_now').click();
    await expect.poll(() => button(page, 'remove_now').count()).toBe(0);
    await expect.poll(() => said.textContent()).toMatch(/\b\d+ rows/);
    expect(rows).toBe(25);
  });

  test('offers for the selection, for every parcel or one per owner; without script', async () => {
    const page = await site.open('/lists', { script: false });
    await field(page, 'name').fill('By hand');
    await field(page, 'name').press('Enter');
    await expect.poll(() => page.locator('h1').textContent()).toBe('By hand');
    const address = page.url();
    await page
      .locator('details', { has: field(page, 'numbers') })
      .locator('summary')
      .click();
    await field(page, 'numbers').fill('000007-000044-000000\n7.18, nothing');
    await page.locator('select[name=county]').selectOption('33019');
    await button(page, 'add').click();
    await expect.poll(() => page.locator('.notice').textContent()).toMatch(/: .*nothing\./);
    await page.goto(`${site.api.url}${SEARCH}&view=table`);
    await page.locator('#results [name="property_id"]').nth(2).check();
    await page.locator(`${ADD_TO}[data-selected]`).click();
    const lists = field(page, 'list');
    const option = lists.locator('option', { hasText: 'By hand' });
    await lists.selectOption(await option.getAttribute('value'));
    await page.locator('main .buttons button[type=submit]').click();
    await expect.poll(() => page.locator('.toast').textContent()).toMatch(/\b1 parcel\b/);
    await page.goto(address);
    await field(page, 'percent').fill('50');
    await field(page, 'of').selectOption('assessed_value');
    await field(page, 'rows_per').selectOption('parcel');
    await button(page, 'settings').click();
    await expect.poll(() => field(page, 'percent').inputValue()).toBe('50');
    await expect.poll(() => field(page, 'rows_per').inputValue()).toBe('parcel');
    await page.locator('.row-form select').first().selectOption('returned');
    await page.locator('.row-form .buttons button').first().click();
    await expect.poll(() => page.locator('.seg').textContent()).toContain('Returned 1');
    await page.goto(`${address}?status=returned`);
    await expect.poll(() => page.locator('.row-form').count()).toBe(1);
    await page
      .locator('details', { has: button(page, 'delete') })
      .locator('summary')
      .click();
    await button(page, 'delete').click();
    expect(page.url()).toBe(`${site.api.url}/lists`);
  });

  test('parcels on another list are left out of this one', async () => {
    const page = await site.open('/lists');
    const make = async (name: string) => {
      await page.goto(`${site.api.url}/lists`);
      await field(page, 'name').fill(name);
      await field(page, 'name').press('Enter');
      await page.waitForURL(/\/lists\/[\w-]{36}/);
    };
    await make('Before');
    await make('After');
    await page.locator('.list-settings summary').click();
    await page.getByLabel('Before', { exact: true }).check();
    await inspect(page);
    await button(page, 'settings').click();
    await page.locator('.list-settings summary').click();
    await expect.poll(() => page.getByLabel('Before', { exact: true }).isChecked()).toBe(true);
  });

  test('files of a search and of a market show their price first', async () => {
    const page = await site.open('/exports?county=33019&acres_min=100');
    await inspect(page);
    await page.goto(`${site.api.url}/exports?market=county:33019`);
    const price = page.locator('button.primary');
    await expect.poll(() => price.textContent()).toMatch(/\b10 tokens/);
    await page.locator('[name=kind][value=comps]').check();
    await expect.poll(() => price.textContent()).toMatch(/\b(?!10 )\d+ tokens/);
    await inspect(page);
    await price.click();
    await page.locator('#progress tbody tr').first().waitFor();
    await inspect(page);
  });

  test('a parcel is added from its page, on a phone and by keyboard', async () => {
    const page = await site.open('/data?parcel=3301900001047', { viewport: NARROW });
    const address = page.url();
    const add = page.locator('form[action="/lists/add"] button');
    await add.press('Enter');
    await field(page, 'name').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => add.evaluate(isFocused)).toBe(true);
    await add.press('Enter');
    await field(page, 'name').fill('One');
    await page.keyboard.press('Enter');
    await page.locator('.toast', { hasText: /\b1 parcel\b/ }).waitFor();
    const list = (await page.locator('.toast a').getAttribute('href'))!;
    await page.locator('.toast button').press('Enter');
    await page.locator('.toast', { hasText: /\b1 row\b/ }).waitFor();
    expect(page.url()).toBe(address);
    await page.goto(site.api.url + list);
    await page.locator('.empty').waitFor();
    await inspect(page);
    const name = page.locator('.empty a[href^="/data"]').first();
    await tabTo(page, name);
    await expect.poll(() => name.evaluate(isFocused)).toBe(true);
  });
});
