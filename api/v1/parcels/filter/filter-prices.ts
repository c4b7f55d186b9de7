import { costOf, PRICES } from '../../../../shared/model/prices.ts';

export const PAGE_SIZES = { usual: 25, most: 500 };

export function pricesOf(count: number) {
  const page = costOf(PRICES.filterPage, count === 0 ? 0 : 1);
  return {
    page_25: page,
    page_500: page,
    all_pages: costOf(PRICES.filterPage, Math.ceil(count / PAGE_SIZES.most)),
    export: costOf(PRICES.exportRows, count),
  };
}
