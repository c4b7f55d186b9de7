import fc from 'fast-check';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { sql } from '../../../shared/db.ts';
import { newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { feedOf, ingest, lot, tempFolder, writeFeatures } from '../../support/ingest.ts';
import { insertParcels, retireParcels, square, type TestParcel } from '../../support/parcels.ts';

const PATH = '/api/public/v1/properties/search/';
const db = await createTestDatabase();
const api = await startTestApi(db, { env: { APP_URL: 'https://app.example.org' } });
const { key } = await newCaller(db);

const SULLIVAN = 33_019e8;
const AUTAUGA = 1_001e8;
/** Ids beyond 2^31, as counties of millions and words at the far end of a set have them. */
const FAR = SULLIVAN + 2_900_000;

const OWNERS: [id: number, owner: string | null, apn?: string][] = [
  [SULLIVAN + 1, 'SMITH, JOHN A', '15-076.A'],
  [SULLIVAN + 2, 'Smith Mary & John', '15 076 a'],
  [SULLIVAN + 3, 'GOLDSMITH HOLDINGS LLC'],
  [SULLIVAN + 31, 'JOHNSON, KARL & SMITHSON, ANN'],
  [SULLIVAN + 32, '100% PURE_LAND LLC'],
  [SULLIVAN + 33, "O'NEIL\\BACK SLASH"],
  [SULLIVAN + 34, null, '15-0-76-A'],
  [SULLIVAN + 64, 'MÜLLER, ÉVA'],
  [SULLIVAN + 65, 'NG, AN', 'R-1'],
  [SULLIVAN + 66, 'SMITH, RETIRED', 'OLD-1'],
  [FAR, 'SMITH, FAR AWAY'],
  [AUTAUGA + 1, 'SMITH, ELSEWHERE', '15076A'],
];

beforeAll(async () => {
  await insertParcels(
    db.pool,
    OWNERS.map(([property_id, owner_name, apn]) => ({ property_id, owner_name, apn }) as TestParcel),
  );
  await retireParcels(db.pool, [SULLIVAN + 66]);
});

type Page = {
  count: number;
  next: string | null;
  previous: string | null;
  results: { property_id: number; owner_name: string | null }[];
};

function search(query: Record<string, string>, caller = key) {
  return api.call(`${PATH}?${new URLSearchParams(query)}`, { key: caller });
}

async function serials(query: Record<string, string>): Promise<number[]> {
  const { status, json, text } = await search({ fips: '33019', page_size: '100', ...query });
  expect(status, text).toBe(200);
  const { count, results } = json as Page;
  expect(count).toBe(results.length);
  return results.map(parcel => parcel.property_id % 1e8);
}

describe('by owner name', () => {
  test.each([
    ['SMITH', [1, 2, 3, 31, 2_900_000]],
    ['smith', [1, 2, 3, 31, 2_900_000]],
    ['Smith john', [1, 2, 31]],
    ['john  SMITH ', [1, 2, 31]],
    ['smith john a', [1, 2, 31]],
    ['smith, john', [1]],
    ['smith &', [2, 31]],
    ['smith a & son', [31]],
    ['mith', [1, 2, 3, 31, 2_900_000]],
    ['llc', [3, 32]],
    ['100%', [32]],
    ['%', undefined],
    ['0%', [32]],
    ['pure_land', [32]],
    ['purexland', []],
    ['pure%land', []],
    ['l\\b', [33]],
    ["o'neil\\back", [33]],
    ["O'N", [33]],
    ['müller', [64]],
    ['MÜLLER éva', [64]],
    ['muller', []],
    ['ng', [3, 65]],
    ['ng an', [65]],
    ['an', [31, 32, 65]],
    ['smith smith', [1, 2, 3, 31, 2_900_000]],
    ['smith nobody', []],
    ['smith retired', []],
    ['elsewhere', []],
  ])('%j finds %j', async (owner_name, expected) => {
    if (expected !== undefined) expect(await serials({ owner_name })).toEqual(expected);
    else expect((await search({ fips: '33019', owner_name })).status).toBe(400);
  });

  test('the summary is that of the other lists', async () => {
    const { json } = await search({ fips: '33019', owner_name: 'smith, john' });
    expect(json).toEqual({
      count: 1,
      next: null,
      previous: null,
      results: [
        {
          property_id: 3_301_900_000_001,
          url: 'https://app.example.org/data?parcel=3301900000001',
          apn: '15-076.A',
          fips: '33019',
          point: null,
          acres: null,
          calculated_acres: null,
          effective_acres: null,
          owner_name: 'SMITH, JOHN A',
          situs_address: null,
          situs_city: null,
          situs_state: null,
          situs_zip: null,
        },
      ],
    });
  });

  test('finds what a plain reading of the names finds, whatever the names', async () => {
    const HANCOCK = 23_009e8;
    const letter = fc.constantFrom(...'ABCabcÅåß%_\\\'",.-&1 \t');
    const name = fc.string({ unit: letter, minLength: 1, maxLength: 12 });
    const names = fc.sample(name, { numRuns: 400, seed: 7 });
    await insertParcels(
      db.pool,
      names.map((owner_name, at) => ({ property_id: HANCOCK + at + 1, owner_name })),
    );
    const { rows } = await db.pool.query<{ upper: string }>(
      'select upper(name) from unnest($1::text[]) with ordinality t (name, n) order by n',
      [names],
    );
    const piece = fc.string({ unit: letter, minLength: 1, maxLength: 3 });
    const query = fc
      .array(piece, { minLength: 1, maxLength: 4 })
      .map(pieces => pieces.join(' '))
      .filter(text => text.split(/\s+/).some(part => [...part].length > 1) && text.split(/\s+/).length <= 10);
    await fc.assert(
      fc.asyncProperty(query, async owner_name => {
        const upper = await db.pool.query<{ upper: string }>('select upper($1)', [owner_name]);
        const pieces = upper.rows[0]!.upper.split(/\s+/).filter(Boolean);
        const expected = rows.flatMap((row, at) =>
          pieces.every(part => row.upper.includes(part)) ? [at + 1] : [],
        );
        const { json } = await search({ fips: '23009', owner_name, page_size: '100' });
        const { count, results } = json as Page;
        expect(count).toBe(expected.length);
        expect(results.map(parcel => parcel.property_id % 1e8)).toEqual(expected.slice(0, 100));
      }),
      { numRuns: 150, seed: 11 },
    );
  });

  test('knows a new roll at once', async () => {
    const CHESHIRE = 33_005e8;
    await insertParcels(db.pool, [{ property_id: CHESHIRE + 1, owner_name: 'FIRST OWNER' }]);
    await insertParcels(db.pool, [{ property_id: CHESHIRE + 2, owner_name: 'SECOND OWNER' }]);
    expect((await search({ fips: '33005', owner_name: 'owner' })).json).toMatchObject({ count: 2 });
    await retireParcels(db.pool, [CHESHIRE + 1]);
    const { json } = await search({ fips: '33005', owner_name: 'owner' });
    expect((json as Page).results.map(parcel => parcel.owner_name)).toEqual(['SECOND OWNER']);
  });
});

describe('by parcel number', () => {
  test.each([
    ['15-076.A', [1, 2, 34]],
    ['15076a', [1, 2, 34]],
    [' 15 076 - a ', [1, 2, 34]],
    ['15076', []],
    ['15076A0', []],
    ['%', []],
    ['old-1', []],
  ])('%j finds %j', async (apn, expected) => {
    expect(await serials({ apn })).toEqual(expected);
  });

  test('and owner name, both must fit', async () => {
    expect(await serials({ apn: '15-076-A', owner_name: 'smith' })).toEqual([1, 2]);
    expect(await serials({ apn: '15-076-A', owner_name: 'mary j' })).toEqual([2]);
    expect(await serials({ apn: 'R-1', owner_name: 'smith' })).toEqual([]);
  });
});

describe('price', () => {
  test('10 tokens whatever the page size, 0 when nothing matches', async () => {
    const { key: own, accountId } = await newCaller(db);
    for (const page_size of ['1', '100']) {
      const found = await search({ fips: '33019', owner_name: 'smith', page_size }, own);
      expect(found.headers.get('x-tokens-used')).toBe('10');
    }
    const nothing = await search({ fips: '33019', owner_name: 'nobody' }, own);
    expect(nothing.json).toEqual({ count: 0, next: null, previous: null, results: [] });
    expect(nothing.headers.get('x-tokens-used')).toBe('0');
    expect(await usageOf(db, accountId)).toEqual({ tokens: 20, calls: 2, daily: 20 });
    const { rows } = await db.pool.query('select distinct endpoint from usage_daily where account_id = $1', [
      accountId,
    ]);
    expect(rows).toEqual([{ endpoint: 'public_property_search' }]);
  });

  test('an unknown county has no parcels', async () => {
    expect((await search({ fips: '99999', owner_name: 'smith' })).json).toMatchObject({ count: 0 });
  });
});

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

  test('are of 25 unless told otherwise', async () => {
    const { json } = await search({ fips: '33011', owner_name: 'paged' });
    expect(ids(json as Page)).toEqual(all.slice(0, 25));
  });

  test.each([
    ['owner_name', 'own'],
    ['apn', 'c.o.m.m.o.n'],
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

  test('are found by number; one past the end is empty', async () => {
    const page = await search({ fips: '33011', owner_name: 'paged', page: '2', page_size: '30' });
    expect(ids(page.json as Page)).toEqual(all.slice(30, 60));
    const past = await search({ fips: '33011', owner_name: 'paged', page: '9', page_size: '30' });
    expect(past.json).toMatchObject({ count: 70, next: null, results: [] });
  });

  test('a cursor belongs to its search', async () => {
    const { json } = await search({ fips: '33011', owner_name: 'paged' });
    const next = new URL((json as Page).next!);
    next.searchParams.set('owner_name', 'smith');
    const { status, json: body } = await api.call(next.pathname + next.search, { key });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { details: { cursor: expect.any(Array) } } });
  });
});

