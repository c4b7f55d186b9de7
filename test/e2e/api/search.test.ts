import { beforeAll, describe, expect, test } from 'vitest';
import type { SearchResult } from '../../../api/v1/search/search-result.ts';
import { referenceOf } from '../../../shared/model/row-reference.ts';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { ingest, lot, rollFeed, writeFeatures } from '../../support/ingest.ts';
import { insertParcels, retireParcels, square, type TestParcel } from '../../support/parcels.ts';

const PATH = '/api/public/v1/search/';
const db = await createTestDatabase();
const { folder } = db;
const api = await startTestApi(db);
const { key } = await newCaller(db);

const SULLIVAN = 33_019e8;
const GRAFTON = 33_009e8;
const AUTAUGA = 1_001e8;

/** A reference that is also a parcel number. */
const SAME = referenceOf(SULLIVAN + 2);

const NEWPORT = { situs_city: 'NEWPORT', situs_state: 'NH', situs_zip: '03773' };
const PARCELS: TestParcel[] = [
  {
    property_id: SULLIVAN + 1,
    apn: '000007-000040-000000',
    owner_name: 'SMITH, JOHN A',
    situs_address: '12 N MAIN ST',
    acres: 2,
    ...NEWPORT,
    boundary: square(-72.17, 43.36),
  },
  { property_id: SULLIVAN + 2, apn: '000007-000041-000000', situs_address: '12 NO MAIN ST', ...NEWPORT },
  { property_id: SULLIVAN + 3, apn: '000008-000001-000000', situs_address: '120 MAIN STREET', ...NEWPORT },
  { property_id: SULLIVAN + 4, apn: 'R-12', owner_name: 'SMITH, JOHN A', situs_address: "3 O'NEIL HGTS RD" },
  { property_id: SULLIVAN + 5, owner_name: 'WASHINGTON LAND TRUST' },
  { property_id: SULLIVAN + 7, apn: '000009-000026-00000C', ...NEWPORT },
  { property_id: AUTAUGA + 2, owner_name: "O'BRIEN, PAT" },
  { property_id: AUTAUGA + 3, owner_name: 'OBRIEN LLC' },
  { property_id: AUTAUGA + 4, owner_name: '12 OAKS LAND LLC' },
  {
    property_id: SULLIVAN + 6,
    apn: 'GONE',
    owner_name: 'GONE AWAY',
    situs_address: '12 N MAIN ST',
    ...NEWPORT,
  },
  {
    property_id: GRAFTON + 1,
    apn: '7-40',
    owner_name: 'SMITH, MARY',
    situs_address: '12 NORTH MAIN ST',
    situs_city: 'HAVERHILL',
    boundary: square(-72, 44.03),
  },
  {
    property_id: AUTAUGA + 1,
    apn: '12 07',
    owner_name: 'SMITHSON J',
    situs_address: '700 VIA LA PAZ',
    acres: 1,
  },
  { property_id: AUTAUGA + 5, situs_address: '0246 CALIFORNIA ST' },
  { property_id: AUTAUGA + 6, situs_address: '246 CALIFORNIA ST' },
  { property_id: AUTAUGA + 7, apn: SAME },
];

beforeAll(async () => {
  await insertParcels(db.pool, PARCELS);
  await retireParcels(db.pool, [SULLIVAN + 6]);
});

async function find(query: Record<string, string>): Promise<SearchResult[]> {
  const { status, json, text, headers } = await api.call(`${PATH}?${new URLSearchParams(query)}`, { key });
  expect(status, text).toBe(200);
  expect(headers.get('x-tokens-used')).toBe('0');
  return (json as { results: SearchResult[] }).results;
}

const idsOf = (results: SearchResult[]) => results.map(({ property_id: id }) => id);
const labels = (results: SearchResult[]) => results.map(({ type, label }) => `${type} ${label}`);

