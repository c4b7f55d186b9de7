import { expect, test } from 'vitest';
import { describePages, field, inspect, NARROW } from '../support/browser.ts';

describePages('the frame and the filters', site => {
  test('vacant lots of 5 to 20 acres of out-of-state owners in a county by its name: switches and ranges as one types, chips that are taken off, what is not loaded is marked', async () => {
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

  test('light or dark: as the system, until a button chooses; without script, on every page, until the system is to choose again', async () => {
    const page = await site.open('/account?near=1', { script: false });
    const background = () =>
      page.evaluate(() => getComputedStyle(document.body.parentElement!).backgroundColor);
    const light = await background();
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await background();
    expect(dark).not.toBe(light);
    const theme = (value: string) => page.locator(`button[name=theme][value=${value}]:visible`);
    await expect.poll(() => theme('dark').count()).toBe(0);
    await theme('light').click();
    expect(page.url()).toBe(`${site.api.url}/account?near=1`);
    await expect.poll(() => background()).toBe(light);
    await page.goto('/coverage');
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('light');
    await theme('dark').click();
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(() => background()).toBe(dark);
    await page.locator('button[popovertarget=menu]:visible').first().click();
    await theme('system').click();
    await expect.poll(() => background()).toBe(light);
  });

  test('the font is ours, and is loaded; the bar leads everywhere, on a phone as tabs', async () => {
    const page = await site.open('/coverage');
    expect(
      await page.evaluate(() => document.fonts.ready.then(() => document.fonts.check('16px Inter'))),
    ).toBe(true);
    await expect
      .poll(() => page.evaluate(() => [...document.fonts].map(({ status }) => status)))
      .toEqual(['loaded']);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Markets' }).click();
    await page.waitForURL('**/markets');
    await page.setViewportSize(NARROW);
    const tabs = page.getByRole('navigation', { name: 'Tabs' });
    await tabs.getByRole('link', { name: 'Deals' }).click();
    await page.waitForURL('**/deals');
    await expect.poll(() => tabs.locator('[aria-current]').textContent()).toBe('Deals');
    await tabs.getByRole('button', { name: 'More' }).click();
    await inspect(page);
    await page.getByRole('link', { name: 'Account', exact: true }).click();
    await page.waitForURL('**/account');
  });
});
