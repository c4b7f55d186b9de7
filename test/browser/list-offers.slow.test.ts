import { readFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { button, describePages, field, inspect } from '../support/browser.ts';
import { makeExports } from '../support/exports.ts';

const SEARCH = '/data?county=33019&acres_min=5&acres_max=20&out_of_state_owner=true';

describePages('offers on a list', site => {
  test('every row gets a price: by hand with Tab and undo, and the rest by another rule', async () => {
    const page = await site.open(SEARCH);
    await page.locator('button[formaction="/lists/add"][name=all]').click();
    await field(page, 'name').fill('To price');
    await page.locator('.page-dialog button[type=submit]').click();
    await page.locator('.toast a').click();
    const needed = page.locator('#needed a');
    await needed.waitFor();
    const numberOf = async () => Number(/\d+/.exec((await needed.textContent()) ?? '')?.[0]);
    const before = await numberOf();
    expect(before).toBeGreaterThan(1);

    // The hint belongs to offers from estimates. Other bases don't have weak ones.
    const hint = page.locator('#needed small');
    expect(await hint.count()).toBe(1);
    await field(page, 'of').selectOption('assessed_value');
    await button(page, 'settings').click();
    await expect.poll(() => hint.count()).toBe(0);
    await field(page, 'of').selectOption('value');
    await button(page, 'settings').click();
    await expect.poll(() => hint.count()).toBe(1);
    await page.waitForLoadState();

    // A computed price stays visible next to the one that replaces it.
    const offers = page.locator('.offer-form [name=offer]');
    const notes = page.locator('.offer-form .note');
    const priced = page.locator('.offer-form:not(:has(.badge)) [name=offer]').first();
    const computed = await priced.inputValue();
    const note = page.locator(`#${await priced.getAttribute('aria-describedby')}`);
    await priced.fill('12.5k');
    await priced.press('Tab');
    await expect.poll(() => priced.inputValue()).toBe('$12,500');
    await expect.poll(() => note.textContent()).toContain(computed);
    await button(page.locator('.toast'), 'offers').click();
    await expect.poll(() => page.locator('.notice').count()).toBe(1);
    await page.waitForLoadState();
    expect(await offers.count()).toBe(25);
    await expect
      .poll(() => page.locator('.offer-form:not(:has(.badge)) [name=offer]').first().inputValue())
      .toBe(computed);

    // Rows without a price are one click away. Enter goes to the next one.
    await needed.click();
    await expect.poll(() => notes.first().textContent()).toContain('Needs a price');
    await inspect(page);
    await offers.first().fill('4000');
    await offers.first().press('Enter');
    await expect.poll(numberOf).toBe(before - 1);
    await expect.poll(() => offers.nth(1).evaluate(at => at === document.activeElement)).toBe(true);
    await field(page, 'amount').fill('1500');
    await field(page, 'rule').selectOption('acre');
    await button(page, 'price_rest').click();
    await page.locator('.empty').waitFor();
    await inspect(page);
    await button(page.locator('.toast'), 'offers').click();
    await expect.poll(() => offers.count()).toBe(Math.min(25, before - 1));
  });

  test('without script, Enter saves a price', async () => {
    const page = await site.open('/lists', { script: false });
    await field(page, 'name').fill('By hand, priced');
    await field(page, 'name').press('Enter');
    await page
      .locator('details', { has: field(page, 'numbers') })
      .locator('summary')
      .click();
    await field(page, 'numbers').fill('000007-000044-000000');
    await page.locator('select[name=county]').selectOption('33019');
    await button(page, 'add').click();
    const offer = page.locator('.offer-form [name=offer]').first();
    await offer.fill('9,000');
    await offer.press('Enter');
    await expect.poll(() => page.locator('.offer-form [name=offer]').first().inputValue()).toBe('$9,000');
    await page.locator('.offer-form [name=offer]').first().fill('');
    await page.locator('.offer-form [name=offer]').first().press('Enter');
    await expect
      .poll(() => page.locator('.offer-form .note').first().textContent())
      .not.toContain('computed');
  });

  test('from the map to a mail file with a price on every row, in at most 12 clicks', async () => {
    let clicks = 0;
    const click = async (what: Locator) => {
      clicks++;
      await what.click();
    };
    const page = await site.open(SEARCH);
    await click(page.locator('button[formaction="/lists/add"][name=all]'));
    await field(page, 'name').fill('To mail');
    await click(page.locator('.page-dialog button[type=submit]'));
    await click(page.locator('.toast a'));
    await click(page.locator('#needed a'));
    await field(page, 'amount').fill('1500');
    await field(page, 'rule').selectOption('acre');
    // Opening a list of choices and choosing one.
    clicks += 2;
    await click(button(page, 'price_rest'));
    await page.locator('.empty').waitFor();
    const owners = Number(/of (\d+) owners/.exec((await page.locator('.pagehead').textContent())!)![1]);
    await click(page.locator('a[data-dialog][href^="/exports"]'));
    const dialog = page.locator('.page-dialog');
    await dialog.locator('#order').waitFor();
    await inspect(page);
    await click(dialog.locator('button.primary'));
    await dialog.locator('#made[data-open]').waitFor();
    await makeExports(site.db);
    const download = dialog.locator('#made a.primary');
    await download.waitFor();
    await inspect(page);
    const [file] = await Promise.all([page.waitForEvent('download'), click(download)]);
    const lines = readFileSync(await file.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines).toHaveLength(owners + 1);
    const at = lines[0]!.split(',').indexOf('offer');
    expect(at).toBeGreaterThan(0);
    expect(clicks).toBeLessThanOrEqual(12);
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.isVisible()).toBe(false);
    expect(new URL(page.url()).pathname).toMatch(/^\/lists\//);
  });
});
