import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Condition, parseCql } from '../../../api/ogc/cql-text.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { runs } from '../../support/runs.ts';

const scalar = fc.oneof(
  fc.string({ unit: 'grapheme' }).filter(text => !text.includes('\0')),
  fc.integer(),
  fc
    .double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 })
    .filter(value => !Object.is(value, -0)),
  fc.boolean(),
);
const property = fc.stringMatching(/^[a-z][a-z_]{0,10}_x$/);

const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    property,
    operator: fc.constantFrom('=', '<', '<=', '>', '>=', 'LIKE' as const),
    values: fc.tuple(scalar),
  }),
  fc.record({ property, operator: fc.constant('IN' as const), values: fc.array(scalar, { minLength: 1 }) }),
  fc.record({ property, operator: fc.constant('BETWEEN' as const), values: fc.tuple(scalar, scalar) }),
  fc.record({ property, operator: fc.constant('IS NOT NULL' as const), values: fc.constant([]) }),
) as fc.Arbitrary<Condition>;

const written = (value: Condition['values'][number]): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value).toUpperCase();

function text({ property: name, operator, values }: Condition): string {
  const parts = values.map(written);
  if (operator === 'IN') return `${name} in (${parts.join(',')})`;
  if (operator === 'BETWEEN') return `${name} Between ${parts.join(' AND ')}`;
  return `${name} ${operator}${parts.length > 0 ? ` ${parts[0]}` : ''}`;
}

test('reads back what is written, with or without parentheses', () => {
  fc.assert(
    fc.property(fc.array(condition, { minLength: 1, maxLength: 6 }), conditions => {
      const texts = conditions.map((each, at) => (at % 2 === 0 ? text(each) : `( ${text(each)})`));
      expect(parseCql(texts.join(' AND '))).toEqual(conditions);
    }),
    { numRuns: runs(300) },
  );
});

test('any other text is refused, never thrown on', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), given => {
      try {
        parseCql(given);
      } catch (error) {
        expect(error).toBeInstanceOf(PlatError);
        expect((error as PlatError).code).toBe('validation_error');
      }
    }),
    { numRuns: runs(500) },
  );
});

test.each([
  '',
  'a',
  'a =',
  'a = 1 AND',
  'a = 1 b = 2',
  'a in ()',
  'a between 1',
  "DATE('x'",
  "a = 'x",
  'NOT a = 1',
])('refuses %s', given => expect(() => parseCql(given)).toThrow(PlatError));

test('a time is read as its day', () => {
  expect(parseCql("a >= TIMESTAMP('2025-01-02T03:04:05Z')")[0]!.values).toEqual(['2025-01-02']);
});

// Examples of the standard (OGC 21-065, schema/examples/text) for what Plat supports.
test.each<[text: string, ...conditions: [string, Condition['operator'], Condition['values']][]]>([
  ["city='Toronto'", ['city', '=', ['Toronto']]],
  ["updated >= date('1970-01-01')", ['updated', '>=', ['1970-01-01']]],
  ['geometry IS NOT NULL', ['geometry', 'IS NOT NULL', []]],
  ["name LIKE 'Smith%'", ['name', 'LIKE', ['Smith%']]],
  ['depth BETWEEN 100.0 and 150.0', ['depth', 'BETWEEN', [100, 150]]],
  ["cityName IN ('Toronto','New York')", ['cityName', 'IN', ['Toronto', 'New York']]],
  ['floors>5', ['floors', '>', [5]]],
  ['taxes <= 500', ['taxes', '<=', [500]]],
  ["owner LIKE '%Jones%'", ['owner', 'LIKE', ['%Jones%']]],
  ['swimming_pool = true', ['swimming_pool', '=', [true]]],
  ['floors>5 AND swimming_pool=true', ['floors', '>', [5]], ['swimming_pool', '=', [true]]],
  ['"value" IN (1.0, 2.0, 3.0)', ['value', 'IN', [1, 2, 3]]],
  ['"value" BETWEEN 10 AND 20', ['value', 'BETWEEN', [10, 20]]],
])("reads the standard's %s", (given, ...conditions) => {
  const expected = conditions.map(([name, operator, values]) => ({ property: name, operator, values }));
  expect(parseCql(given)).toEqual(expected);
});

test.each([
  'avg(windSpeed) < 4',
  'balance-150.0 > 0',
  'category NOT IN (1,2,3,4)',
  "ACCENTI(etat_vol) = ACCENTI('débárquér')",
  "CASEI(road_class) IN (CASEI('Οδος'),CASEI('Straße'))",
  'S_INTERSECTS(geometry,POINT(36.319836 32.288087))',
  "T_BEFORE(built, DATE('2015-01-01'))",
  "A_CONTAINS(layer:ids, ('layers-ca','layers-us'))",
  'vehicle_height > (bridge_clearance-1)',
  'eo:cloud_cover=0.1 OR eo:cloud_cover=0.2',
  "owner NOT LIKE '%Mike%'",
  'NOT (floors<5) OR swimming_pool=true',
  "(floors>5 AND material='brick') OR swimming_pool=true",
  '"id" <> \'fa7e1920\'',
  '"value" IS NULL',
  'NOT "value" IS NULL',
  'Foo("geometry") = TRUE',
  '"value" = (2 / "foo")',
  '0 = ("foo" % 2)',
  '"name" LIKE CASEI(\'FOO%\')',
])("refuses the standard's %s, which Plat does not support", given =>
  expect(() => parseCql(given)).toThrow(PlatError),
);
