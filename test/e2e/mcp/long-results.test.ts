import { beforeAll, expect, test } from 'vitest';
import { MAX_STRUCTURED_CHARS } from '../../../api/mcp/shorten-result.ts';
import type { Position } from '../../../shared/geo/geometry-types.ts';
import { newCaller, startTestApi, usageOf } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { insertListings } from '../../support/listings.ts';
import { call, connect, type Result } from '../../support/mcp.ts';
import { insertParcels } from '../../support/parcels.ts';

const db = await createTestDatabase();
const api = await startTestApi(db);
const { key, accountId } = await newCaller(db, {}, { scopes: ['api:direct', 'api:mcp'] });

const FIRST = 33_019e8 + 1;
const OWNED = 700;
const OWNER = '11111111-1111-1111-1111-111111111111';
const VERTICES = 9_000;

/** A boundary as large as a coast. */
const circle = Array.from({ length: VERTICES + 1 }, (_, i): Position => {
  const angle = ((i % VERTICES) / VERTICES) * 2 * Math.PI;
  return [-72.1 + 0.1 * Math.cos(angle), 43.2 + 0.1 * Math.sin(angle)];
});

beforeAll(async () => {
  await insertParcels(db.pool, [
    { property_id: FIRST, owner_key: OWNER, owner_name: 'A COAST', boundary: [[circle]] },
    ...Array.from({ length: OWNED - 1 }, (_, i) => ({
      property_id: FIRST + 1 + i,
      owner_key: OWNER,
      owner_name: 'STATE OF NEW HAMPSHIRE',
      situs_address: `${i} A LONG STREET NAME`,
      acres: 1 + i,
    })),
  ]);
  await insertListings(
    db.pool,
    Array.from({ length: 120 }, (_, i) => ({
      id: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
      price: 1_000 + i,
      photos: Array.from({ length: 30 }, (_, n) => `https://photos.example.org/listings/${i}/${n}.jpg`),
    })),
  );
});

const lengthOf = ({ structured }: Result) => JSON.stringify(structured).length;
const idsOf = ({ structured }: Result, field = 'property_id') =>
  (structured!.results as Record<string, unknown>[]).map(row => row[field]);
const cutOf = ({ structured }: Result) =>
  (structured!.shortened as { list: { skipped: number; rows: number; of: number } }).list;

test('a long list without pages is read in parts, each at most 25,000 tokens', async () => {
  const client = await connect(api, key);
  const found: unknown[] = [];
  const parts: Result[] = [];
  do {
    const given = { property_id: FIRST, ...(found.length > 0 && { skip: found.length }) };
    const part = await call(client, 'get_owner_portfolio', given);
    expect(part).toMatchObject({ isError: false, tokens: 30 });
    expect(lengthOf(part)).toBeLessThanOrEqual(MAX_STRUCTURED_CHARS);
    expect(part.structured).toMatchObject({ total_parcels: OWNED });
    expect(cutOf(part)).toMatchObject({ name: 'results', skipped: found.length, of: OWNED });
    found.push(...idsOf(part));
    parts.push(part);
  } while (found.length < OWNED);
  expect(parts.length).toBeGreaterThan(2);
  expect(parts[0]!.text).toContain(`skip=${cutOf(parts[0]!).rows}`);
  expect(parts.at(-1)!.text).not.toContain('skip=');
  expect(found).toEqual(Array.from({ length: OWNED }, (_, i) => FIRST + i));
  const beyond = await call(client, 'get_owner_portfolio', { property_id: FIRST, skip: OWNED });
  expect(idsOf(beyond)).toEqual([]);
});

test.each([-1, 1.5, 'x', '', Number.MAX_VALUE])('skip=%s is refused and free', async skip => {
  const client = await connect(api, key);
  const before = (await usageOf(db, accountId)).tokens;
  const answer = await call(client, 'get_owner_portfolio', { property_id: FIRST, skip });
  expect(JSON.parse(answer.text).error).toMatchObject({
    code: 'validation_error',
    details: { skip: [expect.any(String)] },
  });
  expect((await usageOf(db, accountId)).tokens).toBe(before);
});

test('a boundary that is too long is omitted, and the result says so', async () => {
  const client = await connect(api, key);
  const answer = await call(client, 'get_property', { property_id: FIRST });
  expect(lengthOf(answer)).toBeLessThanOrEqual(MAX_STRUCTURED_CHARS);
  expect(answer.structured).toMatchObject({ owner_name: 'A COAST', shortened: { omitted: ['shape'] } });
  expect(answer.structured).not.toHaveProperty('shape');
  expect(answer.text).toContain('omitted: shape');
  const small = await call(client, 'get_property', { property_id: FIRST + 1 });
  expect(small.structured).not.toHaveProperty('shortened');
});

test('the largest pages of parcels and comps fit; comps go without photos', async () => {
  const client = await connect(api, key);
  const parcels = await call(client, 'filter_properties', { county: '33019', page_size: 150 });
  expect(idsOf(parcels)).toHaveLength(150);
  expect(parcels.structured).not.toHaveProperty('shortened');
  expect(lengthOf(parcels)).toBeLessThanOrEqual(MAX_STRUCTURED_CHARS);
  const comps = await call(client, 'list_comps', { fips: '33019', page_size: 150 });
  expect(comps).toMatchObject({
    tokens: 120,
    structured: { count: 120, shortened: { omitted: ['photos'] } },
  });
  expect(idsOf(comps, 'id')).toHaveLength(120);
  expect(lengthOf(comps)).toBeLessThanOrEqual(MAX_STRUCTURED_CHARS);
});

test('more rows than a result can have are refused before the call, and free', async () => {
  const client = await connect(api, key);
  const before = (await usageOf(db, accountId)).tokens;
  for (const [name, argument, given] of [
    ['filter_properties', 'page_size', { county: '33019' }],
    ['list_comps', 'page_size', { fips: '33019' }],
    ['list_changes', 'limit', {}],
  ] as const) {
    const answer = await call(client, name, { ...given, [argument]: 151 });
    expect(JSON.parse(answer.text).error.details, name).toEqual({
      [argument]: [expect.stringContaining('150')],
    });
  }
  expect((await usageOf(db, accountId)).tokens).toBe(before);
});