describe('is refused, by the name of the field, when', () => {
  test.each<[string, string, string[]]>([
    ['fips is missing', 'owner_name=smith', ['fips']],
    ['neither apn nor owner_name is there', 'fips=33019', ['apn', 'owner_name']],
    ['fips is a state', 'fips=33&apn=1', ['fips']],
    ['fips is given twice', 'fips=33019&fips=33019&apn=1', ['fips']],
    ['apn is nothing but punctuation', 'fips=33019&apn=-.%20-', ['apn']],
    ['apn is empty', 'fips=33019&apn=', ['apn']],
    ['owner_name is empty', 'fips=33019&owner_name=', ['owner_name']],
    ['owner_name is spaces', 'fips=33019&owner_name=%20%20', ['owner_name']],
    ['owner_name is single characters', 'fips=33019&owner_name=a%20b', ['owner_name']],
    ['owner_name has too many words', `fips=33019&owner_name=${'ab+'.repeat(11)}`, ['owner_name']],
    ['owner_name is too long', `fips=33019&owner_name=${'a'.repeat(201)}`, ['owner_name']],
    ['owner_name holds NUL', 'fips=33019&owner_name=a%00b', ['owner_name']],
    ['apn holds NUL', 'fips=33019&apn=%001', ['apn']],
    ['owner_name is given twice', 'fips=33019&owner_name=aa&owner_name=bb', ['owner_name']],
    ['page_size is over 100', 'fips=33019&apn=1&page_size=101', ['page_size']],
    ['page is 0', 'fips=33019&apn=1&page=0', ['page']],
    ['a parameter is unknown', 'fips=33019&apn=1&county=33019', ['county']],
  ])('%s', async (_why, query, fields) => {
    const { status, json, headers } = await api.call(`${PATH}?${query}`, { key });
    expect(status).toBe(400);
    const { error } = json as { error: { code: string; details: Record<string, string[]> } };
    expect(error.code).toBe('validation_error');
    expect(Object.keys(error.details).sort()).toEqual(fields);
    expect(headers.get('x-tokens-used')).toBe('0');
  });
});

