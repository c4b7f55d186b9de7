import { expect, test } from 'vitest';
import { describePages, inspect } from '../support/browser.ts';
import { linkOf, newUser, visitor } from '../support/visitor.ts';

describePages('the reference of the API', site => {
  test("docs have the app's theme, light and dark; on a phone, a call is tried with a one-hour key created in one click", async () => {
    const user = await newUser(site.db);
    const page = await site.open('/docs', { as: user });
    await page.waitForSelector('#docs[data-ready]');
    await expect.poll(() => page.locator('.opblock').count()).toBeGreaterThan(10);
    const call = page.locator('#operations-Parcels-filter_properties');
    await call.locator('.opblock-summary-control').click();
    await call.getByRole('button', { name: 'Try it out' }).click();
    await call.getByLabel('Request body').waitFor();
    await inspect(page);

    // The last look was a phone's.
    const offered = await page.locator('#tried').textContent();
    await page.locator('#try button').press('Enter');
    await expect.poll(() => page.locator('#tried').textContent()).not.toBe(offered);
    await call.getByRole('button', { name: 'Execute' }).click();
    await call.getByRole('heading', { name: 'Server response' }).waitFor();
    await call.locator('.curl-command', { hasText: 'Bearer plat_' }).waitFor();
    const { rows } = await site.db.pool.query<{
      name: string;
      scopes: string[];
      minutes: number;
      by: string;
    }>(
      `select name, scopes, round(extract(epoch from expires_at - created_at) / 60)::int as minutes,
         (select actor from audit where entity = 'api_keys' and entity_id = k.id::text limit 1) as by
       from api_keys k where account_id = $1`,
      [user.accountId],
    );
    expect(rows).toEqual([{ name: 'docs', scopes: ['api:direct'], minutes: 60, by: user.email }]);
  });

  test('visitors are told to sign in; users without their own account get no key, nor do other sites', async () => {
    const stranger = visitor(site.api);
    expect((await stranger.open('/docs')).text).toContain('href="/sign-in?next=/docs"');
    expect((await stranger.submit('/docs/key', {})).status).toBe(303);

    const ana = await newUser(site.db, { company: 'Docs & Co' });
    const own = visitor(site.api);
    await own.signIn(ana);
    const offer = 'action="/docs/key"';
    expect((await own.open('/docs')).text).toContain(offer);
    expect((await own.submit('/docs/key', {}, { Origin: 'https://evil.example' })).status).toBe(403);

    const { rows } = await site.db.pool.query<{ id: string }>(
      `insert into users (company_id, email) select company_id, 'bob@docs.example' from users where id = $1 returning id`,
      [ana.id],
    );
    const bob = visitor(site.api);
    await bob.submit(await linkOf(site.db, rows[0]!.id), {});
    expect((await bob.open('/docs')).text).not.toContain(offer);
    const refused = await bob.submit('/docs/key', {}, { 'Sec-Fetch-Dest': 'empty' });
    expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([403, 'forbidden']);
  });
});
