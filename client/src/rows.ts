import { type Result, unwrap } from './results.ts';

type Page<Row> = {
  results: Row[];
  next?: string | null;
  next_cursor?: string | null;
  has_more?: boolean;
};

/** The place of a page. The first page has no cursor. */
export type At = { cursor?: string };

/**
 * Reads pages by cursor. Each page is requested, and paid for, when the loop reaches it.
 *
 *   for await (const page of pages(at => plat.GET('/api/public/v1/comps/', {
 *     params: { query: { fips: '33019', ...at } },
 *   }))) …
 *
 * @param getPage requests a page. `at` is part of its query. Nothing else may change from page to page
 * @throws PlatError
 */
export async function* pages<Of extends Page<unknown>>(
  getPage: (at: At) => Result<Of>,
): AsyncGenerator<Of, void, void> {
  for (let at: At | undefined = {}; at !== undefined; ) {
    const page: Of = await unwrap(getPage(at));
    at = after(page);
    yield page;
  }
}

/** The rows of all pages. @throws PlatError */
export async function* rows<Row>(getPage: (at: At) => Result<Page<Row>>): AsyncGenerator<Row, void, void> {
  for await (const { results } of pages(getPage)) yield* results;
}

/** Undefined after the last page. Changes have a cursor even then. */
function after({ next, next_cursor, has_more }: Page<unknown>): At | undefined {
  const cursor =
    has_more === undefined
      ? next && new URL(next, 'http://localhost').searchParams.get('cursor')
      : has_more && next_cursor;
  return cursor ? { cursor } : undefined;
}
