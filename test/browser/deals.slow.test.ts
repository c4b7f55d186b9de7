import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { enqueue } from '../../shared/platform/queue/jobs.ts';
import { gradeDealsJob } from '../../workers/deals/grade-deals-job.ts';
import {
  button,
  describePages,
  faultsOf,
  field,
  inspect,
  isFocused,
  NARROW,
  send,
  tabTo,
} from '../support/browser.ts';
import { doDealJobs, setValue } from '../support/deals.ts';
import { newUser, visitor } from '../support/visitor.ts';

/** In the page: its script has come, and Esc closes it. */
const isModal = (dialog: Element): boolean => dialog.matches(':modal');

describePages('deals', site => {
  const lane = (stage: string) => `.lane[data-stage=${stage}]`;
  const advice = (which: string) => `[data-advice=${which}]`;
  const UNDO = 'button[value=undo], button[value=undo_change]';
  const CHANGE = 'a[aria-haspopup=dialog]';
  const COOLIDGE = '000014 000341 000000';
  /** Sets the value of a parcel whose list price is $34,900, so that the advice is to drop the price. */
  const valueCoolidge = () => setValue(site.db.pool, COOLIDGE, [10_000, 20_000, 40_000]);
  const stage = (page: Page) => page.locator('details.add select[name=status]');
  const SAVE = '#price-and-costs button[type=submit]';

  test('add, watch it fill, drag, move by keys, take the advice: after a reload all is still there', async () => {
    await valueCoolidge();
    const page = await site.open('/deals');
    const add = async (what: string, price: string) => {
      await page.locator('details.add').evaluate(one => one.setAttribute('open', ''));
      await field(page, 'what').fill(what);
      if (!(await field(page, 'purchase_price').isVisible()))
        await page.locator('details.more summary').click();
      await field(page, 'purchase_price').fill(price);
      await stage(page).selectOption('listed');
      await button(page, 'add').click();
    };
    await add('14-341, Sullivan, NH', '$9.5k');
    await page.locator('.advice.waiting').waitFor();
    await doDealJobs(site.db.pool);
    // No reload: an event tells the page.
    await page.locator('.card', { hasText: 'COOLIDGE DRIVE' }).waitFor();
    await expect.poll(() => page.locator('.advice.waiting').count()).toBe(0);
    await add('9-11, Sullivan, NH', '11,000');
    await page.locator('.card').nth(1).waitFor();
    await doDealJobs(site.db.pool);
    const card = page.locator('.card', { hasText: 'DEER VALLEY ROAD' });
    await card.waitFor();
    await expect.poll(() => page.locator(lane('listed')).locator('.count').textContent()).toBe('2');

    await card.dragTo(page.locator(lane('in_title')));
    await page.locator(`${lane('in_title')} .card`).waitFor();
    await page.locator(`${lane('in_title')} .count`, { hasText: '1' }).waitFor();
    await page.getByRole('link', { name: 'COOLIDGE DRIVE' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('#announcement', { hasText: /coolidge drive .*\b1\b/i }).waitFor();
    await page.locator('.toast', { hasText: 'Coolidge Drive' }).waitFor();
    await page.locator(UNDO).click();
    await page.locator(`${lane('listed')} .card`).waitFor();
    await doDealJobs(site.db.pool);

    const coolidge = page.locator('.card', { hasText: 'COOLIDGE DRIVE' });
    await coolidge.locator(advice('drop'), { hasText: /\$[\d,]+00: .*\$25,400 .*\$[\d,]+\./ }).waitFor();
    await inspect(page);
    // Nothing is changed before it is confirmed, and the harmless choice has the focus.
    await coolidge.locator(CHANGE).click();
    const dialog = page.getByRole('alertdialog');
    await dialog
      .getByText(/^\$25,400 → \$[\d,]+$/)
      .first()
      .waitFor();
    await expect.poll(() => dialog.getByRole('link', { name: '$34,900' }).evaluate(isFocused)).toBe(true);
    await inspect(page);
    const change = button(dialog, 'price');
    const price = /\$[\d,]+00$/.exec((await change.textContent())!)![0];
    const advised = new RegExp(`${price.replace('$', '\\$')}.*advi`);
    await change.click();
    await page.locator('.toast', { hasText: advised }).waitFor();
    await doDealJobs(site.db.pool);
    await page.goto('/deals');
    await coolidge.locator(advice('hold')).waitFor();
    await expect
      .poll(() => page.locator(`${lane('in_title')} .card h3`).allTextContents())
      .toEqual(['Deer Valley Road']);
    await expect.poll(() => coolidge.locator('dd').first().textContent()).toBe(price);
    await page.getByRole('link', { name: 'COOLIDGE DRIVE' }).click();
    await page.locator('#history li', { hasText: advised }).waitFor();
    await page.locator(advice('hold')).waitFor();
    await inspect(page);
    await button(page, 'undo').filter({ hasText: '$34,900' }).click();
    await page.locator('.advice.waiting').waitFor();
    await doDealJobs(site.db.pool);
    // No reload: an event tells the page.
    await page.locator(advice('drop')).waitFor();
    await expect.poll(() => field(page, 'price').inputValue()).toBe('$34,900');
    // An undo is not undone in turn; what is left takes back what is typed.
    await expect.poll(() => page.locator(UNDO).count()).toBe(0);
    // What one answers to an advice can be taken back, too, as can another stage.
    const undo = page.locator('.toast').locator(UNDO);
    await button(page, 'hold').click();
    await page.locator(advice('held')).waitFor();
    await undo.click();
    await button(page, 'dismiss').click();
    await page.locator(advice('dismissed')).waitFor();
    await inspect(page);
    await page.goto('/deals');
    await expect.poll(() => coolidge.locator(advice('drop')).count()).toBe(0);
    await page.getByRole('link', { name: 'COOLIDGE DRIVE' }).click();
    await button(page, 'show').click();
    await page.locator(advice('drop')).waitFor();
    await page.locator('.steps button[value=offer_accepted]').click();
    await page.locator('.steps [aria-current=step] button[value=offer_accepted]').waitFor();
    await undo.click();
    await page.locator('.steps [aria-current=step] button[value=listed]').waitFor();
    await expect.poll(() => page.locator('#listing').innerText()).toMatch(/\$34,900/);
  });

  test('without script, an unlisted lot is graded by a price that is entered, changed, and reset', async () => {
    const user = await newUser(site.db);
    const page = await site.open('/deals', { script: false, as: user });
    const { rows } = await site.db.pool.query<{ id: number }>(
      "select property_id as id from parcels where fips = 33019 and apn = '000015 000012 000000'",
    );
    await setValue(site.db.pool, '000015 000012 000000', [1_000_000, 2_000_000, 9_500_000]);
    await field(page, 'what').fill(String(rows[0]!.id));
    await stage(page).selectOption('listed');
    await send(page, button(page, 'add'));
    await doDealJobs(site.db.pool);
    await page.goto('/deals');
    await page.locator('.advice a[href$="#price"]').click();
    await field(page, 'price').fill('$9m');
    await field(page, 'expected_sell_price').fill('8.5m');
    await send(page, page.locator(SAVE));
    await doDealJobs(site.db.pool);
    await page.reload();
    await page.locator(advice('hold')).waitFor();
    // Half a year later.
    await site.db.pool.query(
      'update deals set own_price_since = own_price_since - 180 where own_price is not null',
    );
    await enqueue(site.db.pool, gradeDealsJob, { fips: 33_019 });
    await doDealJobs(site.db.pool);
    await page.reload();
    await page.locator(advice('drop')).waitFor();
    await page.locator(CHANGE).click();
    await page.getByRole('alertdialog').waitFor();
    const change = button(page, 'price');
    const price = /\$[\d,]+/.exec((await change.textContent())!)![0];
    await send(page, change);
    await expect.poll(() => field(page, 'price').inputValue()).toBe(price);
    await expect.poll(() => field(page, 'expected_sell_price').inputValue()).toBe(price);
    await send(page, button(page, 'undo').filter({ hasText: '$9,000,000' }));
    await expect.poll(() => field(page, 'price').inputValue()).toBe('$9,000,000');
    await expect.poll(() => field(page, 'expected_sell_price').inputValue()).toBe('$8,500,000');
    // A price that was only shown is not the person's by saving.
    await field(page, 'misc_costs').fill('100');
    await send(page, page.locator(SAVE));
    await field(page, 'price').fill('');
    await send(page, page.locator(SAVE));
    await expect.poll(() => field(page, 'price').inputValue()).toBe('');
    await page.goto('/deals');
    await expect.poll(() => page.locator('.advice a[href$="#price"]').count()).toBe(1);
  });

  test('by keyboard on a dark phone, a price change shows its effect and can be undone', async () => {
    const user = await newUser(site.db);
    await valueCoolidge();
    const page = await site.open('/deals', { viewport: NARROW, as: user });
    await page.emulateMedia({ colorScheme: 'dark' });
    await tabTo(page, field(page, 'what'));
    await page.keyboard.type('14-341, Sullivan, NH');
    await tabTo(page, stage(page));
    await page.keyboard.type('Listed');
    await tabTo(page, button(page, 'add'));
    await page.keyboard.press('Enter');
    await page.locator('.card').waitFor();
    await doDealJobs(site.db.pool);
    await page.getByText('COOLIDGE DRIVE').waitFor();
    await page.reload();
    await tabTo(page, page.getByRole('link', { name: 'COOLIDGE DRIVE' }));
    await page.keyboard.press('Enter');
    await page.locator('#why .grade.C').waitFor();
    await tabTo(page, page.locator(CHANGE));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog');
    await expect.poll(() => dialog.evaluate(isModal)).toBe(true);
    await expect.poll(() => dialog.getByRole('link', { name: '$34,900' }).evaluate(isFocused)).toBe(true);
    // Esc is as harmless as that.
    await page.keyboard.press('Escape');
    // A closed dialog leads to the page without it.
    await page.waitForURL(({ search }) => search === '');
    await dialog.waitFor({ state: 'detached' });
    await tabTo(page, page.locator(CHANGE));
    await page.keyboard.press('Enter');
    await expect.poll(() => dialog.evaluate(isModal)).toBe(true);
    const typed = field(dialog, 'new_price');
    await tabTo(page, typed);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('31.9k');
    await dialog.getByText('$34,900 → $31,900').waitFor();
    await expect.poll(() => typed.evaluate(isFocused)).toBe(true);
    await tabTo(page, button(dialog, 'price').filter({ hasText: '$31,900' }));
    await page.keyboard.press('Enter');
    await page.locator('.toast', { hasText: '$31,900' }).waitFor();
    const undo = button(page, 'undo').filter({ hasText: '$34,900' }).first();
    await tabTo(page, undo);
    // What a worker finds meanwhile takes nobody's place away.
    const old = await undo.elementHandle();
    await doDealJobs(site.db.pool);
    await expect.poll(() => old!.evaluate(one => one.isConnected)).toBe(false);
    await expect.poll(() => undo.evaluate(isFocused)).toBe(true);
    await page.keyboard.press('Enter');
    await page.locator('#history li', { hasText: '$34,900' }).first().waitFor();
    await expect.poll(() => field(page, 'price').inputValue()).toBe('$34,900');
    await expect.poll(() => page.locator(UNDO).count()).toBe(0);
  });

  test('without script, a price change asks for confirmation and saves only the price shown', async () => {
    const user = await newUser(site.db);
    await valueCoolidge();
    const page = await site.open('/deals', { script: false, as: user });
    await field(page, 'what').fill('14-341, Sullivan, NH');
    await stage(page).selectOption('listed');
    await send(page, button(page, 'add'));
    await doDealJobs(site.db.pool);
    await page.goto('/deals');
    await page.getByRole('link', { name: 'COOLIDGE DRIVE' }).click();
    await field(page, 'agent_fee').fill('1,800');
    await field(page, 'price').fill('33k');
    await send(page, page.locator(SAVE));
    const dialog = page.getByRole('alertdialog');
    await button(dialog, 'price').filter({ hasText: '$33,000' }).waitFor();
    // All but the price is saved.
    await expect.poll(() => field(page, 'agent_fee').inputValue()).toBe('$1,800');
    await expect.poll(() => page.locator('#figures dd').first().textContent()).toBe('$34,900');
    await field(dialog, 'new_price').fill('20,000');
    await send(page, button(page, 'price').filter({ hasText: '$33,000' }));
    await dialog.getByText('$33,100 → $18,200').waitFor();
    await field(dialog, 'new_price').fill('little');
    await send(page, button(page, 'price').filter({ hasText: '$20,000' }));
    expect(faultsOf(page)).toEqual([expect.stringContaining('400')]);
    await dialog.locator('#new_price-told', { hasText: '"little"' }).waitFor();
    await field(dialog, 'new_price').fill('$20,000');
    await send(page, dialog.locator('button[type=submit]'));
    await send(page, button(page, 'price').filter({ hasText: '$20,000' }));
    await page.locator('.toast', { hasText: '$20,000' }).waitFor();
    await expect.poll(() => page.locator('#figures dd').first().textContent()).toBe('$20,000');
    await field(page, 'price').fill('');
    await send(page, page.locator(SAVE));
    await doDealJobs(site.db.pool);
    await page.reload();
    await expect.poll(() => page.locator('#figures dd').first().textContent()).toBe('$34,900');
  });

  test('without script, deals are added, moved, changed, and removed, and refusals are shown', async () => {
    const user = await newUser(site.db);
    const page = await site.open('/deals', { script: false, as: user });
    await field(page, 'what').fill('Barden Pond');
    await stage(page).selectOption('listed');
    await send(page, button(page, 'add'));
    const choice = button(page.locator('#messages .notice li'), 'add');
    await choice.first().waitFor();
    await expect.poll(() => choice.count()).toBe(3);
    await send(page, choice);
    await page.locator('.card summary').click();
    await page.locator('.card select').selectOption('sold');
    await send(page, button(page, 'move'));
    await expect.poll(() => page.locator(`${lane('sold')} .card`).count()).toBe(1);
    await doDealJobs(site.db.pool);
    await page.goto('/deals');
    await page.getByRole('link', { name: 'BARDEN POND ROAD' }).click();
    await field(page, 'misc_costs').fill('a lot');
    await send(page, page.locator(SAVE));
    expect(faultsOf(page)).toEqual([expect.stringContaining('400')]);
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('"a lot"');
    await field(page, 'misc_costs').fill('1.5k');
    await send(page, page.locator(SAVE));
    await expect.poll(() => field(page, 'misc_costs').inputValue()).toBe('$1,500');
    const { text, headers } = await exported(user);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="plat-deals-[\d-]+\.csv"$/);
    expect(text.split('\r\n')[1]).toContain(',sold,BARDEN POND ROAD,Sullivan,NH,');
    await field(page, 'contract_expiration_date').fill('2020-01-31');
    await send(page, page.locator(SAVE));
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await page.goto('/deals');
    await page.locator('.card summary').click();
    await page.locator('.card select').selectOption('');
    await send(page, button(page, 'move'));
    await expect.poll(() => page.locator('.lane').first().innerText()).toContain('Jan 31, 2020');
    await page.getByRole('link', { name: 'BARDEN POND ROAD' }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('Jan 31, 2020');
    await page.goto('/deals');
    await page.locator('.card summary').click();
    await send(page, button(page, 'remove'));
    await expect.poll(() => page.locator('.card').count()).toBe(1);
    await send(page, button(page, 'remove_now'));
    await expect.poll(() => page.locator('.card').count()).toBe(0);
  });

  test('another person of the company has a board of their own, also without an account', async () => {
    const ana = await newUser(site.db, { company: 'Lots & Co' });
    const first = await site.open('/deals', { as: ana });
    await field(first, 'what').fill('3301900000149');
    await stage(first).selectOption('listed');
    await button(first, 'add').click();
    await first.locator('.card').waitFor();
    const { rows } = await site.db.pool.query<{ id: string }>(
      `insert into users (company_id, email) select company_id, 'bob@lots.example' from users where id = $1 returning id`,
      [ana.id],
    );
    const bob = { ...ana, id: rows[0]!.id, email: 'bob@lots.example' };
    const second = await site.open('/deals', { as: bob });
    await expect.poll(() => second.locator('.card').count()).toBe(0);
  });

  test('a session looks at four boards at once, and what comes is versions alone', async () => {
    const user = await newUser(site.db);
    const client = visitor(site.api);
    await client.signIn(user);
    const over = new AbortController();
    const open = () =>
      fetch(`${site.api.url}/deals/events`, { headers: { Cookie: client.cookie! }, signal: over.signal });
    const streams = [await open(), await open(), await open(), await open()];
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { value } = await streams[0]!.body!.getReader().read();
    expect(Buffer.from(value!).toString()).toBe('data: 0\n\n');
    expect((await open()).status).toBe(429);
    over.abort();
    expect((await fetch(`${site.api.url}/deals/events`, { redirect: 'manual' })).status).toBe(303);
  });

  async function exported(user: Awaited<ReturnType<typeof newUser>>) {
    const client = visitor(site.api);
    await client.signIn(user);
    return client.open('/deals/export.csv');
  }
});
