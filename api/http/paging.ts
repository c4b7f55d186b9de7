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
 * Paging for all lists. `next` and `previous` contain a cursor, which is the position of the row adjacent to
 * the page. Every page therefore costs the same, and rows that are added or removed in the meantime don't
 * shift others. `page` without a cursor counts rows from the start.
 *
 *   const page = await openPage(query, { endpoint, request: filters, call, secret });
 *   rows = up to page.size + 1 rows beyond page.cursorPosition.place, or from page.offset without a cursor
 *          (for the direction 'previous': rows before it, nearest first)
 *   count = page.count ?? count all
 *   result = toPageResult(page, rows, count, placeOf)
 */

const wholeNumber = (most: number) =>
  z
    .string()
    .regex(/^[0-9]{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine(value => value >= 1, 'must be 1 or more')
    .refine(value => value <= most, `must be at most ${most}`);

/** The highest page number. Its offset stays well within a bigint. */
const LAST_PAGE = 100_000_000;

/** The query parameters of a list. Spread them into the endpoint's query schema. */
export function pageParameters(sizes: { usual: number; most: number }) {
  return {
    page: wholeNumber(LAST_PAGE)
      .optional()
      .meta({
        description: 'Page number, starting at 1. A page past the end has no results.',
        override: { type: 'integer', minimum: 1, maximum: LAST_PAGE, default: 1, pattern: undefined },
      }),
    page_size: wholeNumber(sizes.most)
      .default(sizes.usual)
      .meta({
        description: 'Results per page.',
        override: {
          type: 'integer',
          minimum: 1,
          maximum: sizes.most,
          default: sizes.usual,
          pattern: undefined,
        },
      }),
    cursor: z
      .string('must appear only once')
      .max(4_000, 'is not a valid cursor')
      .optional()
      .describe('Opaque. Part of the URLs in `next` and `previous`, valid only for the same request.'),
  };
}

export type PageQuery = { page?: number | undefined; page_size: number; cursor?: string | undefined };

/** The envelope of a page of `item`. @param how how to call the URLs of other pages */
export function pageOf<Item extends z.ZodType>(id: string, item: Item, how = '') {
  return z
    .object({
      count: z
        .int()
        .min(0)
        .describe('Total number of matches across all pages, as counted when the first page was requested.'),
      next: link.nullable().describe(`URL of the next page. Null on the last page.${how}`),
      previous: link.nullable().describe(`URL of the previous page. Null on the first page.${how}`),
      results: z.array(item),
    })
    .meta({ id });
}

export type Page = {
  size: number;
  number: number;
  /** Number of rows to skip. 0 if there is a cursor. */
  offset: number;
  /** Read the rows beyond this one. */
  cursorPosition?: { place: Place; direction: 'next' | 'previous' };
  /** The count from the first page. Absent if it must be counted now. */
  count?: number;
  /** When the first page was read. Every page counts days and months back from this time. */
  asOf: Date;
  /** The URL of a neighboring page. Without `to`, the URL has only the page number. */
  link(number: number, to?: { place: Place; direction: 'next' | 'previous'; count: number }): string;
};

export type PageDeps = {
  endpoint: string;
  /** Everything that determines the rows and their order. */
  request: unknown;
  call: { url: URL; apiUrl: string; now: Date };
  secret: CursorSecret;
};

/**
 * @throws PlatError `validation_error` if Plat didn't issue the cursor, or it belongs to a different request
 * or page
 */
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
    ...(cursor && { cursorPosition: { place: cursor.k, direction: cursor.d }, count: cursor.n }),
    asOf,
    link(to, position) {
      const url = new URL(call.url);
      url.searchParams.set('page', String(to));
      url.searchParams.delete('cursor');
      if (position !== undefined) {
        const { place, direction, count } = position;
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
      cursor: ['is not valid, or no longer valid: start again without it'],
    });
  if (cursor.r !== digest)
    throw validationError({
      cursor: ['belongs to a different request: keep the same filters, order, and page_size'],
    });
  if (page !== undefined && page !== cursor.p)
    throw validationError({
      page: [`does not match the cursor, which is for page ${cursor.p}: omit the cursor`],
    });
}

export type PageResult<Row> = { count: number; next: string | null; previous: string | null; rows: Row[] };

/** The page in the list's order, with the URLs of the neighboring pages. @param rows up to `page.size + 1` */
export function toPageResult<Row>(
  page: Page,
  rows: readonly Row[],
  count: number,
  placeOf: (row: Row) => Place,
): PageResult<Row> {
  const backwards = page.cursorPosition?.direction === 'previous';
  const more = rows.length > page.size;
  const shown = rows.slice(0, page.size);
  if (backwards) shown.reverse();
  if (shown.length === 0) return { count, next: null, previous: lastBefore(page, count), rows: shown };

  // A page reached by going back always has a next page.
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
