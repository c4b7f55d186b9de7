import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { referenceOf } from '../../shared/model/row-reference.ts';
import { describePages, field, NARROW, README_PARCEL, send, visit, WIDE } from '../support/browser.ts';

/**
 * The visible targets that are lower than 44 px. A link within a sentence and a slider with its own field can
 * be smaller. Runs with every part of the page open.
 */
async function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    for (const details of document.querySelectorAll('details:not([name])')) details.setAttribute('open', '');
    const targets = [
      ...document.querySelectorAll<HTMLElement>('a, button, input, select, textarea, summary'),
    ];
    const isInSentence = (one: HTMLElement) =>
      getComputedStyle(one).display === 'inline' &&
      one.closest('p, li, small, label, dd, td, span')?.textContent?.trim() !== one.textContent?.trim();
    return targets.flatMap(one => {
      const label = (one as HTMLInputElement).labels?.[0];
      const { width, height } = one.getBoundingClientRect();
      const reach = Math.max(height, label?.getBoundingClientRect().height ?? 0);
      const isShown = width > 1 && one.checkVisibility({ visibilityProperty: true });
      const isExempt = one.matches('.skip, .unseen, [type=range], .credits *') || isInSentence(one);
      // The browser may round to less.
      return !isShown || isExempt || reach > 43.5
        ? []
        : [`${one.outerHTML.slice(0, 120)} ${Math.round(reach)} px`];
    });
  });
}

describePages('phones and laptops', site => {
  test('every target of the main pages can be tapped on a phone', async () => {
    const page = await site.open('/lists', { viewport: NARROW });
    await field(page, 'name').fill('Phones');
    await send(page, page.locator('main button[type=submit]').last());
    const list = new URL(page.url()).pathname;
    await visit(page, `/data?county=33019&parcel=${README_PARCEL}`);
    const others =
      '/markets /markets/33019 /markets?type=zip&state=NH /lists /deals /comping /exports /searches /coverage';
    const paths = [
      '/data',
      '/data?county=33019',
      `/data?county=33019&parcel=${README_PARCEL}`,
      ...others.split(' '),
      list,
      '/coverage/33019',
      '/account',
      '/search?q=main',
      `/replies?q=${referenceOf(README_PARCEL)}`,
    ];
    for (const path of paths) {
      await visit(page, path);
      expect(await smallTargets(page), path).toEqual([]);
    }
  });

  test('the stages of the deal board fit on a laptop', async () => {
    const page = await site.open('/deals', { viewport: WIDE });
    const board = page.locator('#board');
    const overflow = () => board.evaluate(one => one.scrollWidth - one.clientWidth);
    expect(await board.locator('.lane').count()).toBe(8);
    expect(await overflow()).toBeLessThanOrEqual(0);
    // With a deal in every stage, too.
    await board.evaluate(one => {
      for (const lane of one.querySelectorAll('.lane ol')) {
        const card = document.createElement('li');
        card.className = 'card';
        card.textContent = 'A deal';
        lane.append(card);
      }
    });
    expect(await overflow()).toBeLessThanOrEqual(0);
  });
});