test('hostile query strings are answered 200 or 400, never an internal error', async () => {
  const fragment = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }).map(text => encodeURIComponent(text)),
    fc.constantFrom(
      "'",
      '%27%20or%201=1--',
      '%',
      '%zz',
      '%ff%fe',
      '%00',
      '[]',
      '__proto__',
      '\\',
      '{}',
      '&&',
      '=',
      '+',
      '%25%25',
    ),
  );
  const field = fc.constantFrom(
    'fips',
    'apn',
    'owner_name',
    'page',
    'page_size',
    'cursor',
    'fips[]',
    '__proto__',
  );
  const query = fc
    .array(fc.tuple(field, fragment), { maxLength: 5 })
    .map(pairs => pairs.map(([name, value]) => `${name}=${value}`).join('&'));
  await fc.assert(
    fc.asyncProperty(query, fc.boolean(), async (text, scoped) => {
      const path = `${PATH}?${scoped ? 'fips=33019&' : ''}${text}`;
      const { status } = await api.call(path, { key });
      expect([200, 400]).toContain(status);
    }),
    { numRuns: 200 },
  );
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

  async function plan(name: string, values: unknown[]): Promise<string> {
    const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(`explain ${sql(name)}`, values);
    return rows.map(row => row['QUERY PLAN']).join('\n');
  }

  test('of words go through the index of their pieces, and read no parcel', async () => {
    const text = await plan('properties/find_owner_words', [33_009, ['%OWNER77%']]);
    expect(text).toMatch(/Bitmap Index Scan on owner_words_33_fips_word_idx/);
    expect(text).not.toMatch(/parcels/);
  });

  test('of parcel numbers go through theirs', async () => {
    const text = await plan('properties/find_apn', [33_009, '77', []]);
    expect(text).toMatch(/Index Scan using parcels_33_fips_apn_normalized_idx/);
    expect(text).not.toMatch(/Seq Scan/);
  });

  test('of names to be checked go through the primary key', async () => {
    const text = await plan('properties/check_owner_names', [33_009, [GRAFTON + 1, GRAFTON + 2], ['%A%']]);
    expect(text).toMatch(/parcels_33_pkey/);
    expect(text).not.toMatch(/Seq Scan/);
  });
});

