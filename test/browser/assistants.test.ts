import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { describePages, faultsOf, inspect } from '../support/browser.ts';

/** Where an assistant gets its code. */
const assistant = createServer((_req, res) => {
  res
    .setHeader('Content-Type', 'text/html')
    .end('<!doctype html><title>Done</title><link rel="icon" href="data:,">');
});
await new Promise<void>(resolve => assistant.listen(0, '127.0.0.1', resolve));
afterAll(() => assistant.close());

describePages('assistants', site => {
  test('one is let in on the consent page and stands on the account page until its access is ended', async () => {
    const callback = `http://127.0.0.1:${(assistant.address() as AddressInfo).port}/callback`;
    const registered = await fetch(`${site.api.url}/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_name: 'Field assistant', redirect_uris: [callback] }),
    });
    const { client_id } = (await registered.json()) as { client_id: string };
    const page = await site.open('/account');
    expect(await page.locator('#assistants pre').first().textContent()).toBe(`${site.api.url}/mcp`);
    const asked = new URLSearchParams({
      client_id,
      response_type: 'code',
      redirect_uri: callback,
      scope: 'api:mcp',
      state: 's',
      code_challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
      code_challenge_method: 'S256',
    });
    await page.goto(`${site.api.url}/oauth/authorize?${asked}`);
    await page.getByRole('heading', { name: 'Field assistant wants to use Plat for you' }).waitFor();
    await page.getByText('Prices').click();
    await inspect(page);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${callback}?**`);
    expect(new URL(page.url()).searchParams.get('code')).toMatch(/^[\w-]{43}$/);
    // The assistant's own address, which no page of ours asks for.
    expect(faultsOf(page)).toEqual([`asks ${page.url()}`]);

    await page.goto(`${site.api.url}/account`);
    await page.getByText('Field assistant').waitFor();
    await page.getByText('Cursor', { exact: true }).click();
    await inspect(page);
    await page.getByRole('button', { name: 'End access' }).click();
    await page.getByText('The assistant has no access any more.').waitFor();
    expect(await page.getByText('Field assistant').count()).toBe(0);
  });
});
