import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { button, describePages, faultsOf, field, inspect, NARROW, tabTo } from '../support/browser.ts';
import { newUser } from '../support/visitor.ts';
import { eventually } from '../support/workers.ts';

/** Where an assistant gets its code. */
const assistant = createServer((_req, res) => {
  res
    .setHeader('Content-Type', 'text/html')
    .end('<!doctype html><title>Done</title><link rel="icon" href="data:,">');
});
await new Promise<void>(resolve => assistant.listen(0, '127.0.0.1', resolve));
afterAll(() => assistant.close());

describePages('the account', site => {
  test('an assistant is approved on the consent page, and is listed on the account page until its access ends', async () => {
    const callback = `http://127.0.0.1:${(assistant.address() as AddressInfo).port}/callback`;
    const registered = await fetch(`${site.api.url}/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_name: 'Field assistant', redirect_uris: [callback] }),
    });
    const { client_id } = (await registered.json()) as { client_id: string };
    const page = await site.open('/account');
    await expect
      .poll(() => page.locator('#assistants pre').first().textContent())
      .toBe(`${site.api.url}/mcp`);
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
    await page.locator('h1', { hasText: 'Field assistant' }).waitFor();
    await inspect(page);
    await button(page, 'allow').click();
    await page.waitForURL(`${callback}?**`);
    expect(new URL(page.url()).searchParams.get('code')).toMatch(/^[\w-]{43}$/);
    // The assistant's own address, which no page of ours asks for.
    expect(faultsOf(page)).toEqual([`asks ${page.url()}`]);

    await page.goto(`${site.api.url}/account`);
    await page.getByText('Field assistant').waitFor();
    await page.getByText('Cursor', { exact: true }).click();
    await inspect(page);
    await button(page, 'end assistant').click();
    await page.locator('.notice.good').waitFor();
    await expect.poll(() => page.getByText('Field assistant').count()).toBe(0);
  });

  test('invitations, keys, and runs work by keyboard on a dark phone', async () => {
    const operator = await newUser(site.db, { operator: true, company: 'Keys & Co' });
    const page = await site.open('/account', { viewport: NARROW, as: operator });
    await page.emulateMedia({ colorScheme: 'dark' });
    await tabTo(page, page.locator('#invite'));
    await page.keyboard.type('colleague@keys.example');
    await page.keyboard.press('Enter');
    await page.locator('main', { hasText: /\blink\b.*colleague@keys\.example/ }).waitFor();
    const link = (await page.locator('.secret pre').innerText()).trim();
    const colleague = await site.open(new URL(link).pathname, { viewport: NARROW, as: null });
    await tabTo(colleague, field(colleague, 'password'));
    await colleague.keyboard.type('some words of my own');
    await colleague.keyboard.press('Enter');
    await colleague.waitForURL('**/data');
    await page.locator('#invite').fill('second@keys.example');
    await button(page, 'invite').click();
    await button(page, 'cancel invitation').waitFor();
    await page.locator('summary', { hasText: 'colleague@keys.example' }).click();
    await button(page, 'remove person').waitFor();
    await inspect(page);

    const making = page.locator('#keys details', { has: button(page, 'create key') });
    await tabTo(page, making.locator('summary'));
    await page.keyboard.press('Enter');
    await tabTo(page, field(making, 'name'));
    await page.keyboard.type('website');
    await page.keyboard.press('Enter');
    // The secret before it was the link of an invitation.
    const key = (await page.locator('.secret pre', { hasText: 'plat_' }).innerText()).trim();
    const usage = async () => (await site.api.call('/api/public/v1/usage/', { key })).status;
    await expect.poll(() => usage()).toBe(200);
    const ending = page.locator('#keys details', { has: button(page, 'revoke key') });
    await tabTo(page, ending.locator('summary'));
    await page.keyboard.press('Enter');
    await tabTo(page, button(ending, 'revoke key'));
    await page.keyboard.press('Enter');
    await page.locator('.notice.good', { hasText: 'website' }).waitFor();
    await eventually(async () => (await usage()) === 401);
    await inspect(page);

    await page.setViewportSize(NARROW);
    await page.goto('/admin');
    await tabTo(page, page.locator('a[href="/admin/runs/1"]'));
    await page.keyboard.press('Enter');
    await page.locator('#left-out').waitFor();
    await tabTo(page, page.locator('a.button[href="/data?county=33019"]'));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/data?county=33019');
  });
});
