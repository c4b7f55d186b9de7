import { expect, test } from 'vitest';
import { describePages, inspect } from '../support/browser.ts';

describePages('webhooks', site => {
  test('one is added on the account page, and its messages are seen', async () => {
    const page = await site.open('/account');
    await page.getByText('New webhook').click();
    await page.getByRole('textbox', { name: 'Address' }).fill('https://example.com/hooks/plat');
    await page.getByRole('textbox', { name: 'County' }).fill('Sullivan NH');
    await inspect(page);
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByText('Copy its secret now').waitFor();
    await page.getByRole('link', { name: 'https://example.com/hooks/plat' }).click();
    await page.getByText('None yet').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('A test message is on its way').waitFor();
    const id = page.url().slice(-36);
    await site.db.pool.query(
      "update webhook_deliveries set attempts = 2, status = 503, error = 'answered 503', last_at = now(), next_at = now() + interval '5 minutes' where webhook_id = $1",
      [id],
    );
    await page.getByText('answered 503').waitFor();
    for (const summary of ['What it is told of', 'New secret'])
      await page.getByText(summary, { exact: true }).click();
    await inspect(page);
    await expect.poll(() => page.getByLabel('New parcels').isChecked()).toBe(true);
  });
});
