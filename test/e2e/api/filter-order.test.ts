import { beforeAll, expect, test } from 'vitest';
import { newCaller, posting, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { insertParcels } from '../../support/parcels.ts';

const PATH = '/api/public/v1/properties/filter/';
const db = await createTestDatabase();
const api = await startTestApi(db);
const { key } = await newCaller(db);

const FIRST = 3301900000001;
const IDS = Array.from({ length: 12 }, (_, n) => FIRST + n);
/** The day of the last sale is known of seven parcels, two of which have the same. */
const DAYS = [5, null, 3, 9, null, 3, null, 7, null, 1, null, 8];

beforeAll(() =>
  insertParcels(
    db.pool,
    IDS.map((property_id, n) => ({
      property_id,
      acres: 1,
      last_sale_date: DAYS[n] === null ? null : `2025-03-0${DAYS[n]}`,
    })),
  ),
);

type Page = { next: string | null; previous: string | null; results: { property_id: number }[] };

test.each([
  ['last_sale_date', 1],
  ['-last_sale_date', -1],
])('ordered by %s, the pages on and back have every parcel once, unknown days last', async (order, sign) => {
  const read = async (address: string): Promise<Page> => {
    const body = JSON.stringify({ county: '33019', order });
    const { status, json, text } = await api.call(address.replace(api.url, ''), posting(key, body));
    if (status !== 200) throw new Error(text);
    return json as Page;
  };
  const by = (a: number, b: number) => {
    const [x, y] = [DAYS[a - FIRST]!, DAYS[b - FIRST]!];
    if ((x === null) !== (y === null)) return x === null ? 1 : -1;
    return sign * (x - y || a - b);
  };
  const expected = IDS.toSorted(by);
  const idsOf = (pages: Page[]) => pages.flatMap(({ results }) => results.map(row => row.property_id));
  for (const size of [2, 3, 5]) {
    const pages = [await read(`${PATH}?page_size=${size}`)];
    while (pages.at(-1)!.next !== null) pages.push(await read(pages.at(-1)!.next!));
    expect(idsOf(pages)).toEqual(expected);
    const back = [pages.at(-1)!];
    while (back[0]!.previous !== null) back.unshift(await read(back[0]!.previous!));
    expect(idsOf(back)).toEqual(expected);
  }
});
