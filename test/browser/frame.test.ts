import { expect, test } from 'vitest';
import { describePages, inspect, NARROW } from '../support/browser.ts';

describePages('the frame', site => {
  test('light or dark follows the system until a button overrides it, without script, on every page, until it is set back to the system', async () => {
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

  test('the font is self-hosted and is loaded; the nav bar links to every area, as tabs on a phone', async () => {
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
