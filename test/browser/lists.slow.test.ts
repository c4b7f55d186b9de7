import { expect, test } from 'vitest';
import { describePages, inspect, isFocused, NARROW, tabTo } from '../support/browser.ts';

const SEARCH = '/data?county=33019&acres_min=5&acres_max=20&out_of_state_owner=true';

describePages('lists', site => {
  test('a search becomes a list: rows are mailed, taken back, noted and removed', async () => {
    const page = await site.open(SEARCH);
    const found = Number(await page.locator('#count').textContent());
    await page.getByRole('button', { name: 'Add all results' }).click();
    await inspect(page);
    await page.getByLabel('Name of the new list').fill('Sullivan, out of state');
    await page.getByRole('button', { name: 'Add to list' }).click();
    const said = page.locator('.notice, .toast');
    await expect.poll(() => said.textContent()).toContain(`${found} parcels added.`);
    await page.goto(site.api.url + (await page.locator('#selection').getAttribute('action')));
    await expect
      .poll(() => page.locator('.pagehead').textContent())
      .toMatch(new RegExp(`Sullivan, out of state${found} parcels of \\d+ owners`));

    // On the map it is a search like others.
    const address = page.url();
    await page.getByRole('link', { name: 'On the map' }).click();
    await expect.poll(() => page.locator('#count').textContent()).toBe(String(found));
    await page.locator('#legend', { hasText: `${found}` }).waitFor();
    await inspect(page);
    await page.locator('.filters > summary').click();
    await page.getByLabel('Acres, at least', { exact: true }).fill('15');
    await expect.poll(async () => Number(await page.locator('#count').textContent())).toBeLessThan(found);
    await page.getByRole('button', { name: /^Show \d+ parcels/ }).click();
    await page.getByRole('link', { name: 'Sullivan, out of state' }).click();
    await expect.poll(() => page.url()).toBe(address);

    const boxes = page.locator('.list-rows [name="property_id"][form]');
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await expect.poll(() => page.locator('#selected').textContent()).toBe('2 selected');
    await page.getByRole('button', { name: 'Set status' }).click();
    await expect.poll(() => said.textContent()).toMatch(/rows set to Mailed\./);
    // A toast stays for as long as somebody is in it.
    await said.getByRole('button', { name: 'Undo' }).focus();
    await expect.poll(() => page.locator('.seg').textContent()).toContain('Mailed 2');
    await expect
      .poll(() => page.locator('.cards').textContent())
      .toMatch(/Offers out\$[\d,]*\d offers? at 30 %/);
    await inspect(page);
    await said.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => page.locator('.seg').textContent()).not.toContain('Mailed');

    // One row's status is saved as it is chosen, by the page's script.
    await page.waitForLoadState();
    const first = page.locator('.row-form').first();
    await first.locator('select').selectOption('answered');
    await page.locator('.seg', { hasText: 'Answered 1' }).waitFor();
    await page.locator('.row-form summary').first().click();
    await page.getByLabel('Note', { exact: true }).first().fill('Call in spring');
    await page.getByLabel('Tags, separated by commas').first().fill('warm, lake');
    await page.getByLabel('Do not mail this owner').first().check();
    await page.locator('.row-form details button').first().click();
    await expect
      .poll(() => page.locator('.row-form summary').first().textContent())
      .toBe('warm · lake · Call in spring');
    await expect.poll(() => page.locator('.list-rows th .badge').first().textContent()).toBe('Do not mail');

    // More than are looked up at once stay selected.
    await page.getByLabel('Select all on this page').check();
    await page.getByRole('button', { name: 'Phone numbers…' }).click();
    await expect.poll(() => said.textContent()).toContain('Select at most 20 rows');
    await expect.poll(() => page.locator('#selected').textContent()).toBe('25 selected');
    await page.getByLabel('Select all on this page').uncheck();
    for (const at of [1, 2, 3]) await boxes.nth(at).check();
    await page.getByRole('button', { name: 'Phone numbers…' }).click();
    await expect.poll(() => said.textContent()).toContain('It costs at most 60 tokens');
    await page.getByRole('button', { name: 'Look up for at most 60 tokens' }).click();
    await expect.poll(() => said.textContent()).toMatch(/tokens used\./);
    await inspect(page);

    await page.getByLabel('Select all on this page').check();
    await page.getByRole('button', { name: 'Remove…' }).click();
    await expect.poll(() => said.textContent()).toContain('This cannot be undone.');
    const rows = await boxes.count();
    await page.getByRole('button', { name: /^Remove \d+ rows$/ }).click();
    await expect.poll(() => said.textContent()).toMatch(/rows taken off the list\./);
    expect(rows).toBe(25);
  });

  test('offers by what is chosen, every parcel or one an owner; without script', async () => {
    const page = await site.open('/lists', { script: false });
    await page.getByLabel('New list').fill('By hand');
    await page.getByRole('button', { name: 'Make list' }).click();
    await expect.poll(() => page.locator('h1').textContent()).toBe('By hand');
    const address = page.url();
    await page.locator('summary', { hasText: 'Add parcels by their numbers' }).click();
    await page.getByLabel('Parcel numbers, one a line').fill('000007-000044-000000\n7.18, nothing');
    await page.getByLabel('County').selectOption('33019');
    await page.getByRole('button', { name: 'Add parcels' }).click();
    await expect
      .poll(() => page.locator('.notice').textContent())
      .toMatch(/Not found on the roll: .*nothing\./);
    await page.goto(`${site.api.url}${SEARCH}&view=table`);
    await page.locator('#results [name="property_id"]').nth(2).check();
    await page.getByRole('button', { name: 'Add to list' }).click();
    const lists = page.getByLabel('List', { exact: true });
    const option = lists.locator('option', { hasText: 'By hand' });
    await lists.selectOption(await option.getAttribute('value'));
    await page.getByRole('button', { name: 'Add to list' }).click();
    await expect.poll(() => page.locator('.toast').textContent()).toContain('1 parcel added.');
    await page.goto(address);
    await page.getByLabel('Offer', { exact: true }).fill('50');
    await page.getByLabel('Of which value').selectOption('assessed_value');
    await page.getByLabel('One row an owner').uncheck();
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => page.getByLabel('Offer', { exact: true }).inputValue()).toBe('50');
    await expect.poll(() => page.getByLabel('One row an owner').isChecked()).toBe(false);
    await page.locator('.row-form select').first().selectOption('returned');
    await page.locator('.row-form .buttons button').first().click();
    await expect.poll(() => page.locator('.seg').textContent()).toContain('Returned 1');
    await page.goto(`${address}?status=returned`);
    await expect.poll(() => page.locator('.row-form').count()).toBe(1);
    await page.locator('summary', { hasText: 'Delete this list' }).click();
    await page.getByRole('button', { name: 'Delete “By hand”' }).click();
    expect(page.url()).toBe(`${site.api.url}/lists`);
  });

  test('what another list has is left out of this one', async () => {
    const page = await site.open('/lists');
    const make = async (name: string) => {
      await page.goto(`${site.api.url}/lists`);
      await page.getByLabel('New list').fill(name);
      await page.getByRole('button', { name: 'Make list' }).click();
    };
    await make('Before');
    await make('After');
    await page.locator('.list-settings summary').click();
    await page.getByLabel('Before', { exact: true }).check();
    await inspect(page);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.locator('.list-settings summary').click();
    await expect.poll(() => page.getByLabel('Before', { exact: true }).isChecked()).toBe(true);
  });

  test('files of a search, and of a market, with their price before', async () => {
    const page = await site.open('/exports?county=33019&acres_min=100');
    await inspect(page);
    await page.goto(`${site.api.url}/exports?market=county:33019`);
    const price = page.getByRole('button', { name: /^Export for/ });
    await expect.poll(() => price.textContent()).toContain('Export for 10 tokens');
    await page.getByLabel(/^Sales and listings, CSV/).check();
    await page.locator('button', { hasText: /Export for (?!10 )\d+ tokens/ }).waitFor();
    await inspect(page);
    await price.click();
    await page.locator('#progress', { hasText: 'Sales and listings' }).waitFor();
    await inspect(page);
  });

  test('a parcel is added from its page, on a phone and by keyboard', async () => {
    const page = await site.open('/data?parcel=3301900001047', { viewport: NARROW });
    const add = page.getByRole('button', { name: 'Add to list' });
    await add.press('Enter');
    await page.getByLabel(/new list/).fill('One');
    await page.keyboard.press('Enter');
    await page.locator('.toast', { hasText: '1 parcel added.' }).waitFor();
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).press('Enter');
    await page.locator('.notice', { hasText: '1 row taken off the list.' }).waitFor();
    await expect.poll(() => page.locator('.empty').textContent()).toContain('No parcels yet');
    await inspect(page);
    const name = page.getByRole('link', { name: 'Search on the map' });
    await tabTo(page, name);
    await expect.poll(() => name.evaluate(isFocused)).toBe(true);
  });
});
