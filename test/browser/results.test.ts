import { expect, test } from 'vitest';
import { describePages, inspect, isFocused, tabTo } from '../support/browser.ts';

describePages('the results of a search', site => {
  test('rows are selected one by one, as a range and all of a page, and counted', async () => {
    const page = await site.open('/data?county=33019&acres_min=100');
    const said = page.locator('#selected');
    const rows = page.locator('#results [name="property_id"]');
    const clear = page.getByRole('button', { name: 'Clear', exact: true });
    expect(await clear.isVisible()).toBe(false);
    await rows.nth(1).check();
    expect(await said.textContent()).toMatch(/^1 selected · [\d,.]+ acres$/);
    await rows.nth(4).click({ modifiers: ['Shift'] });
    expect(await said.textContent()).toMatch(/^4 selected/);
    await inspect(page);
    await page.getByLabel('Select all on this page').check();
    expect(await said.textContent()).toMatch(/^25 selected/);
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
    expect(await page.locator('#results [name="property_id"]:checked').count()).toBe(0);
    // Another question begins without any.
    await rows.first().check();
    await page.getByRole('link', { name: 'Remove at least 100 acres' }).click();
    await said.waitFor({ state: 'hidden' });
  });

  test('Enter in a checkbox sends nothing', async () => {
    const page = await site.open('/data?county=33019&acres_min=100');
    await tabTo(page, page.locator('#results [name="property_id"]').first());
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    expect(await page.locator('#selected').textContent()).toMatch(/^1 selected/);
    expect(await page.locator('#results [name="property_id"]').first().evaluate(isFocused)).toBe(true);
  });
});
