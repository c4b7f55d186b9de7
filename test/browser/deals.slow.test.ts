import { expect, test } from 'vitest';
import { enqueue } from '../../shared/queue/jobs.ts';
import { gradeDealsJob } from '../../workers/deals/grade-deals-job.ts';
import { describePages, faultsOf, inspect, isFocused, NARROW, send, tabTo } from '../support/browser.ts';
import { doDealJobs } from '../support/deals.ts';
import { newUser, visitor } from '../support/visitor.ts';

/** In the page: its script has come, and Esc closes it. */
const isModal = (dialog: Element): boolean => dialog.matches(':modal');

describePages('deals', site => {
  const lane = (stage: string) => `.lane[data-stage=${stage}]`;

  test('add, watch it fill, drag, move by keys, take the advice: after a reload all is still there', async () => {
    const page = await site.open('/deals');
    const add = async (what: string, price: string) => {
      await page.locator('details.add').evaluate(one => one.setAttribute('open', ''));
      await page.getByLabel('Parcel id, APN or address').fill(what);
      if (!(await page.getByLabel('Purchase price').isVisible()))
        await page.getByText('Price and costs').click();
      await page.getByLabel('Purchase price').fill(price);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
    };
    await add('14-341, Sullivan, NH', '$9.5k');
    await page.getByText('Looking for its listing').waitFor();
    await doDealJobs(site.db.pool);
    // No reload: an event tells the page.
    await page.locator('.card', { hasText: 'COOLIDGE DRIVE' }).waitFor();
    await expect.poll(() => page.getByText('Looking for its listing').count()).toBe(0);
    await add('9-11, Sullivan, NH', '11,000');
    await page.locator('.card').nth(1).waitFor();
    await doDealJobs(site.db.pool);
    const card = page.locator('.card', { hasText: 'DEER VALLEY ROAD' });
    await card.waitFor();
    await expect.poll(() => page.locator(lane('listed')).locator('h2').textContent()).toBe('Listed 2');

    await card.dragTo(page.locator(lane('in_title')));
    await page.locator(`${lane('in_title')} .card`).waitFor();
    await page.locator(`${lane('in_title')} .count`, { hasText: '1' }).waitFor();
    await page.getByRole('link', { name: 'COOLIDGE DRIVE' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('COOLIDGE DRIVE is now number 1 in Offer received.').waitFor();
    await page.getByText('Coolidge Drive moved to Offer received.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator(`${lane('listed')} .card`).waitFor();
    await doDealJobs(site.db.pool);

    const coolidge = page.locator('.card', { hasText: 'COOLIDGE DRIVE' });
    await coolidge.getByText(/^Drop to \$[\d,]+00: profit falls from \$25,400 to \$[\d,]+\./).waitFor();
    await inspect(page);
    // Nothing is changed before it is confirmed, and the harmless choice has the focus.
    await coolidge.getByRole('link', { name: 'Change price…' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Change the list price?' });
    await dialog
      .getByText(/^\$25,400 → \$[\d,]+$/)
      .first()
      .waitFor();
    await expect
      .poll(() => dialog.getByRole('link', { name: 'Keep $34,900' }).evaluate(isFocused))
      .toBe(true);
    await inspect(page);
    const change = dialog.getByRole('button', { name: /^Change to \$[\d,]+00$/ });
    const price = (await change.textContent())!.replace('Change to ', '');
    await change.click();
    await page.getByText(`The list price is now ${price}, as advised.`).waitFor();
    await doDealJobs(site.db.pool);
    await page.goto('/deals');
    await coolidge.getByText('Hold the price.').waitFor();
    await expect
      .poll(() => page.locator(`${lane('in_title')} .card h3`).allTextContents())
      .toEqual(['Deer Valley Road']);
    await expect.poll(() => coolidge.locator('dd').first().textContent()).toBe(price);
    await page.getByRole('link', { name: 'COOLIDGE DRIVE' }).click();
    await page.getByText(`List price ${price}, as advised`).waitFor();
    await page.getByRole('heading', { name: 'Recommendation: hold the price' }).waitFor();
    await inspect(page);
    await page.getByRole('button', { name: 'Undo: back to $34,900' }).click();
    await page.getByText('Working out the advice').waitFor();
    await doDealJobs(site.db.pool);
    // No reload: an event tells the page.
    await page.getByRole('heading', { name: 'Recommendation: drop the price' }).waitFor();
    await expect.poll(() => page.getByLabel('List price', { exact: true }).inputValue()).toBe('34900');
    // An undo is not undone in turn; what is left takes back what is typed.
    await expect.poll(() => page.getByRole('button', { name: /^Undo(?! changes)/ }).count()).toBe(0);
    // What one answers to an advice can be taken back, too, as can another stage.
    const undo = page.locator('.toast').getByRole('button', { name: 'Undo' });
    await page.getByRole('button', { name: 'Hold for 30 days' }).click();
    await page.getByRole('heading', { name: /^You hold the price until / }).waitFor();
    await undo.click();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('heading', { name: 'Recommendation dismissed' }).waitFor();
    await inspect(page);
    await page.goto('/deals');
    await expect.poll(() => coolidge.getByText('Drop to').count()).toBe(0);
    await page.getByRole('link', { name: 'COOLIDGE DRIVE' }).click();
    await page.getByRole('button', { name: 'Show the recommendation' }).click();
    await page.getByRole('heading', { name: 'Recommendation: drop the price' }).waitFor();
    await page.getByRole('button', { name: 'Offer accepted' }).click();
    await page.getByText('Moved to Offer accepted.').waitFor();
    await undo.click();
    await page.locator('.steps [aria-current=step]', { hasText: 'Listed' }).waitFor();
    await expect.poll(() => page.locator('#listing').innerText()).toMatch(/Asking\s+\$34,900/);
  });

  test('without script: a lot without a listing is graded by a price that is typed, advised, changed and set back', async () => {
    const user = await newUser(site.db);
    const page = await site.open('/deals', { script: false, as: user });
    const { rows } = await site.db.pool.query<{ id: number }>(
      "select property_id as id from parcels where fips = 33019 and apn = '000015 000012 000000'",
    );
    await page.getByLabel('Parcel id, APN or address').fill(String(rows[0]!.id));
    await send(page, 'Add');
    await doDealJobs(site.db.pool);
    await page.goto('/deals');
    await page.getByRole('link', { name: 'enter a list price' }).click();
    await page.getByLabel('List price', { exact: true }).fill('$9m');
    await page.getByLabel('Expected sell price').fill('8.5m');
    await send(page, 'Save');
    await doDealJobs(site.db.pool);
    await page.reload();
    await page.getByRole('heading', { name: 'Recommendation: hold the price' }).waitFor();
    // Half a year later.
    await site.db.pool.query(
      'update deals set own_price_since = own_price_since - 180 where own_price is not null',
    );
    await enqueue(site.db.pool, gradeDealsJob, { fips: 33_019 });
    await doDealJobs(site.db.pool);
    await page.reload();
    await page.getByRole('heading', { name: 'Recommendation: drop the price' }).waitFor();
    await page.getByRole('link', { name: 'Change price…' }).click();
    await page.getByRole('alertdialog').waitFor();
    const change = page.getByRole('button', { name: /^Change to/ });
    const price = (await change.textContent())!.replace(/\D/g, '');
    await send(page, (await change.textContent())!);
    await expect.poll(() => page.getByLabel('List price', { exact: true }).inputValue()).toBe(price);
    await expect.poll(() => page.getByLabel('Expected sell price').inputValue()).toBe(price);
    await send(page, 'Undo: back to $9,000,000');
    await expect.poll(() => page.getByLabel('List price', { exact: true }).inputValue()).toBe('9000000');
    await expect.poll(() => page.getByLabel('Expected sell price').inputValue()).toBe('8500000');
    // A price that was only shown is not the person's by saving.
    await page.getByLabel('Other costs').fill('100');
    await send(page, 'Save');
    await page.getByLabel('List price', { exact: true }).fill('');
    await send(page, 'Save');
    await expect.poll(() => page.getByLabel('List price', { exact: true }).inputValue()).toBe('');
    await page.goto('/deals');
    await expect.poll(() => page.getByText('Not listed yet').count()).toBe(1);
  });

  test('by keyboard on a dark phone: another price is asked for, says what it does, is set, and undone', async () => {
    const user = await newUser(site.db);
    const page = await site.open('/deals', { viewport: NARROW, as: user });
    await page.emulateMedia({ colorScheme: 'dark' });
    await tabTo(page, page.getByLabel('Parcel id, APN or address'));
    await page.keyboard.type('14-341, Sullivan, NH');
    await page.keyboard.press('Enter');
    await page.locator('.card').waitFor();
    await doDealJobs(site.db.pool);
    await page.getByText('COOLIDGE DRIVE').waitFor();
    await page.reload();
    await tabTo(page, page.getByRole('link', { name: 'COOLIDGE DRIVE' }));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Why C' }).waitFor();
    await tabTo(page, page.getByRole('link', { name: 'Change price…' }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog', { name: 'Change the list price?' });
    await expect.poll(() => dialog.evaluate(isModal)).toBe(true);
    await expect
      .poll(() => dialog.getByRole('link', { name: 'Keep $34,900' }).evaluate(isFocused))
      .toBe(true);
    // Esc is as harmless as that.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await tabTo(page, page.getByRole('link', { name: 'Change price…' }));
    await page.keyboard.press('Enter');
    await expect.poll(() => dialog.evaluate(isModal)).toBe(true);
    const field = dialog.getByLabel('New list price');
    await tabTo(page, field);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('31.9k');
    await dialog.getByText('$34,900 → $31,900').waitFor();
    await expect.poll(() => field.evaluate(isFocused)).toBe(true);
    await tabTo(page, dialog.getByRole('button', { name: 'Change to $31,900' }));
    await page.keyboard.press('Enter');
    await page.getByText('The list price is now $31,900.').waitFor();
    const undo = page.getByRole('button', { name: 'Undo: back to $34,900' }).first();
    await tabTo(page, undo);
    // What a worker finds meanwhile takes nobody's place away.
    const old = await undo.elementHandle();
    await doDealJobs(site.db.pool);
    await expect.poll(() => old!.evaluate(one => one.isConnected)).toBe(false);
    await expect.poll(() => undo.evaluate(isFocused)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByText('List price $34,900', { exact: true }).first().waitFor();
    await expect.poll(() => page.getByLabel('List price', { exact: true }).inputValue()).toBe('34900');
    await expect.poll(() => page.getByRole('button', { name: /^Undo(?! changes)/ }).count()).toBe(0);
  });

  test('without script: a price in the form is asked for once more, and what is confirmed is what was shown', async () => {
    const user = await newUser(site.db);
    const page = await site.open('/deals', { script: false, as: user });
    await page.getByLabel('Parcel id, APN or address').fill('14-341, Sullivan, NH');
    await send(page, 'Add');
    await doDealJobs(site.db.pool);
    await page.goto('/deals');
    await page.getByRole('link', { name: 'COOLIDGE DRIVE' }).click();
    await page.getByLabel('Agent fee').fill('1,800');
    await page.getByLabel('List price', { exact: true }).fill('33k');
    await send(page, 'Save');
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: 'Change to $33,000' }).waitFor();
    // All but the price is saved.
    await expect.poll(() => page.getByLabel('Agent fee').inputValue()).toBe('1800');
    await expect.poll(() => page.locator('#figures dd').first().textContent()).toBe('$34,900');
    await dialog.getByLabel('New list price').fill('20,000');
    await send(page, 'Change to $33,000');
    await dialog.getByText('$33,100 → $18,200').waitFor();
    await dialog.getByLabel('New list price').fill('little');
    await send(page, 'Change to $20,000');
    expect(faultsOf(page)).toEqual([expect.stringContaining('400')]);
    await dialog.getByText('"little" is no price.').waitFor();
    await dialog.getByLabel('New list price').fill('$20,000');
    await send(page, 'Show what it does');
    await send(page, 'Change to $20,000');
    await page.getByText('The list price is now $20,000.').waitFor();
    await expect.poll(() => page.locator('#figures dd').first().textContent()).toBe('$20,000');
    await page.getByLabel('List price', { exact: true }).fill('');
    await send(page, 'Save');
    await doDealJobs(site.db.pool);
    await page.reload();
    await expect.poll(() => page.locator('#figures dd').first().textContent()).toBe('$34,900');
  });

  test('without script: add by an address, choose, move, change, remove; what is refused is told', async () => {
    const user = await newUser(site.db);
    const page = await site.open('/deals', { script: false, as: user });
    await page.getByLabel('Parcel id, APN or address').fill('Barden Pond');
    await send(page, 'Add');
    await page.getByText('Which parcel is it?').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Add this' }).count()).toBe(3);
    await send(page, 'Add this');
    await page.locator('.card summary').click();
    await page.locator('.card select').selectOption('sold');
    await send(page, 'Move');
    await expect.poll(() => page.locator(`${lane('sold')} .card`).count()).toBe(1);
    await doDealJobs(site.db.pool);
    await page.goto('/deals');
    await page.getByRole('link', { name: 'BARDEN POND ROAD' }).click();
    await page.getByLabel('Other costs').fill('a lot');
    await send(page, 'Save');
    expect(faultsOf(page)).toEqual([expect.stringContaining('400')]);
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('"a lot" is no amount');
    await page.getByLabel('Other costs').fill('1.5k');
    await send(page, 'Save');
    await expect.poll(() => page.getByLabel('Other costs').inputValue()).toBe('1500');
    const { text, headers } = await exported(user);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="plat-deals-[\d-]+\.csv"$/);
    expect(text.split('\r\n')[1]).toContain(',sold,BARDEN POND ROAD,Sullivan,NH,');
    await page.getByLabel('Contract expires').fill('2020-01-31');
    await send(page, 'Save');
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await page.goto('/deals');
    await page.locator('.card summary').click();
    await page.locator('.card select').selectOption('');
    await send(page, 'Move');
    await expect
      .poll(() => page.locator('.lane').first().innerText())
      .toContain('contract ended Jan 31, 2020');
    await page.getByRole('link', { name: 'BARDEN POND ROAD' }).click();
    await expect
      .poll(() => page.getByRole('alert').textContent())
      .toContain('Its contract ended on Jan 31, 2020');
    await page.goto('/deals');
    await page.locator('.card summary').click();
    await send(page, 'Remove');
    await expect.poll(() => page.locator('.card').count()).toBe(1);
    await send(page, 'Remove Barden Pond Road');
    await expect.poll(() => page.locator('.card').count()).toBe(0);
  });

  test('another person of the company has a board of their own, also without an account', async () => {
    const ana = await newUser(site.db, { company: 'Lots & Co' });
    const first = await site.open('/deals', { as: ana });
    await first.getByLabel('Parcel id, APN or address').fill('3301900000149');
    await first.getByRole('button', { name: 'Add', exact: true }).click();
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
