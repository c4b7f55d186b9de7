import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Cursor, readCursor, requestDigest, signCursor } from '../../../api/http/cursor.ts';
import {
  openPage,
  type Page,
  type PageQuery,
  type PageResult,
  pageParameters,
  toPageResult,
} from '../../../api/http/paging.ts';

const secret = Buffer.from('a secret of thirty-two bytes, or more');
const cursor: Cursor = { r: 'digest', k: [1.1, null, 33_019 * 1e8 + 7], d: 'next', p: 2, n: 90, t: 1e12 };

describe('cursors', () => {
  test('are read back as they were signed', () => {
    expect(readCursor(signCursor(cursor, secret), secret)).toEqual(cursor);
  });

  test('are refused if any character was changed, or if another installation signed them', () => {
    const text = signCursor(cursor, secret);
    for (let at = 0; at < text.length; at++) {
      const changed = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
      expect(readCursor(changed, secret), `character ${at}`).toBeUndefined();
    }
    expect(readCursor(text, Buffer.from('the secret of somebody else'))).toBeUndefined();
  });

  test.each(['', 'x', '====', 'A'.repeat(5_000), '\0', 'é'])('are not made of %j', text => {
    expect(readCursor(text, secret)).toBeUndefined();
  });
});

test('a request has one digest, whatever the order of its fields; another value has another digest', () => {
  expect(requestDigest({ a: 1, b: [{ c: 2, d: 3 }] })).toBe(requestDigest({ b: [{ d: 3, c: 2 }], a: 1 }));
  expect(requestDigest({ a: [1, 2] })).not.toBe(requestDigest({ a: [2, 1] }));
});

const parameters = z.strictObject(pageParameters({ usual: 25, most: 500 }));

test.each([
  [{}, { page_size: 25 }],
  [
    { page: '3', page_size: '500' },
    { page: 3, page_size: 500 },
  ],
])('the parameters %j are %j', (given, expected) => {
  expect(parameters.parse(given)).toEqual(expected);
});

test.each([
  ['page', '0'],
  ['page', '-1'],
  ['page', '1.5'],
  ['page', ''],
  ['page', '1e3'],
  ['page', '9999999999'],
  ['page', ['1', '2']],
  ['page_size', '0'],
  ['page_size', '501'],
  ['page_size', 'all'],
  ['cursor', ['a', 'b']],
])('%s=%j is refused by its name', (field, value) => {
  const parsed = parameters.safeParse({ [field]: value });
  expect(parsed.error?.issues.map(issue => issue.path[0])).toEqual([field]);
});

const url = new URL('https://api.example.org/list/?colour=red&page_size=2&colour=blue');
const apiUrl = 'https://api.example.org';
const now = new Date('2026-11-20T12:00:00Z');

function open(query: PageQuery, request: unknown = { color: 'red' }): Promise<Page> {
  return openPage(query, {
    endpoint: 'list',
    request,
    call: { url, apiUrl, now },
    secret: async () => secret,
  });
}

/** What a statement would read of a sorted list of numbers. */
function read(list: number[], page: Page): number[] {
  const wanted = page.size + 1;
  if (page.cursorPosition === undefined) return list.slice(page.offset, page.offset + wanted);
  const at = page.cursorPosition.place[0] as number;
  return page.cursorPosition.direction === 'next'
    ? list.filter(value => value > at).slice(0, wanted)
    : list
        .filter(value => value < at)
        .reverse()
        .slice(0, wanted);
}

async function turn(list: number[], query: PageQuery): Promise<PageResult<number>> {
  const page = await open(query);
  return toPageResult(page, read(list, page), page.count ?? list.length, row => [row]);
}

function queryOf(address: string): PageQuery {
  return parameters.parse({
    page: new URL(address).searchParams.get('page') ?? undefined,
    page_size: new URL(address).searchParams.get('page_size'),
    cursor: new URL(address).searchParams.get('cursor') ?? undefined,
  });
}

