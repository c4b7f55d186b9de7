import { expect, test } from 'vitest';
import { button, describePages, field, inspect } from '../support/browser.ts';

describePages('webhooks', site => {
  test('a webhook is added on the account page, and its messages are listed', async () => {
    const page = await site.open('/account');
    const making = page.locator('#webhooks details', { has: button(page, 'add webhook') });
    await making.locator('summary').click();
    await field(making, 'url').fill('https://example.com/hooks/plat');
    await field(making, 'county').fill('Sullivan NH');
    await inspect(page);
    await button(making, 'add webhook').click();
    await page.locator('.secret', { hasText: 'whsec_' }).waitFor();
    await page.getByRole('link', { name: 'https://example.com/hooks/plat' }).click();
    await page.locator('#progress:not([data-open])').waitFor();
    await button(page, 'test').click();
    await page.locator('#progress[data-open]').waitFor();
    const id = page.url().slice(-36);
    await site.db.pool.query(
      "update webhook_deliveries set attempts = 2, status = 503, error = 'answered 503', last_at = now(), next_at = now() + interval '5 minutes' where webhook_id = $1",
      [id],
    );
    await page.getByText('answered 503').waitFor();
    for (const does of ['change', 'rotate'])
      await page
        .locator('details', { has: button(page, does) })
        .locator('summary')
        .click();
    await inspect(page);
    await expect.poll(() => page.locator('[name=type][value="parcel.new"]').isChecked()).toBe(true);
  });
});
