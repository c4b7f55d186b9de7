import { expect, test } from 'vitest';
import { describePages, field, inspect } from '../support/browser.ts';
import { makeExports } from '../support/exports.ts';

const SEARCH = '/data?county=33019&acres_min=5&acres_max=20&out_of_state_owner=true';

describePages('letters of a list', site => {
  test('are written, previewed, and exported', async () => {
    const page = await site.open(SEARCH);
    await page.locator('button[formaction="/lists/add"][name=all]').click();
    await field(page, 'name').fill('To print');
    await page.locator('.page-dialog button[type=submit]').click();
    await page.locator('.toast a').click();
    await page.locator('a[data-dialog][href^="/exports"]').click();
    await page.locator('#order [value=mail_pdf]').check();
    const letter = page.locator('#order a[href$="/letter"]');
    await letter.waitFor();
    await inspect(page);
    await letter.click();
    await field(page, 'letter').fill('Dear {salutation},\n\nour offer is {offer}.');
    await page.locator('.letters button').first().click();
    await expect.poll(() => page.locator('.letter').first().textContent()).toContain('our offer is $');
    await inspect(page);
    await page.locator('a[href*="kind=mail_pdf"]').click();
    await page.locator('#order button.primary').click();
    await page.locator('#made').waitFor();
    await makeExports(site.db);
    await page.locator('#made a.primary').waitFor();
  });
});
