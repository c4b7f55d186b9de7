import type { Condition } from '../../feeds/column-schema.ts';
import { parseNumber } from '../validate/number.ts';
import { tidyText } from '../validate/text.ts';
import type { Resolve } from './names.ts';

type Values = Record<string, unknown>;
type Test = (values: Values) => boolean;

const folded = (raw: unknown): string => tidyText(raw)?.toUpperCase() ?? '';

/** Compiles a condition; all that it lists must hold. A column that the source lacks is an empty cell. */
export function compileCondition(condition: Condition, resolve: Resolve): Test {
  const column = resolve(condition.column) ?? condition.column;
  const tests: ((raw: unknown) => boolean)[] = [];
  const { equals, min, max, present } = condition;
  if (condition.in) {
    const wanted = new Set(condition.in.map(folded));
    tests.push(raw => wanted.has(folded(raw)));
  }
  if (condition.not_in) {
    const unwanted = new Set(condition.not_in.map(folded));
    tests.push(raw => !unwanted.has(folded(raw)));
  }
  if (equals !== undefined) tests.push(raw => folded(raw) === folded(equals));
  if (present !== undefined) tests.push(raw => (folded(raw) !== '') === present);
  if (min !== undefined || max !== undefined) tests.push(raw => within(parseNumber(raw), min, max));
  return values => tests.every(test => test(values[column]));
}

function within(value: unknown, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}
