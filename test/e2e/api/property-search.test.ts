import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { countCoverage } from '../../../workers/ingest/kinds/assessor/merge-parcels.ts';
import { newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { insertParcels, retireParcels, type TestParcel } from '../../support/parcels.ts';
import { runs } from '../../support/runs.ts';

const PATH = '/api/public/v1/properties/search/';
const db = await createTestDatabase();
const api = await startTestApi(db);
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
  [SULLIVAN + 70, 'R&G', '12-3'],
  [SULLIVAN + 71, 'ŁUCJA Å', '1-23'],
  [SULLIVAN + 72, null, '12.3'],
  [SULLIVAN + 73, null, '12 3'],
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

describe('a search by owner name', () => {
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
    ['%', [32]],
    ['0%', [32]],
    ['pure_land', [32]],
    ['purexland', []],
    ['pure%land', []],
    ['l\\b', [33]],
    ["o'neil\\back", [33]],
    // SON has it as well: apostrophes are of no account.
    ["O'N", [31, 33]],
    ['oneil', [33]],
    ['müller', [64]],
    ['MÜLLER éva', [64]],
    ['muller', [64]],
    ['Eva MULLER', [64]],
    ['lucja', [71]],
    ['r & g', [70]],
    ['ng g', [3, 65]],
    ['ng', [3, 65]],
    ['ng an', [65]],
    ['an', [31, 32, 65]],
    ['smith smith', [1, 2, 3, 31, 2_900_000]],
    ['smith nobody', []],
    ['smith retired', []],
    ['elsewhere', []],
  ])('%j finds %j', async (owner_name, expected) => {
    expect(await serials({ owner_name })).toEqual(expected);
  });

  test('finds the same as a simple search through the names, whatever the names', async () => {
    const HANCOCK = 23_009e8;
    const letter = fc.constantFrom(...'ABCabcÅåß%_\\\'",.-&1 \t');
    const name = fc.string({ unit: letter, minLength: 1, maxLength: 12 });
    const names = fc.sample(name, { numRuns: 400, seed: 7 });
    await insertParcels(
      db.pool,
      names.map((owner_name, at) => ({ property_id: HANCOCK + at + 1, owner_name })),
    );
    const { rows } = await db.pool.query<{ upper: string }>(
      'select fold_name(name) as upper from unnest($1::text[]) with ordinality t (name, n) order by n',
      [names],
    );
    const piece = fc.string({ unit: letter, minLength: 1, maxLength: 3 });
    const query = fc
      .array(piece, { minLength: 1, maxLength: 4 })
      .map(pieces => pieces.join(' '))
      .filter(text => text.replaceAll("'", '').trim() !== '' && text.split(/\s+/).length <= 10);
    await fc.assert(
      fc.asyncProperty(query, async owner_name => {
        const upper = await db.pool.query<{ upper: string }>('select fold_name($1) as upper', [owner_name]);
        const pieces = upper.rows[0]!.upper.split(/\s+/).filter(Boolean);
        const expected = rows.flatMap((row, at) =>
          pieces.every(part => row.upper.includes(part)) ? [at + 1] : [],
        );
        const { json } = await search({ fips: '23009', owner_name, page_size: '100' });
        const { count, results } = json as Page;
        expect(count).toBe(expected.length);
        expect(results.map(parcel => parcel.property_id % 1e8)).toEqual(expected.slice(0, 100));
      }),
      { numRuns: runs(150), seed: 11 },
    );
  });

  test('finds a new roll at once', async () => {
    const CHESHIRE = 33_005e8;
    await insertParcels(db.pool, [{ property_id: CHESHIRE + 1, owner_name: 'FIRST OWNER' }]);
    await insertParcels(db.pool, [{ property_id: CHESHIRE + 2, owner_name: 'SECOND OWNER' }]);
    expect((await search({ fips: '33005', owner_name: 'owner' })).json).toMatchObject({ count: 2 });
    await retireParcels(db.pool, [CHESHIRE + 1]);
    const { json } = await search({ fips: '33005', owner_name: 'owner' });
    expect((json as Page).results.map(parcel => parcel.owner_name)).toEqual(['SECOND OWNER']);
  });
});

describe('a search by parcel number', () => {
  test.each([
    ['15-076.A', [1]],
    [' 15-076.a ', [1]],
    ['15 076 - a', [1, 2]],
    ['15076a', []],
    ['12-3', [70]],
    ['12 - 3', [70, 72, 73]],
    ['1.23', [71]],
    ['123', [70, 71, 72, 73]],
    ['15076', []],
    ['15076A0', []],
    ['%', []],
    ['old-1', []],
  ])('%j finds %j', async (apn, expected) => {
    expect(await serials({ apn })).toEqual(expected);
  });

  test("without the county's padding zeros, unless a number is written that way", async () => {
    const GRAFTON = 33_009e8;
    await insertParcels(db.pool, [
      { property_id: GRAFTON + 1, apn: '000016 000070 000005', owner_name: 'SMITH, JOHN' },
      { property_id: GRAFTON + 2, apn: '000016 000071 000000', owner_name: 'SMITH, JOHN' },
      { property_id: GRAFTON + 3, apn: '000003 000003 000003', owner_name: 'SMITH, JOHN' },
      { property_id: GRAFTON + 4, apn: '16-71', owner_name: 'SMITH, JOHN' },
    ]);
    await countCoverage(db.pool, [33_009]);
    expect(await serials({ fips: '33009', apn: '16-70-5' })).toEqual([1]);
    expect(await serials({ fips: '33009', apn: '16-71' })).toEqual([4]);
    expect(await serials({ fips: '33009', apn: '16-70-5', owner_name: 'john smith' })).toEqual([1]);
    expect(await serials({ fips: '33009', apn: '16-70-5', owner_name: 'mary' })).toEqual([]);
    expect(await serials({ fips: '33009', apn: '16-70' })).toEqual([]);
  });

  test('with an owner name requires both to match', async () => {
    expect(await serials({ apn: '15-076-A', owner_name: 'smith' })).toEqual([1, 2]);
    expect(await serials({ apn: '15-076-A', owner_name: 'mary j' })).toEqual([2]);
    expect(await serials({ apn: 'R-1', owner_name: 'smith' })).toEqual([]);
  });
});

describe('price', () => {
  test('10 tokens whatever the page size, none without a match', async () => {
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

describe('is refused, with the name of the field, when', () => {
  test.each<[string, string, string[]]>([
    ['fips is missing', 'owner_name=smith', ['fips']],
    ['neither apn nor owner_name is there', 'fips=33019', ['apn', 'owner_name']],
    ['fips is a state', 'fips=33&apn=1', ['fips']],
    ['fips is given twice', 'fips=33019&fips=33019&apn=1', ['fips']],
    ['apn is nothing but punctuation', 'fips=33019&apn=-.%20-', ['apn']],
    ['apn is empty', 'fips=33019&apn=', ['apn']],
    ['owner_name is empty', 'fips=33019&owner_name=', ['owner_name']],
    ['owner_name is spaces', 'fips=33019&owner_name=%20%20', ['owner_name']],
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
