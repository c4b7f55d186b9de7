import { expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../api/http/database.ts';
import { searchProperties } from '../../../api/v1/property-search.ts';
import { transaction } from '../../../shared/db.ts';
import { rewriteOwnerWords } from '../../../workers/ingest/merge/owner-words.ts';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { insertParcels, retireParcels } from '../../support/parcels.ts';

// What a process keeps of earlier searches: it saves statements and never shows.

const PATH = '/api/public/v1/properties/search/';
const db = await createTestDatabase();
const { key } = await newCaller(db);
const oneProcess = await startTestApi(db);
const otherProcess = await startTestApi(db);

type Page = { count: number; next: string | null; results: { property_id: number; owner_name: string }[] };

/** What two processes find, one after the other. */
async function found(fips: string, owner_name: string): Promise<[count: number, owners: string[]]> {
  const [one, other] = await Promise.all(
    [oneProcess, otherProcess].map(async api => {
      const { json } = await api.call(`${PATH}?${new URLSearchParams({ fips, owner_name })}`, { key });
      const { count, results } = json as Page;
      return [count, results.map(parcel => parcel.owner_name)] as [number, string[]];
    }),
  );
  expect(one).toEqual(other);
  return one!;
}

test('every change of the roll shows in the next search of every process', async () => {
  const SULLIVAN = 33_019e8;
  const owners = ['SMITH JOHN', 'SMITH MARY', 'OAK LAND LLC'];
  await insertParcels(
    db.pool,
    owners.map((owner_name, at) => ({ property_id: SULLIVAN + at + 1, owner_name })),
  );
  for (let round = 0; round < 2; round++) {
    expect(await found('33019', 'smith')).toEqual([2, ['SMITH JOHN', 'SMITH MARY']]);
    expect(await found('33019', 'smith a')).toEqual([1, ['SMITH MARY']]);
    expect(await found('33019', 'nobody')).toEqual([0, []]);
  }
  await insertParcels(db.pool, [{ property_id: SULLIVAN + 4, owner_name: 'SMITHSON & NOBODY' }]);
  expect(await found('33019', 'smith')).toEqual([3, ['SMITH JOHN', 'SMITH MARY', 'SMITHSON & NOBODY']]);
  expect(await found('33019', 'smith a')).toEqual([1, ['SMITH MARY']]);
  expect(await found('33019', 'nobody')).toEqual([1, ['SMITHSON & NOBODY']]);

  await retireParcels(db.pool, [SULLIVAN + 2]);
  expect(await found('33019', 'smith')).toEqual([2, ['SMITH JOHN', 'SMITHSON & NOBODY']]);
  expect(await found('33019', 'smith a')).toEqual([0, []]);

  // The words stay the same; the parcels that have them do not.
  await transaction(db.pool, async client => {
    await client.query(
      `update parcels set owner_name = case property_id when $1 then 'OAK LAND LLC' else 'SMITH JOHN' end
       where property_id in ($1, $2)`,
      [SULLIVAN + 1, SULLIVAN + 3],
    );
    await rewriteOwnerWords(client, [33_019]);
  });
  const search = await oneProcess.call(`${PATH}?fips=33019&owner_name=john`, { key });
  expect((search.json as Page).results.map(parcel => parcel.property_id)).toEqual([SULLIVAN + 3]);

  await retireParcels(db.pool, [SULLIVAN + 1, SULLIVAN + 3, SULLIVAN + 4]);
  expect(await found('33019', 'smith')).toEqual([0, []]);
  await insertParcels(db.pool, [{ property_id: SULLIVAN + 5, owner_name: 'SMITH AGAIN' }]);
  expect(await found('33019', 'smith')).toEqual([1, ['SMITH AGAIN']]);
});

/** The endpoint in a process of its own; `before` is told which statements it is about to run. */
function process(before: (statement: string) => Promise<void> | void) {
  const plain = openDatabase(db.pool, 10_000);
  const database: Database = {
    ...plain,
    run: async (name, values) => {
      await before(name);
      return plain.run(name, values);
    },
    runComposed: async (name, fragments, values) => {
      await before(name);
      return plain.runComposed(name, fragments, values);
    },
  };
  return async (fips: string, owner_name: string, cursor?: string): Promise<Page> => {
    const query = { fips, owner_name, page_size: 25, ...(cursor && { cursor }) };
    const answer = await searchProperties.handle(
      { params: {}, query, body: undefined },
      {
        database,
        cursorSecret: async () => Buffer.from('secret'),
        readRegionStats: async () => undefined,
        readValuation: async () => undefined,
      },
      {
        url: new URL('http://localhost/'),
        appUrl: 'http://localhost',
        now: new Date(),
        account: {} as never,
      },
    );
    return answer.body as unknown as Page;
  };
}

test.each([
  [33_001, 'list_owner_words'],
  [33_003, 'read_owner_words'],
  [33_005, 'read_summaries'],
])('a change of county %i that comes in just before %s shows in that search', async (fips, statement) => {
  const base = fips * 1e8;
  await insertParcels(db.pool, [
    { property_id: base + 1, owner_name: 'SMITH JOHN' },
    { property_id: base + 2, owner_name: 'SMITH MARY' },
  ]);
  let changes = 0;
  const search = process(async name => {
    if (name !== `properties/${statement}` || changes++ > 0) return;
    await retireParcels(db.pool, [base + 1]);
    await insertParcels(db.pool, [{ property_id: base + 3, owner_name: 'NEW SMITHY' }]);
  });
  const { count, results } = await search(String(fips), 'smith');
  expect(changes).toBeGreaterThan(0);
  expect(count).toBe(2);
  expect(results.map(parcel => parcel.owner_name)).toEqual(['SMITH MARY', 'NEW SMITHY']);
});

test('a county that changes before every statement is refused with 503 rather than answered from two rolls', async () => {
  const COOS = 33_007e8;
  await insertParcels(db.pool, [{ property_id: COOS + 1, owner_name: 'SMITH JOHN' }]);
  const search = process(async name => {
    if (name === 'properties/read_summaries') await retireParcels(db.pool, [COOS + 2]);
  });
  await expect(search('33007', 'smith')).rejects.toMatchObject({ status: 503, retryable: true });
});

test('what was looked for before, and each further page, takes one statement', async () => {
  const MERRIMACK = 33_013e8;
  await insertParcels(
    db.pool,
    Array.from({ length: 300 }, (_, at) => ({
      property_id: MERRIMACK + at + 1,
      owner_name: at % 2 === 0 ? `OWNER${at} LAND LLC` : `OWNER${at} LAND`,
    })),
  );
  const statements: string[] = [];
  const search = process(name => {
    statements.push(name.replace('properties/', ''));
  });
  const first = await search('33013', 'land llc');
  expect(first.count).toBe(150);
  expect(statements).toEqual(['list_owner_words', 'read_owner_words', 'read_summaries']);
  await search('33013', 'llc');
  await search('33013', 'LAND');
  const second = await search('33013', 'land llc', new URL(first.next!).searchParams.get('cursor')!);
  expect(second.results[0]!.property_id).toBe(MERRIMACK + 51);
  expect(statements.slice(3)).toEqual(['read_summaries', 'read_summaries', 'read_summaries']);
  // Another piece: its own parcels and no more.
  await search('33013', 'owner4 llc');
  expect(statements.slice(6)).toEqual(['read_owner_words', 'read_summaries']);
});
