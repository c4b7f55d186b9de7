import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { FILTERS } from '../../shared/parcels/filter/filters.ts';
import { NUMBERS, TEXTS } from '../fuzz/values.ts';
import { insertRegions, newCaller, posting, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { FULL, OPPOSITE, UNKNOWN } from '../support/filter-parcels.ts';
import { insertParcels } from '../support/parcels.ts';
import { runs } from '../support/runs.ts';

/** Whatever a filter is given, the answer is a page or names what is wrong. */

const db = await createTestDatabase();
const api = await startTestApi(db, { env: { STATEMENT_TIMEOUT_MS: '20000' } });
const { key } = await newCaller(db);
beforeAll(async () => {
  await insertRegions(db);
  await insertParcels(db.pool, [FULL, OPPOSITE, UNKNOWN]);
});

const FILTER = '/api/public/v1/properties/filter/';

async function ask(body: object): Promise<void> {
  const text = JSON.stringify(body);
  // It compares the answer with the published schema besides.
  const { status, json } = await api.call(FILTER, posting(key, text));
  expect([200, 400, 422], text).toContain(status);
  if (status === 400) expect(json, text).toMatchObject({ error: { code: 'validation_error' } });
}

test('a value of the right type never makes the filter fail, however odd it is', async () => {
  for (const [at, { name, type }] of FILTERS.entries()) {
    const numeric = type === 'number' || type === 'integer';
    const values = numeric ? NUMBERS : type === 'list of strings' ? TEXTS.map(one => [one]) : TEXTS;
    // Filters of a type are read alike: each value goes to a sixth of them.
    for (const odd of type === 'boolean' ? [true, false] : values.filter((_, i) => (i + at) % 6 === 0))
      await ask({ county: '33019', [name]: odd });
  }
});

test('whatever the geometry, the response is a page of results or an error that names it', async () => {
  const word = fc.constantFrom(
    'POINT',
    'LINESTRING',
    'POLYGON',
    'MULTIPOLYGON',
    'GEOMETRYCOLLECTION',
    'EMPTY',
    'Z',
    'SRID=4326;',
    '(',
    '((',
    ')',
    '))',
    ',',
    ' ',
    '0 0',
    '1 1',
    '0 1',
    '-72.1 43.2',
    '181 91',
    '1e999 0',
    'NaN 0',
    '\0',
  );
  const asks = (geom_intersects: string) => ask({ geom_intersects });
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 14 }), async words => {
      await asks(words.join(' '));
    }),
    { numRuns: runs(60) },
  );
  await asks('GEOMETRYCOLLECTION('.repeat(20_000));
  await asks(`POLYGON(${'('.repeat(100_000)}`);
});

test.each([
  '',
  '{',
  '[]',
  '"',
  'nul',
  '{"county":"33019"',
  '{"county":"33019"}x',
  '\ufeff{}',
  '['.repeat(50_000),
])('text that is no JSON object is refused', async body => {
  expect((await api.call(FILTER, posting(key, body))).status).toBe(400);
});