describe('addresses', () => {
  test.each([
    ['12 north main street', [SULLIVAN + 1, SULLIVAN + 2, GRAFTON + 1]],
    ['12 N. Main St., Newport, NH 03773', [SULLIVAN + 1, SULLIVAN + 2]],
    ['12 no main st haverhill', [GRAFTON + 1]],
    ['12 n main st haverhill nh', [GRAFTON + 1]],
    ['12 n main st haverhill vt', []],
    // As it is typed: the last word is the beginning of one, a number before it is whole.
    ['12 mai', [SULLIVAN + 1, SULLIVAN + 2, GRAFTON + 1]],
    ['120 m', [SULLIVAN + 3]],
    ['12 main stre', [SULLIVAN + 1, SULLIVAN + 2, GRAFTON + 1]],
    ['oneil heights road', [SULLIVAN + 4]],
    ['700 via la paz', [AUTAUGA + 1]],
    ['13 main st', []],
    // Rolls fill up house numbers with zeros.
    ['246 california st', [AUTAUGA + 5, AUTAUGA + 6]],
    ['0246 california st', [AUTAUGA + 5]],
    ['46 california st', []],
  ])('%j', async (q, ids) => {
    expect(idsOf(await find({ q, types: 'address' })).sort()).toEqual(ids.toSorted());
  });

  test('identify the parcel and its location', async () => {
    expect((await find({ q: '12 n main st newport', types: 'address' }))[0]).toEqual({
      type: 'address',
      label: '12 N MAIN ST, NEWPORT, NH 03773',
      detail: 'Sullivan, NH',
      fips: '33019',
      zip: '03773',
      property_id: SULLIVAN + 1,
      point: [-72.17, 43.36],
    });
  });

  test('nearer ones come first', async () => {
    const ids = async (near: string) => idsOf(await find({ q: '12 n main st', types: 'address', near }));
    expect((await ids('-72.17,43.36'))[0]).toBe(SULLIVAN + 1);
    expect((await ids('-72,44.03'))[0]).toBe(GRAFTON + 1);
  });
});

describe('parcel numbers', () => {
  test.each([
    ['000007-000040-000000', [SULLIVAN + 1]],
    ['000007000040000000', [SULLIVAN + 1]],
    // Without the zeros of the county, and as another county writes it.
    ['7-40', [GRAFTON + 1, SULLIVAN + 1]],
    ['7.41', [SULLIVAN + 2]],
    ['APN 7-41', [SULLIVAN + 2]],
    // Letters where most numbers of the county have digits.
    ['9-26-c', [SULLIVAN + 7]],
    ['r12', [SULLIVAN + 4]],
    ['1207', [AUTAUGA + 1]],
    ['gone', []],
    ['9-99', []],
  ])('%j', async (q, ids) => {
    expect(idsOf(await find({ q, types: 'apn' })).sort()).toEqual(ids.toSorted());
  });
});

test('a parcel shows only what matched, its id, and its location', async () => {
  expect(await find({ q: String(SULLIVAN + 1) })).toEqual([
    {
      type: 'property',
      label: `Parcel ${SULLIVAN + 1}`,
      detail: 'Sullivan, NH',
      fips: '33019',
      property_id: SULLIVAN + 1,
    },
  ]);
  expect(await find({ q: '000007-000040-000000', types: 'apn' })).toEqual([
    {
      type: 'apn',
      label: 'APN 000007-000040-000000',
      detail: 'Sullivan, NH',
      fips: '33019',
      property_id: SULLIVAN + 1,
      point: [-72.17, 43.36],
    },
  ]);
});

test('a parcel is found by the reference on its letter, as by its id', async () => {
  const byId = await find({ q: String(SULLIVAN + 1) });
  const reference = referenceOf(SULLIVAN + 1);
  const typed = [reference, reference.toLowerCase(), reference.replace('-', ''), `Ref. ${reference}`];
  for (const q of typed) expect(await find({ q, types: 'property' })).toEqual(byId);
  expect((await find({ q: reference }))[0]).toEqual(byId[0]);
  // References of a retired parcel, of none, and of another county.
  for (const id of [SULLIVAN + 6, SULLIVAN + 99, GRAFTON + 99])
    expect(await find({ q: referenceOf(id), types: 'property' })).toEqual([]);
  expect(await find({ q: reference, types: 'apn' })).toEqual([]);
});

test('a parcel number comes before a parcel whose reference is the same', async () => {
  const found = await find({ q: SAME });
  expect(found.slice(0, 2).map(({ type, property_id: id }) => [type, id])).toEqual([
    ['apn', AUTAUGA + 7],
    ['property', SULLIVAN + 2],
  ]);
});

describe('owners', () => {
  test('have a name and a county, once, without a parcel', async () => {
    expect(await find({ q: 'john smith', types: 'owner' })).toEqual([
      { type: 'owner', label: 'SMITH, JOHN A', detail: 'Sullivan, NH', fips: '33019' },
    ]);
  });

  test.each([
    ['smith', ['owner SMITH, JOHN A', 'owner SMITH, MARY', 'owner SMITHSON J']],
    ['Smith, M', ['owner SMITH, MARY']],
    ['gone', []],
    ['%%', []],
    ['mith', []],
    ['obrien', ["owner O'BRIEN, PAT", 'owner OBRIEN LLC']],
    ["O'Brien", ["owner O'BRIEN, PAT", 'owner OBRIEN LLC']],
    ['o’b', ["owner O'BRIEN, PAT", 'owner OBRIEN LLC']],
    ["''", []],
    // A number begins few names, and many addresses.
    ['12 oaks', ['owner 12 OAKS LAND LLC']],
  ])('%j', async (q, expected) => {
    expect(labels(await find({ q, types: 'owner' })).sort()).toEqual(expected);
  });
});