test('next leads through the whole list and previous back, with the initial count', async () => {
  const list = [1, 2, 3, 4, 5];
  const pages = [await turn(list, { page_size: 2 })];
  while (pages.at(-1)!.next !== null) pages.push(await turn(list, queryOf(pages.at(-1)!.next!)));
  expect(pages.map(page => page.rows)).toEqual([[1, 2], [3, 4], [5]]);
  expect(pages.map(page => page.count)).toEqual([5, 5, 5]);
  const back = [pages.at(-1)!];
  while (back.at(-1)!.previous !== null) back.push(await turn(list, queryOf(back.at(-1)!.previous!)));
  expect(back.map(page => page.rows)).toEqual([[5], [3, 4], [1, 2]]);
});

test('rows that come and go shift no others', async () => {
  const first = await turn([10, 20, 30, 40, 50], { page_size: 2 });
  const second = await turn([5, 7, 20, 30, 40, 50, 60], queryOf(first.next!));
  expect(second.rows).toEqual([30, 40]);
  expect(second.count).toBe(5);
  const back = await turn([5, 7, 20, 30], queryOf(second.previous!));
  expect(back.rows).toEqual([7, 20]);
  expect((await turn([5, 7, 20, 30], queryOf(back.previous!))).rows).toEqual([5]);
});

test('page URLs set the page and keep all other parameters', async () => {
  const { next } = await turn([1, 2, 3], { page_size: 2 });
  const to = new URL(next!);
  expect(to.origin + to.pathname).toBe('https://api.example.org/list/');
  expect(to.searchParams.getAll('colour')).toEqual(['red', 'blue']);
  expect(to.searchParams.get('page')).toBe('2');
});

test('page counts rows from the start, and its neighbors have cursors', async () => {
  const page = await turn([1, 2, 3, 4, 5], { page: 2, page_size: 2 });
  expect(page.rows).toEqual([3, 4]);
  expect((await turn([1, 2, 3, 4, 5], queryOf(page.next!))).rows).toEqual([5]);
  expect((await turn([1, 2, 3, 4, 5], queryOf(page.previous!))).rows).toEqual([1, 2]);
});

test('a page past the end is empty and leads back to the last one', async () => {
  const page = await turn([1, 2, 3], { page: 9, page_size: 2 });
  expect(page).toMatchObject({ count: 3, next: null, rows: [] });
  expect((await turn([1, 2, 3], queryOf(page.previous!))).rows).toEqual([3]);
  expect(await turn([], { page: 9, page_size: 2 })).toMatchObject({ count: 0, next: null, previous: null });
});

test('a single page has no neighbors', async () => {
  expect(await turn([1, 2], { page_size: 2 })).toMatchObject({ next: null, previous: null });
});

test('ages are counted from the day on which paging started', async () => {
  const { next } = await turn([1, 2, 3], { page_size: 2 });
  const later = { url, apiUrl, now: new Date('2026-11-21T00:00:01Z') };
  const page = await openPage(queryOf(next!), {
    endpoint: 'list',
    request: { color: 'red' },
    call: later,
    secret: async () => secret,
  });
  expect(page.asOf).toEqual(now);
});

describe('a cursor is refused', () => {
  const rejected = async (query: PageQuery, request?: unknown) =>
    open(query, request).then(
      () => undefined,
      error => error.details,
    );
  const next = async () => queryOf((await turn([1, 2, 3], { page_size: 2 })).next!);

  test("if it isn't one", async () => {
    expect(await rejected({ page_size: 2, cursor: 'abc' })).toHaveProperty('cursor');
  });
  test('for other filters', async () => {
    expect(await rejected(await next(), { color: 'blue' })).toHaveProperty('cursor');
  });
  test('for another page size', async () => {
    expect(await rejected({ ...(await next()), page_size: 3 })).toHaveProperty('cursor');
  });
  test('for a page other than its own', async () => {
    expect(await rejected({ ...(await next()), page: 7 })).toHaveProperty('page');
  });
});
