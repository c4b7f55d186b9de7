import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { FILTERS } from '../../api/v1/filter/filters.ts';
import { newCaller, posting, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { FULL, OPPOSITE, UNKNOWN } from '../support/filter-parcels.ts';
import { insertParcels } from '../support/parcels.ts';

const PATH = '/api/public/v1/properties/filter/';
const db = await createTestDatabase();
const api = await startTestApi(db);
const { key } = await newCaller(db);
beforeAll(() => insertParcels(db.pool, [FULL, OPPOSITE, UNKNOWN]));

/** The test's API compares every answer with the published schema besides. */
async function answer(body: string, query = ''): Promise<number> {
  const reply = await api.call(PATH + query, posting(key, body));
  if (reply.status !== 200) {
    const { error } = reply.json as { error: { code: string; details?: object } };
    expect([reply.status, error.code]).toEqual(
      reply.status === 422 ? [422, 'unprocessable'] : [400, 'validation_error'],
    );
    if (reply.status === 400) expect(Object.keys(error.details ?? {})).not.toEqual([]);
  }
  return reply.status;
}

const HOSTILE = [
  "'; drop table parcels; --",
  '$1',
  '{{where}}',
  '%',
  '_',
  '\\',
  '\0',
  '\ud800',
  '\u202e',
  '😀'.repeat(60),
  'a'.repeat(100_000),
  "E'\\\\x00'",
  '{1,2}',
  '(1,2)',
  'NaN',
  'Infinity',
  'null',
  '1e400',
  '__proto__',
  '00000',
  '99999999',
  '20240230',
];
const NUMBERS = [
  0,
  -0,
  -1,
  0.1,
  1e-320,
  1e15,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e300,
  Number.MAX_VALUE,
  Number.MIN_VALUE,
  3.4e38,
  1e39,
];
const scalar = fc.oneof(
  fc.constantFrom<unknown>(...HOSTILE),
  fc.constantFrom<unknown>(...NUMBERS),
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true }),
  fc.constantFrom(true, false, null),
);
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const body = fc
  .tuple(
    fc.dictionary(
      fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...FILTERS.map(filter => filter.name)) },
        { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', '', 'order ') },
      ),
      value,
      { maxKeys: 5 },
    ),
    fc.boolean(),
  )
  .map(([fields, scoped]) => (scoped ? { county: '33019', ...fields } : fields));

test('whatever a body says, the answer is a page or names what is wrong', async () => {
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(body, async fields => {
      const status = await answer(JSON.stringify(fields));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }),
    { numRuns: 200 },
  );
  // Both kinds of answer were met.
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400]));
});

test('a value of the right type is never a fault of the program, however odd it is', async () => {
  for (const [at, { name, type }] of FILTERS.entries()) {
    const values =
      type === 'number' || type === 'integer'
        ? NUMBERS
        : type === 'list of strings'
          ? HOSTILE.map(text => [text])
          : type === 'boolean'
            ? [true, false]
            : HOSTILE;
    // Filters of a type are read alike: each value goes to a third of them.
    for (const odd of values.filter((_, i) => (i + at) % 3 === 0))
      await answer(JSON.stringify({ county: '33019', [name]: odd }));
  }
});

const word = fc.constantFrom(
  ...['POINT', 'LINESTRING', 'POLYGON', 'MULTIPOLYGON', 'GEOMETRYCOLLECTION', 'EMPTY', 'Z', 'SRID=4326;'],
  ...['(', '((', ')', '))', ',', ' ', '0 0', '1 1', '0 1', '-72.1 43.2', '181 91', '1e999 0', 'NaN 0', '\0'],
);
test('whatever a geometry says, the answer is a page or names it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 14 }), async words => {
      await answer(JSON.stringify({ geom_intersects: words.join(' ') }));
    }),
    { numRuns: 60 },
  );
  await answer(JSON.stringify({ geom_intersects: 'GEOMETRYCOLLECTION('.repeat(20_000) }));
  await answer(JSON.stringify({ geom_intersects: `POLYGON(${'('.repeat(100_000)}` }));
});

test('whatever the query says, the answer is a page or names what is wrong', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('page', 'page_size', 'cursor', 'x'),
      fc.oneof(
        fc.constantFrom(...HOSTILE.filter(text => text.length < 1_000 && text !== '\ud800')),
        fc.string(),
      ),
      async (name, text) => {
        await answer('{"county":"33019"}', `?${name}=${encodeURIComponent(text)}`);
      },
    ),
    { numRuns: 60 },
  );
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
])('text that is no JSON object is refused', async text => {
  expect(await answer(text)).toBe(400);
});
