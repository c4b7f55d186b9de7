import { expect, test } from 'vitest';
import { prepareCounty } from '../../workers/comping/prepare-reports.ts';
import {
  describePages,
  drawn,
  ingestGround,
  inspect,
  NARROW,
  README_PARCEL,
  readmePicture,
  send,
  tabTo,
} from '../support/browser.ts';

const PARCEL = 3301900001047;

describePages('comp reports', site => {
  /** A report of the sample's parcel, begun on the parcel's page. @returns its path */
  async function newReport(parcel = PARCEL): Promise<string> {
    const { rows } = await site.db.pool.query<{ id: string }>(
      `insert into comp_reports (account_id, fips, property_id, wanted_at) values ($1, 33019, $2, now()) returning id`,
      [site.user.accountId, parcel],
    );
    await prepareCounty(site.db.pool, 33_019, new AbortController().signal);
    return `/comping/${rows[0]!.id}`;
  }
  type Page = Awaited<ReturnType<typeof site.open>>;
  const ready = (page: Page) => page.waitForSelector('.comping[data-ready]');
  const estimate = (page: Page) => page.locator('#strip dd').first().innerText();
  const rows = (page: Page) => page.locator('#comps li:visible');

  test("the model's comps in one click, one more by hand, one overridden: the figures follow; it can be printed", async () => {
    // Somebody who has nothing but the link.
    const page = await site.open(await newReport(), { as: null });
    await page.getByLabel('E-mail address').fill(site.user.email);
    await page.getByLabel('Password').fill(site.user.password);
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
    await ready(page);
    await expect.poll(() => estimate(page)).toBe('–');
    await page.getByRole('button', { name: "Use Plat's 7" }).click();
    await page.waitForSelector('.chosen');
    const [own, machine] = await page.locator('#strip .stat dd:first-of-type').allInnerTexts();
    expect(own).toBe(machine);
    const other = page.locator('#comps li input:not(:checked)').first();
    await other.check();
    await page.waitForFunction(() => document.querySelector('#strip')?.textContent?.includes('8 comps'));
    await expect.poll(() => estimate(page)).not.toBe(machine);
    const before = await estimate(page);
    await page.locator('.chosen summary').first().click();
    const form = page.locator('.override').first();
    await form.getByLabel('Percent').fill('-20');
    await form.getByLabel('Reason').fill('waterfront, ours has none');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('because waterfront, ours has none').waitFor();
    await expect.poll(() => estimate(page)).not.toBe(before);
    await inspect(page);
    await page.emulateMedia({ media: 'print' });
    expect(
      await page
        .locator('.picture, #cover .answer')
        .evaluateAll(all => all.map(one => one.checkVisibility())),
    ).toEqual([true, true]);
    expect(
      await page
        .locator('#map, #candidates, .actions, .changes, .bar')
        .evaluateAll(all => all.some(one => one.checkVisibility())),
    ).toBe(false);
  });

  test('by keyboard on a dark phone: two comps are taken off, the report is printed on whole pages, and shared', async () => {
    const page = await site.open(await newReport(), { viewport: NARROW });
    await page.emulateMedia({ colorScheme: 'dark' });
    await ready(page);
    await tabTo(page, page.getByRole('button', { name: "Use Plat's 7" }));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Comps used: 7' }).waitFor();
    const before = await estimate(page);
    const used = (n: number) => page.getByRole('heading', { name: `Comps used: ${n}` }).waitFor();
    for (const left of [6, 5]) {
      await tabTo(page, page.locator('.chosen button', { hasText: 'Take out' }).first());
      await page.keyboard.press('Enter');
      await used(left);
    }
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await used(6);
    await page.locator('.chosen button', { hasText: 'Take out' }).first().click();
    await used(5);
    await expect.poll(() => estimate(page)).not.toBe(before);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await expect
      .poll(() => page.locator('body').evaluate(body => getComputedStyle(body).color))
      .not.toMatch(/^rgb\(2/);
    await page.getByText(/^Made by Ana, /).waitFor();
    await page.locator('.toast').waitFor({ state: 'hidden' });
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    expect(pdf.match(/\/Type \/Page\b/g)!.length).toBeLessThanOrEqual(3);
    await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
    await tabTo(page, page.getByRole('button', { name: 'Share', exact: true }));
    await page.keyboard.press('Enter');
    await page.getByText('The link, which is shown this once').waitFor();
    const link = new URL((await page.locator('a.share').getAttribute('href'))!).pathname;
    const stranger = await site.open(link, { as: null });
    await expect.poll(() => stranger.locator('.chosen tbody tr').count()).toBe(5);
    await stranger.getByText("The report's estimate").waitFor();
  });

  test.runIf(process.env.README_PICTURES)('the picture of a report for the README', async () => {
    await ingestGround(site.db.pool);
    const page = await site.open(await newReport(README_PARCEL));
    await ready(page);
    await page.getByRole('button', { name: /^Use Plat's/ }).click();
    await page.waitForSelector('.chosen');
    await page.setViewportSize({ width: 1_440, height: 1_300 });
    await page.locator('#strip').evaluate(element => element.scrollIntoView());
    await readmePicture(page, 'report');
  });

  test('the list is filtered and ordered as one types, and points at the map as the map at it', async () => {
    const page = await site.open(await newReport());
    await ready(page);
    const all = await rows(page).count();
    for (const status of [/^sold \d/, /^pending \d/]) await page.getByLabel(status).uncheck();
    await expect.poll(() => rows(page).count()).toBeLessThan(all);
    const offered = await rows(page).count();
    await page.getByText('Filters', { exact: true }).click();
    await page.getByLabel('Acres, at least').fill('20');
    await expect.poll(() => rows(page).count()).toBeLessThan(offered);
    await page.getByLabel('Order').selectOption('-acres');
    await expect
      .poll(async () =>
        (await rows(page).locator('> small').allTextContents()).map(text =>
          Number(/([\d.]+) ac /.exec(text)?.[1]),
        ),
      )
      .toSatisfy(
        (sizes: number[]) => sizes.length > 1 && sizes.every((size, i) => i === 0 || size <= sizes[i - 1]!),
      );
    await page.getByLabel(/^for sale \d/).uncheck();
    await expect.poll(() => rows(page).count()).toBe(0);
    await page.getByText('Show all').click();
    await expect.poll(() => rows(page).count()).toBe(all);
    await expect.poll(() => page.getByLabel(/^for sale \d/).isChecked()).toBe(true);
    await drawn(page);
    const map = (await page.locator('#map').boundingBox())!;
    // Comps lie close: somewhere along lines across the map is one.
    for (let y = 0.35; y < 0.75 && (await page.locator('.pointed').count()) === 0; y += 0.05)
      for (let x = 0.1; x < 0.9 && (await page.locator('.pointed').count()) === 0; x += 0.006)
        await page.mouse.move(map.x + x * map.width, map.y + y * map.height);
    await expect.poll(() => page.locator('#comps .pointed').count()).toBe(1);
  });

  test('two windows: both selections stay, a title that the other has changed is not overwritten unseen', async () => {
    const path = await newReport();
    const [one, two] = [await site.open(path), await site.open(path)];
    await ready(one);
    await ready(two);
    await one.locator('#comps li input').nth(0).check();
    await one.waitForSelector('.chosen');
    await two.locator('#comps li input').nth(1).check();
    await two.waitForFunction(() => document.querySelector('#strip')?.textContent?.includes('2 comps'));
    await expect.poll(() => two.locator('#comps li input').nth(0).isChecked()).toBe(true);
    await one.getByLabel('Title', { exact: true }).fill('First');
    await one.getByText('Saved', { exact: true }).waitFor();
    await two.getByLabel('Title', { exact: true }).fill('Second');
    await two.getByText('changed in another window to “First”').waitFor();
    await expect.poll(() => two.getByLabel('Title', { exact: true }).inputValue()).toBe('Second');
  });

  test('without script: begun on the parcel, comps ticked and saved, shared, read by a stranger', async () => {
    const window = async (path: string) => {
      const page = await site.open(undefined, { script: false });
      await page.goto(path);
      return page;
    };
    /** No worker runs here: the page that waits for one is answered, and reloads until it is closed. */
    const waits = async (page: Page) => {
      await page.getByText('are being adjusted').waitFor();
      const { pathname } = new URL(page.url());
      await page.close();
      return pathname;
    };
    const list = await window('/comping');
    await list.getByLabel('New report of parcel').fill('7-44');
    await send(list, 'Find parcel');
    await expect.poll(() => list.getByRole('button', { name: /^Report of / }).count()).toBeGreaterThan(0);
    await list.getByLabel('New report of parcel').fill(String(PARCEL));
    await send(list, 'Find parcel');
    await list.getByRole('button', { name: /^Report of / }).click();
    await waits(list);
    const parcel = await window(`/data?parcel=${PARCEL}`);
    await parcel.getByRole('button', { name: 'Comp report' }).click();
    const path = await waits(parcel);
    await prepareCounty(site.db.pool, 33_019, new AbortController().signal);
    const page = await window(`${path}?status=SOLD&order=distance`);
    for (const i of [0, 1, 2]) await rows(page).nth(i).locator('input').check();
    await send(page, 'Save the selection');
    expect(page.url()).toContain('order=distance');
    await expect.poll(() => page.locator('#strip').innerText()).toContain('3 comps');
    await page.getByLabel('Title', { exact: true }).fill('For the buyer');
    await send(page, 'Save', page.locator('#texts'));
    await send(page, 'Share');
    const link = new URL((await page.locator('a.share').getAttribute('href'))!).pathname;
    const stranger = await site.open(link, { as: null });
    await expect.poll(() => stranger.locator('h1:visible').innerText()).toBe('For the buyer');
    await expect.poll(() => stranger.locator('.chosen tbody tr').count()).toBe(3);
    await inspect(stranger);
    await inspect(await site.open('/comping'));
  });
});
