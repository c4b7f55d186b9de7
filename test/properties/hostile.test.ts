import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { openApiDocument } from '../../api/openapi.ts';
import { FILTERS } from '../../api/v1/parcels/filter/filters.ts';
import { insertRegions, newCaller, posting, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { FULL, OPPOSITE, UNKNOWN } from '../support/filter-parcels.ts';
import { insertParcels } from '../support/parcels.ts';

/** Whatever is asked of any endpoint, the answer is as published or names what is wrong. */

const db = await createTestDatabase();
const api = await startTestApi(db, { env: { STATEMENT_TIMEOUT_MS: '2000' } });
const { key } = await newCaller(db, { skipTracePerMinute: 60_000 });
beforeAll(async () => {
  await insertRegions(db);
  await insertParcels(db.pool, [FULL, OPPOSITE, UNKNOWN]);
});

const TEXTS = [
  '',
  '0',
  '-1',
  '1.5',
  '1e9',
  '1e400',
  'NaN',
  'Infinity',
  'null',
  'true',
  '[]',
  '{}',
  '{1,2}',
  '(1,2)',
  "'; drop table parcels; --",
  "E'\\\\x00'",
  '$1',
  '{{where}}',
  '%',
  '_',
  '\\',
  '\0',
  '\ud800',
  '\u202e',
  '😀'.repeat(60),
  'a'.repeat(10_000),
  '٣٣٠١٩',
  'é',
  '__proto__',
  '99999999999999999999',
  '00000',
  '33019',
  '03280',
  'SOLD',
  '-ppa',
  '-72.1',
  '43.18',
  '20240230',
  'POINT (-72.1 43.2)',
  'SRID=4326;POINT(',
  '{"type":"Polygon","coordinates":[[[-73,43],[-72,43],[-72,44],[-73,43]]]}',
  '{"type":"Polygon","coordinates":[[[-180,-90],[180,-90],[180,90],[-180,90],[-180,-90]]]}',
  '{"type":"Polygon","coordinates":[[[1e-320,1e-320],[1,1e-300],[1,1],[1e-320,1e-320]]]}',
  '{"type":"MultiPolygon","coordinates":[[],[[]],null]}',
  '{"type":"Polygon","coordinates":{"length":5}}',
  `${'['.repeat(3_000)}${']'.repeat(3_000)}`,
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
  3.4e38,
  1e39,
  Number.MAX_VALUE,
  Number.MIN_VALUE,
];
const ODD_NAMES = ['__proto__', 'constructor', 'toString', 'point[]', 'status[0]', 'x', ''];

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  { weight: 1, arbitrary: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String) },
);
const inUrl = fc.oneof(
  { weight: 5, arbitrary: text.map(value => new URLSearchParams([['', value]]).toString().slice(1)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('%', '%zz', '%ff%fe', '%00', '%2F', '&&', '=', '+', '%27%20or%201=1--'),
  },
);
const scalar = fc.oneof(
  text,
  fc.constantFrom(...NUMBERS),
  fc.double({ noNaN: true }),
  fc.constantFrom(true, false, null),
);
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const named = (known: string[]) =>
  known.length === 0
    ? fc.constantFrom(...ODD_NAMES)
    : fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...known) },
        { weight: 1, arbitrary: fc.constantFrom(...ODD_NAMES) },
      );

/** What half of the calls say besides, so that the rest of it is looked at. */
const SCOPED: Record<string, string> = { comps: 'zip=03280&', search: 'fips=33019&' };

type Operation = {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: { properties?: object; $ref?: string } }> };
};
const document = openApiDocument() as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties?: object }> };
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

async function send(method: string, path: string, body?: string): Promise<number> {
  const json = body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body };
  // It compares the answer with the published schema besides.
  const { status, json: answer } = await api.call(path, { key, method, ...json });
  const why = `${method} ${path} ${body}`;
  expect([200, 201, 204, 400, 404, 409, 422], why).toContain(status);
  if (status === 400) expect(answer, why).toMatchObject({ error: { code: 'validation_error' } });
  return status;
}

test.each(operations)('$method $path', async ({ path, method, operation }) => {
  const parameters = operation.parameters ?? [];
  const queries = parameters.filter(one => one.in === 'query').map(one => one.name);
  const schema = operation.requestBody?.content['application/json']?.schema;
  const { properties = {} } = schema?.$ref
    ? document.components.schemas[schema.$ref.split('/').at(-1)!]!
    : (schema ?? {});
  const fields = Object.keys(properties);
  const body = fc.oneof(
    { weight: 8, arbitrary: fc.dictionary(named(fields), value, { maxKeys: 5 }).map(one => ({ ...one })) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(inUrl, { minLength: 3, maxLength: 3 }),
      fc.array(fc.tuple(named(queries), inUrl), { maxLength: 4 }),
      body,
      fc.boolean(),
      async (parts, pairs, fieldsGiven, scoped) => {
        // Two dots would be another path, and an empty part none.
        const sent = path.replaceAll(/\{\w+\}/g, () => {
          const part = parts.pop()!.replaceAll('&', '');
          return /^(?:(?:\.|%2e){1,2}|search|filter|zip|)$/i.test(part) || scoped ? '33019' : part;
        });
        const scope = scoped ? (SCOPED[path.split('/').at(-2)!] ?? '') : '';
        const query = pairs.map(([name, given]) => `${encodeURIComponent(name)}=${given}`).join('&');
        const whole =
          scoped && fields.includes('county') ? { county: '33019', ...(fieldsGiven as object) } : fieldsGiven;
        statuses.add(
          await send(
            method,
            `${sent}?${scope}${query}`,
            schema === undefined ? undefined : JSON.stringify(whole),
          ),
        );
      },
    ),
    { numRuns: Math.min(200, 30 + 10 * (queries.length + fields.length)) },
  );
  // Where most fields may be left out, both kinds of answer are met.
  if (queries.length > 4) expect([...statuses]).toEqual(expect.arrayContaining([200, 400]));
});

const FILTER = '/api/public/v1/properties/filter/';

test('a value of the right type is never a fault of the filter, however odd it is', async () => {
  for (const [at, { name, type }] of FILTERS.entries()) {
    const numeric = type === 'number' || type === 'integer';
    const values = numeric ? NUMBERS : type === 'list of strings' ? TEXTS.map(one => [one]) : TEXTS;
    // Filters of a type are read alike: each value goes to a sixth of them.
    for (const odd of type === 'boolean' ? [true, false] : values.filter((_, i) => (i + at) % 6 === 0))
      await send('POST', FILTER, JSON.stringify({ county: '33019', [name]: odd }));
  }
});

test('whatever a geometry says, the answer is a page or names it', async () => {
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
  const asks = (geom_intersects: string) => send('POST', FILTER, JSON.stringify({ geom_intersects }));
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 14 }), async words => {
      await asks(words.join(' '));
    }),
    { numRuns: 60 },
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
