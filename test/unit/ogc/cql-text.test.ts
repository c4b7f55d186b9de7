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
