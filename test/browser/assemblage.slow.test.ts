import { expect, test } from 'vitest';
import { describePages, field, inspect, send } from '../support/browser.ts';

/** Two lots of one owner in the sample that touch. */
const [LARGE, SMALL] = [3301900001047, 3301900001053];

describePages('an assemblage', site => {
  test('is drawn with the open parcel, leads to its other lots, and is one row of a list', async () => {
    const page = await site.open(`/data?parcel=${SMALL}`);
    const map = page.locator('#map');
    expect(await map.getAttribute('data-together')).toBe(`${LARGE} ${SMALL}`);
    await page.locator('.tabs a[href="#assemblage"]').click();
    await inspect(page);
    await page.locator('#assemblage .hits a').click();
    await expect
      .poll(() => page.locator('#assemblage .hits a').getAttribute('href'))
      .toContain(String(SMALL));

    const list = await site.open('/lists');
    await field(list, 'name').fill('Together');
    await field(list, 'name').press('Enter');
    await expect.poll(() => list.locator('h1').textContent()).toBe('Together');
    await list
      .locator('details', { has: field(list, 'numbers') })
      .locator('summary')
      .click();
    await field(list, 'numbers').fill(`${LARGE}\n${SMALL}`);
    await list.locator('select[name=county]').selectOption('');
    await send(list, list.locator('[value=add]'));
    await expect.poll(() => list.locator('.list-rows tbody tr').count()).toBe(1);
    await field(list, 'rows_per').selectOption('parcel');
    await send(list, list.locator('.list-settings [value=settings]'));
    await expect.poll(() => list.locator('.list-rows tbody tr').count()).toBe(2);
    await field(list, 'rows_per').selectOption('assemblage');
    await send(list, list.locator('.list-settings [value=settings]'));
    await expect.poll(() => list.locator('.list-rows tbody tr').count()).toBe(1);
    expect(await field(list, 'rows_per').inputValue()).toBe('assemblage');
    // The row has the acres of both lots, and names those of the larger one.
    const row = list.locator('.list-rows tbody tr');
    const acresIn = async (at: string) =>
      Number(/([\d.]+)/.exec((await row.locator(at).textContent())!.replace(/largest of 2/, ''))![0]);
    expect(await acresIn('[data-name=Acres]')).toBeGreaterThan(await acresIn('td:nth-child(3) small'));
    await inspect(list);
    await list.goto(`${site.api.url}/exports?list_id=${list.url().split('/').at(-1)!.split(/[?#]/)[0]}`);
    expect(await field(list, 'rows_per').inputValue()).toBe('assemblage');
    await inspect(list);
  });
});
