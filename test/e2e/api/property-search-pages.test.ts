import { beforeAll, describe, expect, test, vi } from 'vitest';
import { SUMMARY_COLUMNS } from '../../../api/v1/common/parcel-summary.ts';
import { searchProperties } from '../../../api/v1/parcels/property-search.ts';
import { COMPUTE_HERE } from '../../../shared/geo/shape-work.ts';
import { Db } from '../../../shared/platform/db.ts';
import type { Values } from '../../../shared/platform/named-parameters.ts';
import { statement } from '../../../shared/platform/statements.ts';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { ingest, lot, rollFeed, writeFeatures } from '../../support/ingest.ts';
import { insertParcels, retireParcels, square } from '../../support/parcels.ts';

const PATH = '/api/public/v1/properties/search/';
const db = await createTestDatabase();
const { folder } = db;
const api = await startTestApi(db);
const { key } = await newCaller(db);

type Page = {
  count: number;
  next: string | null;
  previous: string | null;
  results: { property_id: number; owner_name: string | null }[];
};

function search(query: Record<string, string>) {
  return api.call(`${PATH}?${new URLSearchParams(query)}`, { key });
}

describe('pages', () => {
  const HILLSBOROUGH = 33_011e8;
  const all = Array.from({ length: 70 }, (_, at) => HILLSBOROUGH + 1 + at * 3);
  beforeAll(() =>
    insertParcels(
      db.pool,
      all.map(property_id => ({ property_id, owner_name: 'PAGED OWNER', apn: 'COMMON' })),
    ),
  );
  const follow = async (address: string): Promise<Page> => {
    const { pathname, search: query } = new URL(address);
    const { status, json, text } = await api.call(pathname + query, { key });
    expect(status, text).toBe(200);
    return json as Page;
  };
  const ids = (page: Page) => page.results.map(parcel => parcel.property_id);

  test('have 25 rows by default', async () => {
    const { json } = await search({ fips: '33011', owner_name: 'paged' });
    expect(ids(json as Page)).toEqual(all.slice(0, 25));
  });

  test.each([
    ['owner_name', 'own'],
    ['apn', ' common '],
  ])('by %s are walked forth and back without a gap, every parameter kept', async (field, value) => {
    const first = await search({ fips: '33011', [field]: value, page_size: '16' });
    const pages = [first.json as Page];
    while (pages.at(-1)!.next !== null) {
      const { searchParams } = new URL(pages.at(-1)!.next!);
      expect(searchParams.get('fips')).toBe('33011');
      expect(searchParams.get(field)).toBe(value);
      expect(searchParams.get('page_size')).toBe('16');
      pages.push(await follow(pages.at(-1)!.next!));
    }
    expect(pages.flatMap(ids)).toEqual(all);
    expect(pages.map(page => page.count)).toEqual([70, 70, 70, 70, 70]);
    const back = [pages.at(-1)!];
    while (back.at(-1)!.previous !== null) back.push(await follow(back.at(-1)!.previous!));
    expect(back.map(ids)).toEqual(pages.map(ids).reverse());
  });

  test('are found by number; one past the end is empty, has the count, and is priced for it', async () => {
    const page = await search({ fips: '33011', owner_name: 'paged', page: '2', page_size: '30' });
    expect(ids(page.json as Page)).toEqual(all.slice(30, 60));
    const past = await search({ fips: '33011', owner_name: 'paged', page: '9', page_size: '30' });
    expect(past.json).toMatchObject({ count: 70, next: null, results: [] });
    expect(past.headers.get('x-tokens-used')).toBe('10');
    const none = await search({ fips: '33011', owner_name: 'nobody', page: '9', page_size: '30' });
    expect([none.headers.get('x-tokens-used'), none.json]).toMatchObject(['0', { count: 0, results: [] }]);
  });
});

