/** A page of the filter that has something in it, whatever its size. */
export const PAGE_TOKENS = 30;

export const PAGE_SIZES = { usual: 25, most: 500 };

/** What the results of a filter cost, in tokens. */
export function pricesOf(count: number) {
  const page = count === 0 ? 0 : PAGE_TOKENS;
  return {
    page_25: page,
    page_500: page,
    all_pages: PAGE_TOKENS * Math.ceil(count / PAGE_SIZES.most),
    export: count,
  };
}
