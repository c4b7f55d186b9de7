import { expect, test } from 'vitest';
import { describePages, faultsOf, field, inspect } from '../support/browser.ts';

describePages('saved searches', site => {
  test('a search is saved from the map, and shows what is new', async () => {
    const page = await site.open('/data?county=33019&acres_min=5&acres_max=20');
    await page.locator('a[href^="/searches?"]:visible').click();
    await expect.poll(() => field(page, 'name').inputValue()).toMatch(/^Sullivan, NH: .*5 – 20/);
    await inspect(page);
    const map = page.url();
    // A refused form stays in the dialog.
    await field(page, 'name').fill(' ');
    await page.locator('.page-dialog button.primary').click();
    await page.locator('.page-dialog #name-told.bad').waitFor();
    expect(faultsOf(page)).toEqual([expect.stringContaining('400')]);
    await field(page, 'name').fill('Sullivan, 5 to 20');
    await page.locator('.page-dialog button.primary').click();
    const saved = page.locator('.toast a');
    await saved.waitFor();
    expect(page.url()).toBe(map);
    await expect.poll(() => page.locator('.page-dialog[open]').count()).toBe(0);
    const id = (await saved.getAttribute('href'))!.slice(-36);
    await site.db.pool.query(
      `insert into search_changes (search_id, at, property_id, became)
       select $1, now(), property_id, (array['added', 'changed', 'removed'])[1 + property_id % 3]
       from search_members where search_id = $1 order by property_id limit 5`,
      [id],
    );
    await page.goto(`${site.api.url}/searches`);
    await page.getByText('5 new').waitFor();
    await inspect(page);
    await page.getByRole('link', { name: /^Sullivan/ }).click();
    await page.locator('main a[href*="parcel="]').first().waitFor();
    await inspect(page);
  });
});
