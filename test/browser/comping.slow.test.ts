import { expect, test } from 'vitest';
import { prepareCounty } from '../../workers/comping/prepare-reports.ts';
import {
  button,
  describePages,
  drawn,
  field,
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
  /** A report of the sample's parcel without comps. @returns its path */
  async function newReport(parcel = PARCEL): Promise<string> {
    const { rows } = await site.db.pool.query<{ id: string }>(
      `insert into comp_reports (account_id, fips, property_id, wanted_at) values ($1, 33019, $2, now()) returning id`,
      [site.user.accountId, parcel],
    );
    await prepareCounty(site.db.pool, 33_019, new AbortController().signal);
    await site.db.pool.query('delete from comp_report_comps where report_id = $1', [rows[0]!.id]);
    return `/comping/${rows[0]!.id}`;
  }
  type Page = Awaited<ReturnType<typeof site.open>>;
  const ready = (page: Page) => page.waitForSelector('.comping[data-ready]');
  const estimate = (page: Page) => page.locator('#strip dd').first().innerText();
  const rows = (page: Page) => page.locator('#comps li:visible');
  /** The button that chooses the model's comps, and their number on it. */
  async function modelButton(page: Page) {
    const choose = button(page, 'model');
    const comps = Number(/\d+/.exec(await choose.innerText())![0]);
    expect(comps).toBeGreaterThan(2);
    return { choose, comps };
  }

  test("the model's comps are added in one click, one more by hand, and one adjusted: the figures follow, and the report prints", async () => {
    // Somebody who has nothing but the link.
    const page = await site.open(await newReport(), { as: null });
    await field(page, 'email').fill(site.user.email);
    await field(page, 'password').fill(site.user.password);
    await button(page, 'password').click();
    await ready(page);
    await expect.poll(() => estimate(page)).toBe('–');
    const { choose, comps } = await modelButton(page);
    await choose.click();
    await page.waitForSelector('.chosen');
    await expect.poll(() => page.locator('.chosen tbody tr').count()).toBe(comps);
    const [own, machine] = await page.locator('#strip .stat dd:first-of-type').allInnerTexts();
    expect(own).toBe(machine);
    const other = page.locator('#comps li input:not(:checked)').first();
    await other.check();
    await page.locator('#strip', { hasText: `${comps + 1} comps` }).waitFor();
    await expect.poll(() => estimate(page)).not.toBe(machine);
    const before = await estimate(page);
    await page.locator('.chosen summary').first().click();
    const form = page.locator('.override').first();
    await field(form, 'percent').fill('-20');
    await field(form, 'reason').fill('waterfront, ours has none');
    await button(form, 'override').click();
    await page.getByText('waterfront, ours has none').first().waitFor();
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

  test('two comps are removed by keyboard on a dark phone, and the report is printed and shared', async () => {
    const page = await site.open(await newReport(), { viewport: NARROW });
    await page.emulateMedia({ colorScheme: 'dark' });
    await ready(page);
    const { choose, comps } = await modelButton(page);
    await tabTo(page, choose);
    await page.keyboard.press('Enter');
    const used = (n: number) => page.locator('#used-title', { hasText: new RegExp(`\\b${n}\\b`) }).waitFor();
    await used(comps);
    const before = await estimate(page);
    const takeOut = page.locator('.chosen button[value=remove]').first();
    for (const left of [comps - 1, comps - 2]) {
      await tabTo(page, takeOut);
      await page.keyboard.press('Enter');
      await used(left);
    }
    await page.locator('.toast button').click();
    await used(comps - 1);
    await takeOut.click();
    await used(comps - 2);
    await expect.poll(() => estimate(page)).not.toBe(before);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await expect
      .poll(() => page.locator('body').evaluate(body => getComputedStyle(body).color))
      .not.toMatch(/^rgb\(2/);
    await page
      .getByText(/\bAna, /)
      .first()
      .waitFor();
    await page.locator('.toast').waitFor({ state: 'hidden' });
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    expect(pdf.match(/\/Type \/Page\b/g)!.length).toBeLessThanOrEqual(3);
    await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
    await tabTo(page, page.locator('#share summary'));
    await page.keyboard.press('Enter');
    await inspect(page);
    await page.setViewportSize(NARROW);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await tabTo(page, button(page, 'share'));
    await page.keyboard.press('Enter');
    const shown = page.locator('#share[data-link]');
    await shown.waitFor();
    const address = (await shown.getAttribute('data-link'))!;
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(address);
    await expect.poll(() => page.locator('#share pre').innerText()).toBe(address);
    await page.reload();
    await ready(page);
    expect(await shown.getAttribute('data-link')).toBe(address);
    const link = new URL(address).pathname;
    const stranger = await site.open(link, { as: null });
    await expect.poll(() => stranger.locator('.chosen tbody tr').count()).toBe(comps - 2);
    await stranger.locator('#strip').waitFor();
  });

  test.runIf(process.env.README_PICTURES)('the picture of a report for the README', async () => {
    await ingestGround(site.db.pool);
    const page = await site.open(await newReport(README_PARCEL));
    await ready(page);
    await button(page, 'model').click();
    await page.waitForSelector('.chosen');
    await page.setViewportSize({ width: 1_440, height: 1_300 });
    await page.locator('#strip').evaluate(element => element.scrollIntoView());
    await readmePicture(page, 'report');
  });

  test("the list is filtered and sorted while typing, and the list and the map highlight each other's items", async () => {
    const page = await site.open(await newReport());
    await ready(page);
    const all = await rows(page).count();
    const offer = (status: string) => page.locator(`#filters [name=status][value=${status}]`);
    for (const status of ['SOLD', 'PENDING']) await offer(status).uncheck();
    await expect.poll(() => rows(page).count()).toBeLessThan(all);
    const offered = await rows(page).count();
    await page.locator('#filters summary').click();
    await field(page, 'acres_min').fill('20');
    await expect.poll(() => rows(page).count()).toBeLessThan(offered);
    await page.locator('#filters [name=order]').selectOption('-acres');
    await expect
      .poll(async () =>
        (await rows(page).locator('> small').allTextContents()).map(text =>
          Number(/([\d.]+) ac /.exec(text)?.[1]),
        ),
      )
      .toSatisfy(
        (sizes: number[]) => sizes.length > 1 && sizes.every((size, i) => i === 0 || size <= sizes[i - 1]!),
      );
    await offer('ACTIVE').uncheck();
    await expect.poll(() => rows(page).count()).toBe(0);
    await page.locator('#unfilter').click();
    await expect.poll(() => rows(page).count()).toBe(all);
    await expect.poll(() => offer('ACTIVE').isChecked()).toBe(true);
    await drawn(page);
    const map = (await page.locator('#map').boundingBox())!;
    // Comps lie close: somewhere along lines across the map is one.
    for (let y = 0.35; y < 0.75 && (await page.locator('.pointed').count()) === 0; y += 0.05)
      for (let x = 0.1; x < 0.9 && (await page.locator('.pointed').count()) === 0; x += 0.006)
        await page.mouse.move(map.x + x * map.width, map.y + y * map.height);
    await expect.poll(() => page.locator('#comps .pointed').count()).toBe(1);
  });

  test('two windows: both selections are kept, and a title changed in the other window is not overwritten silently', async () => {
    const path = await newReport();
    const [one, two] = [await site.open(path), await site.open(path)];
    await ready(one);
    await ready(two);
    await one.locator('#comps li input').nth(0).check();
    await one.waitForSelector('.chosen');
    await two.locator('#comps li input').nth(1).check();
    await two.waitForFunction(() => document.querySelector('#strip')?.textContent?.includes('2 comps'));
    await expect.poll(() => two.locator('#comps li input').nth(0).isChecked()).toBe(true);
    await field(one, 'title').fill('First');
    const stored = () => site.db.pool.query('select title from comp_reports where id = $1', [path.slice(9)]);
    await expect.poll(async () => (await stored()).rows).toEqual([{ title: 'First' }]);
    await field(two, 'title').fill('Second');
    await two.locator('#saved', { hasText: '“First”' }).waitFor();
    await expect.poll(() => field(two, 'title').inputValue()).toBe('Second');
  });

  test('without script, a report is created from a parcel, edited, shared, and read by a stranger', async () => {
    const window = async (path: string) => {
      const page = await site.open(undefined, { script: false });
      await page.goto(path);
      return page;
    };
    /** No worker runs here: the page that waits for one is answered, and reloads until it is closed. */
    const waits = async (page: Page) => {
      await page.waitForURL(/\/comping\/[\w-]{36}/, { waitUntil: 'commit' });
      const { pathname } = new URL(page.url());
      await page.close();
      return pathname;
    };
    const list = await window('/comping');
    const find = list.locator('.new-report button');
    const choice = list.locator('form[action="/comping"] button.second');
    await field(list, 'find').fill('7-44');
    await send(list, find);
    await expect.poll(() => choice.count()).toBeGreaterThan(0);
    await field(list, 'find').fill(String(PARCEL));
    await send(list, find);
    await choice.click();
    await waits(list);
    const parcel = await window(`/data?parcel=${PARCEL}`);
    await parcel.locator('form[action="/comping"] button').click();
    const path = await waits(parcel);
    await prepareCounty(site.db.pool, 33_019, new AbortController().signal);
    const cleared = await window(path);
    await send(cleared, button(cleared, 'clear'));
    const page = await window(`${path}?status=SOLD&order=distance`);
    for (const i of [0, 1, 2]) await rows(page).nth(i).locator('input').check();
    await send(page, page.locator('#candidates .noscript button'));
    expect(page.url()).toContain('order=distance');
    await expect.poll(() => page.locator('#strip').innerText()).toContain('3 comps');
    await field(page, 'title').fill('For the buyer');
    await send(page, page.locator('#texts button'));
    await page.locator('#share summary').click();
    await send(page, button(page, 'share'));
    const link = new URL((await page.locator('#share').getAttribute('data-link'))!).pathname;
    const stranger = await site.open(link, { as: null });
    await expect.poll(() => stranger.locator('h1:visible').innerText()).toBe('For the buyer');
    await expect.poll(() => stranger.locator('.chosen tbody tr').count()).toBe(3);
    await inspect(stranger);
    await inspect(await site.open('/comping'));
  });
});