describe('places', () => {
  test('a county comes with the bounding box of its parcels', async () => {
    const [first] = await find({ q: 'Sullivan County', types: 'county' });
    expect(first).toMatchObject({
      type: 'county',
      label: 'Sullivan, NH',
      fips: '33019',
      detail: 'County, 6 parcels',
    });
    expect(first!.bbox![0]).toBeCloseTo(-72.1705, 6);
    const [other] = await find({ q: 'washington me', types: 'county' });
    expect(other).toMatchObject({ label: 'Washington, ME', detail: expect.not.stringMatching(/\d/) });
    expect(other!.bbox).toHaveLength(4);
  });

  test.each([
    ['33019', ['county Sullivan, NH', 'zip 33019']],
    ['8023', 'county Costilla, CO'],
    ['03773', ['zip 03773']],
    ['newport nh', ['town Newport, NH']],
    ['43.36, -72.17', ['coordinates 43.36, -72.17']],
    ['-72.17 43.36', ['coordinates 43.36, -72.17']],
    ['43.36° N, 72.17° W', ['coordinates 43.36, -72.17']],
    [`${SULLIVAN + 1}`, ['property Parcel 3301900000001']],
    [`${SULLIVAN + 6}`, []],
    ['no such place', []],
  ])('%j', async (q, expected) => {
    const results = labels(await find({ q }));
    if (typeof expected === 'string') expect(results[0]).toBe(expected);
    else expect(results).toEqual(expected);
  });

  test('a town has its ZIPs, and its own ZIP if it is one', async () => {
    expect((await find({ q: 'newport, nh' }))[0]).toMatchObject({
      fips: '33019',
      zip: '03773',
      zips: ['03773'],
    });
    const [manchester] = await find({ q: 'manchester, nh', types: 'town' });
    expect(manchester!.zip).toBeUndefined();
    expect(manchester!.zips!.length).toBeGreaterThan(1);
  });

  test('places with parcels come first', async () => {
    expect((await find({ q: 'sullivan', types: 'county' }))[0]).toMatchObject({ fips: '33019' });
    // Smith is a town of states that are not loaded, and an owner of Sullivan.
    const smith = labels(await find({ q: 'smith' }));
    expect(smith[0]).toMatch(/^owner SMITH/);
    expect(smith.some(label => label.startsWith('town '))).toBe(true);
  });
});

test('no kind crowds out the others, and there are at most 10', async () => {
  const results = await find({ q: 'washington' });
  expect(results).toHaveLength(10);
  expect(labels(results)).toContain('owner WASHINGTON LAND TRUST');
});

test.each([
  [{}, 'q'],
  [{ q: ' a ' }, 'q'],
  [{ q: 'a'.repeat(201) }, 'q'],
  [{ q: 'main', types: 'lake' }, 'types'],
  [{ q: 'main', near: '43.36,-72.17' }, 'near'],
  [{ q: 'main', near: 'here' }, 'near'],
  [{ q: 'main', limit: '3' }, 'limit'],
])('%j is refused', async (query, field) => {
  const { status, json } = await api.call(`${PATH}?${new URLSearchParams(query as Record<string, string>)}`, {
    key,
  });
  expect(status).toBe(400);
  expect(json).toMatchObject({
    error: { code: 'validation_error', details: { [field]: [expect.any(String)] } },
  });
});

// Last: an ingestion retires what was put in by hand.
test('a new roll is found by its addresses and numbers, and no longer by those of the old one', async () => {
  const feed = rollFeed(folder, 'addresses', { situs_address: 'SITUS', apn: 'PIN' }, { fips: '33013' });
  const load = async (streets: string[]) => {
    writeFeatures(
      `${folder}/addresses.ndgeojson`,
      streets.map((SITUS, at) => ({ properties: { PIN: `0${at}-00${at}`, SITUS }, geometry: lot(at) })),
    );
    expect(await ingest(db.pool, feed, { force: true })).toMatchObject({ status: 'merged' });
  };
  const count = async (q: string) => (await find({ q })).length;
  await load(['1 ELM ST', '2 ELM ST', '3 OAK LN']);
  expect([await count('elm street'), await count('3 oak lane'), await count('2-2')]).toEqual([2, 1, 1]);
  await load(['1 ELM ST', '2 ASH ST', '3 OAK LN']);
  expect([await count('elm street'), await count('2 ash st')]).toEqual([1, 1]);
});