// Last: an ingestion retires what was put in by hand.
test('a word that many share is stored as a bitmap by the ingestion, and found all the same', async () => {
  const folder = tempFolder();
  onTestFinished(folder.remove);
  const feed = feedOf(folder.path, {
    name: 'dense',
    kind: 'assessor',
    fips: '33013',
    roll: {
      source: 'dense.ndgeojson',
      format: 'ndgeojson',
      key: 'PIN',
      columns: { owner_name: 'OWNER' },
    },
  });
  const owners = Array.from({ length: 300 }, (_, at) => (at % 3 === 0 ? `LAND ${at} LLC` : `OWNER ${at}`));
  const write = () =>
    writeFeatures(
      `${folder.path}/dense.ndgeojson`,
      owners.map((OWNER, at) => ({ properties: { PIN: `P${at}`, OWNER }, geometry: lot(at) })),
    );
  write();
  expect(await ingest(db.pool, feed, { force: true })).toMatchObject({ status: 'merged' });
  const { rows } = await db.pool.query(
    'select word from owner_words where fips = 33013 and is_bitmap order by 1',
  );
  expect(rows).toEqual([{ word: 'LAND' }, { word: 'LLC' }, { word: 'OWNER' }]);
  const count = async (owner_name: string) =>
    ((await search({ fips: '33013', owner_name })).json as Page).count;
  expect(await count('llc')).toBe(100);
  expect(await count('ll la')).toBe(100);
  expect(await count('llc 99')).toBe(1);

  owners[99] = 'SOMEBODY ELSE';
  write();
  expect(await ingest(db.pool, feed, { force: true })).toMatchObject({ counts: { changed: 1 } });
  expect(await count('llc')).toBe(99);
  expect(await count('somebody')).toBe(1);
});
