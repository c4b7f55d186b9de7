import { expect, test } from 'vitest';
import { SKIP_TRACE_EXAMPLE } from '../../api/v1/examples/examples.ts';
import { button, describePages, field, inspect, NARROW } from '../support/browser.ts';

const ID: number = SKIP_TRACE_EXAMPLE.property_id;

describePages('the call sheet', site => {
  test('on a phone: numbers are bought in the list, tapped, and each outcome leads to the next owner', async () => {
    const page = await site.open('/lists', { viewport: NARROW });
    await field(page, 'name').fill('To call');
    await field(page, 'name').press('Enter');
    await page.waitForURL(/\/lists\/[\w-]{36}/);
    await page
      .locator('details', { has: field(page, 'numbers') })
      .locator('summary')
      .click();
    await field(page, 'numbers').fill([ID, ID + 1, ID + 2, ID + 3, ID + 4, ID + 5].join('\n'));
    await page.locator('select[name=county]').selectOption('');
    await button(page, 'add').click();
    await page.locator('.list-rows').waitFor();
    await page.locator('#select-all').check();
    await button(page, 'phones').click();
    await button(page, 'phones_now').click();
    await page.locator('.row-phones').first().waitFor();
    await page.locator('.row-phones summary').first().click();
    await inspect(page);

    await page.locator('.pagehead a[href$="/calls"]').click();
    const card = page.locator('[data-row]');
    const left = async () => Number.parseInt((await page.locator('#progress').textContent())!, 10);
    const all = await left();
    expect(all).toBeGreaterThan(1);
    await inspect(page);
    const first = await card.getAttribute('data-row');
    // Tapping a number selects it. The browser has no phone to dial with.
    await page.evaluate(() =>
      document.addEventListener('click', event => {
        if ((event.target as Element).closest('[href^="tel:"]')) event.preventDefault();
      }),
    );
    const links = page.locator('.phones a');
    expect(await links.first().getAttribute('href')).toMatch(/^tel:\+1\d{10}$/);
    await links.last().click();
    await expect.poll(() => page.locator('.phones [type=radio]').last().isChecked()).toBe(true);
    await page.locator('[value="no_answer"]').click();
    await expect.poll(() => card.getAttribute('data-row')).not.toBe(first);
    await expect.poll(left).toBe(all);
    await field(page, 'note').fill('Call in spring');
    await page.locator('[value="answered"]').click();
    await expect.poll(left).toBe(all - 1);
    await inspect(page);
    await button(page, 'undo').click();
    await expect.poll(left).toBe(all);
    await page.locator('.next a').click();
    await card.waitFor();
  });
});