describe('among thousands of parcels', () => {
  const GRAFTON = 33_009e8;
  beforeAll(async () => {
    await insertParcels(
      db.pool,
      Array.from({ length: 4_100 }, (_, at) => ({
        property_id: GRAFTON + at + 1,
        owner_name: `OWNER${at} COMMON`,
        apn: String(at),
        boundary: square(-72, 43.8),
      })),
    );
    await db.pool.query('vacuum analyze parcels');
    await db.pool.query('vacuum analyze owner_words');
  });

  test.each([
    ['common', 4_100],
    // Short pieces: in the words of the county, in the names that were found, in both.
    ['common r1', 1_111],
    ['common r1 9', 291],
    ['owner77 m', 11],
    ['r7', 111],
    ['r7 mm 7', 111],
  ])('%j finds %i', async (owner_name, count) => {
    const plain = Array.from({ length: 4_100 }, (_, at) => `OWNER${at} COMMON`).filter(name =>
      owner_name.split(' ').every(piece => name.includes(piece.toUpperCase())),
    );
    expect(plain).toHaveLength(count);
    const { json } = await search({ fips: '33009', owner_name, page_size: '100' });
    expect((json as Page).count).toBe(count);
    expect((json as Page).results.map(parcel => parcel.owner_name)).toEqual(plain.slice(0, 100));
  });

  async function plan(name: string, given: Values, fragments = {}): Promise<string> {
    const { text, values } = statement(name, given, fragments);
    const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
    return rows.map(row => row['QUERY PLAN']).join('\n');
  }

  test('searches for parts of words use the trigram index', async () => {
    const text = await plan(
      'parcels/find_owner_words',
      { fips: 33_009, patterns: ['%WNER77%', '%OMMON%'], few: 1_000 },
      {
        word: 'w.word',
      },
    );
    expect(text).toMatch(/Bitmap Index Scan on owner_words_(33_fips_word_idx|pieces)/);
    expect(text).not.toMatch(/Seq Scan/);
  });

  test('reading the parcels of a page uses the primary key', async () => {
    const values = { property_ids: [GRAFTON + 1, GRAFTON + 2], counties: [33_009] };
    const text = await plan('parcels/read_summaries', values, { summary: SUMMARY_COLUMNS });
    expect(text).toMatch(/parcels(_33)?_pkey/);
    expect(text).not.toMatch(/Seq Scan/);
  });

  test('searches for parcel numbers use their index', async () => {
    const text = await plan('parcels/find_apn', { fips: 33_009, apn: '77', patterns: [] });
    expect(text).toMatch(/Index Scan using parcels_(33_fips_apn_normalized_idx|apn)/);
    expect(text).not.toMatch(/Seq Scan/);
  });

  test('checking the names uses the primary key', async () => {
    const text = await plan('parcels/list_matching_owners', {
      fips: 33_009,
      property_ids: [GRAFTON + 1, GRAFTON + 2],
      patterns: ['%A%'],
    });
    expect(text).toMatch(/parcels(_33)?_pkey/);
    expect(text).not.toMatch(/Seq Scan/);
  });
});

/** Runs `change` before one of the statements of a search. */
async function searchWhile(statement: string, change: () => Promise<unknown>, query: object): Promise<Page> {
  const { run } = Db.prototype;
  const spy = vi.spyOn(Db.prototype, 'run').mockImplementation(async function (this: Db, name, ...rest) {
    if (name === statement) await change();
    return run.call(this, name, ...rest);
  });
  const answer = searchProperties.handle(
    { params: {}, query: { page_size: 25, ...query }, body: undefined },
    { db: db.pool.forApi(), cursorSecret: async () => Buffer.from('secret') },
    {
      mode: 'direct',
      url: new URL('http://localhost/'),
      apiUrl: 'http://localhost',
      appUrl: 'http://localhost',
      now: new Date(),
      work: COMPUTE_HERE,
      account: {} as never,
    },
  );
  return (await answer.finally(() => spy.mockRestore())).body as unknown as Page;
}

test('during a search, a roll that is being replaced is seen complete, as it was before', async () => {
  const STRAFFORD = 33_017e8;
  await insertParcels(db.pool, [
    { property_id: STRAFFORD + 1, owner_name: 'SMITH JOHN' },
    { property_id: STRAFFORD + 2, owner_name: 'SMITH MARY' },
  ]);
  const change = async () => {
    await retireParcels(db.pool, [STRAFFORD + 1]);
    await insertParcels(db.pool, [{ property_id: STRAFFORD + 3, owner_name: 'NEW SMITHY' }]);
  };
  const asked = { fips: '33017', owner_name: 'smith' };
  const during = await searchWhile('parcels/read_summaries', change, asked);
  expect(during.results.map(parcel => parcel.owner_name)).toEqual(['SMITH JOHN', 'SMITH MARY']);
  const after = (await search(asked)).json as Page;
  expect(after.results.map(parcel => parcel.owner_name)).toEqual(['SMITH MARY', 'NEW SMITHY']);
});

// Last: an ingestion retires what was put in by hand.
test('a new roll is found by its words, and no longer by those of the old one', async () => {
  const feed = rollFeed(folder, 'owners', { owner_name: 'OWNER' }, { fips: '33013' });
  const owners = Array.from({ length: 30 }, (_, at) => (at % 3 === 0 ? `LAND ${at} LLC` : `OWNER ${at}`));
  const take = async () => {
    writeFeatures(
      `${folder}/owners.ndgeojson`,
      owners.map((OWNER, at) => ({ properties: { PIN: `P${at}`, OWNER }, geometry: lot(at) })),
    );
    return ingest(db.pool, feed, { force: true });
  };
  const count = async (owner_name: string) =>
    ((await search({ fips: '33013', owner_name })).json as Page).count;
  expect(await take()).toMatchObject({ status: 'merged' });
  expect([await count('llc'), await count('ll la'), await count('llc 27')]).toEqual([10, 10, 1]);
  owners[27] = 'SOMEBODY ELSE';
  expect(await take()).toMatchObject({ counts: { changed: 1 } });
  expect([await count('llc'), await count('somebody')]).toEqual([9, 1]);
});
