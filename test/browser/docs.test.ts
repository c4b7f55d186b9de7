import { expect, test } from 'vitest';
import { describePages, inspect, NARROW } from '../support/browser.ts';
import { newUser, visitor } from '../support/visitor.ts';

describePages('the reference of the API', site => {
  const ready = '#docs[data-ready]';

  test('in our look, by day and by night; strangers are told to sign in', async () => {
    const page = await site.open('/docs', { as: null });
    await page.waitForSelector(ready);
    await page.getByText('to try calls here with a key of your own').waitFor();
    expect(await page.locator('.opblock').count()).toBeGreaterThan(10);
    await page.locator('.opblock-summary-control').first().click();
    const call = page.locator('#operations-Parcels-filter_properties');
    await call.locator('.opblock-summary-control').click();
    await call.getByRole('button', { name: 'Try it out' }).click();
    await call.getByLabel('Request body').waitFor();
    await inspect(page);
  });

  test('on a phone, a call is tried with a key of an hour that one click makes', async () => {
    const user = await newUser(site.db);
    const page = await site.open('/docs', { as: user, viewport: NARROW });
    await page.waitForSelector(ready);
    await page.getByRole('button', { name: 'Try with my key' }).press('Enter');
    await page.getByText('A key “docs” is made').waitFor();
    const call = page.locator('#operations-Coverage-get_coverage, .opblock-get').first();
    await call.locator('.opblock-summary-control').click();
    await call.getByRole('button', { name: 'Try it out' }).click();
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

  test('who has no account of their own gets no key, nor does another site', async () => {
    const ana = await newUser(site.db, { company: 'Docs & Co' });
    const { rows } = await site.db.pool.query<{ id: string }>(
      `insert into users (company_id, email) select company_id, 'bob@docs.example' from users where id = $1 returning id`,
      [ana.id],
    );
    const page = await site.open('/docs', { as: { ...ana, id: rows[0]!.id, email: 'bob@docs.example' } });
    await page.waitForSelector(ready);
    expect(await page.getByRole('button', { name: 'Try with my key' }).count()).toBe(0);
    const answer = await page.request.post('/docs/key', {
      headers: { Origin: site.api.url, 'Sec-Fetch-Dest': 'empty', 'Sec-Fetch-Site': 'same-origin' },
    });
    expect([answer.status(), (await answer.json()).error.code]).toEqual([403, 'forbidden']);
    const own = visitor(site.api);
    await own.signIn(ana);
    const foreign = await own.submit('/docs/key', {}, { Origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
    expect((await visitor(site.api).submit('/docs/key', {})).status).toBe(303);
  });
});
