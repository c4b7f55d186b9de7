import { z } from 'zod';
import {
  type Cursor,
  type CursorSecret,
  type Place,
  readCursor,
  requestDigest,
  signCursor,
} from './cursor.ts';
import { link } from './endpoint.ts';
import { validationError } from './error-responses.ts';

/**
 * How all lists are paged. `next` and `previous` carry a cursor: the place of the row beside which
 * the page begins, so that reading on costs the same on every page, and a row that comes or goes meanwhile
 * shifts no other one. `page` alone counts rows from the start.
 *
 *   const page = await openPage(query, { endpoint, request: filters, call, secret });
 *   rows = read page.size + 1 rows: page.beside ? those beyond page.beside.place : from page.offset on
 *          (page.beside?.direction === 'previous': those before it, nearest first)
 *   count = page.count ?? count all
 *   answer = await turnPage(page, rows, count, placeOf)
 */

const wholeNumber = (most: number) =>
  z
    .string()
    .regex(/^[0-9]{1,9}$/, 'must be a whole number, given once')
    .transform(Number)
    .refine(value => value >= 1, 'must be 1 or more')
    .refine(value => value <= most, `must be at most ${most}`);

/** The last page that can be asked for by number: its offset stays far within a bigint. */
const LAST_PAGE = 100_000_000;

/** The query parameters of a list; spread them into the endpoint's query schema. */
export function pageParameters(sizes: { usual: number; most: number }) {
  return {
    page: wholeNumber(LAST_PAGE)
      .optional()
      .meta({
        description: 'The number of the page, from 1. A page past the end is an empty list.',
        override: { type: 'integer', minimum: 1, maximum: LAST_PAGE, default: 1, pattern: undefined },
      }),
    page_size: wholeNumber(sizes.most)
      .default(sizes.usual)
      .meta({
        description: 'Results a page.',
        override: {
          type: 'integer',
          minimum: 1,
          maximum: sizes.most,
          default: sizes.usual,
          pattern: undefined,
        },
      }),
    cursor: z
      .string('must be given once')
      .max(4_000, 'is not a cursor of this service')
      .optional()
      .describe('Part of the URLs in `next` and `previous`; opaque. It belongs to one request.'),
  };
}

export type PageQuery = { page?: number | undefined; page_size: number; cursor?: string | undefined };

/** The paginated envelope (a list of `item`). */
/** @param how the addresses of other pages are to be called */
export function pageOf<Item extends z.ZodType>(id: string, item: Item, how = '') {
  return z
    .object({
      count: z
        .int()
        .min(0)
        .describe('All matches across all pages, as counted when the walk through the pages began.'),
      next: link.nullable().describe(`URL of the next page; null on the last page.${how}`),
      previous: link.nullable().describe(`URL of the previous page; null on the first page.${how}`),
      results: z.array(item),
    })
    .meta({ id });
}

export type Page = {
  size: number;
  number: number;
  /** Rows to skip; 0 when there is a place. */
  offset: number;
  /** Read the rows beyond this one. */
  beside?: { place: Place; direction: 'next' | 'previous' };
  /** What the list counted when the walk began; absent: count it now. */
  count?: number;
  /** When the first page was read: what is counted from today is counted from then on every page. */
  asOf: Date;
  /** Makes the address of a page beside this one; without a place by number alone. */
  link(number: number, to?: { place: Place; direction: 'next' | 'previous'; count: number }): string;
};

export type PageDeps = {
  endpoint: string;
  /** Whatever decides which rows there are and in which order. */
  request: unknown;
  call: { url: URL; apiUrl: string; now: Date };
  secret: CursorSecret;
};

/** @throws PlatError `validation_error` for a cursor from elsewhere, or of another request or page */
export async function openPage(
  query: PageQuery,
  { endpoint, request, call, secret }: PageDeps,
): Promise<Page> {
  const key = await secret();
  const digest = requestDigest({ endpoint, request, size: query.page_size });
  const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor, key);
  if (query.cursor !== undefined) requireFit(cursor, digest, query.page);
  const number = cursor?.p ?? query.page ?? 1;
  const asOf = cursor === undefined ? call.now : new Date(cursor.t);

  return {
    size: query.page_size,
    number,
    offset: cursor === undefined ? (number - 1) * query.page_size : 0,
    ...(cursor && { beside: { place: cursor.k, direction: cursor.d }, count: cursor.n }),
    asOf,
    link(to, beside) {
      const url = new URL(call.url);
      url.searchParams.set('page', String(to));
      url.searchParams.delete('cursor');
      if (beside !== undefined) {
        const { place, direction, count } = beside;
        const next: Cursor = { r: digest, k: place, d: direction, p: to, n: count, t: asOf.getTime() };
        url.searchParams.set('cursor', signCursor(next, key));
      }
      return call.apiUrl + url.pathname + url.search;
    },
  };
}

function requireFit(cursor: Cursor | undefined, digest: string, page: number | undefined): void {
  if (cursor === undefined)
    throw validationError({
      cursor: ['is not a cursor of this service, or is no longer: begin again without it'],
    });
  if (cursor.r !== digest)
    throw validationError({
      cursor: ['belongs to another request: its filters, order and page_size must stay as they were'],
    });
  if (page !== undefined && page !== cursor.p)
    throw validationError({
      page: [`does not belong to the cursor, which leads to page ${cursor.p}: leave the cursor out`],
    });
}

export type PageResult<Row> = { count: number; next: string | null; previous: string | null; rows: Row[] };

/** The page in the list's order, with its neighbors' addresses. @param rows up to `page.size + 1` */
export function toPageResult<Row>(
  page: Page,
  rows: readonly Row[],
  count: number,
  placeOf: (row: Row) => Place,
): PageResult<Row> {
  const backwards = page.beside?.direction === 'previous';
  const more = rows.length > page.size;
  const shown = rows.slice(0, page.size);
  if (backwards) shown.reverse();
  if (shown.length === 0) return { count, next: null, previous: lastBefore(page, count), rows: shown };

  // There are rows where the page was reached from.
  const hasNext = backwards || more;
  const hasPrevious = backwards ? more : page.number > 1;
  const first = placeOf(shown[0]!);
  const last = placeOf(shown.at(-1)!);
  return {
    count,
    next: hasNext ? page.link(page.number + 1, { place: last, direction: 'next', count }) : null,
    previous: hasPrevious
      ? page.link(Math.max(1, page.number - 1), { place: first, direction: 'previous', count })
      : null,
    rows: shown,
  };
}

function lastBefore(page: Page, count: number): string | null {
  const last = Math.ceil(count / page.size);
  return page.number === 1 || last === 0 ? null : page.link(Math.min(page.number - 1, last));
}
