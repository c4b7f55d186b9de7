import type { FieldSpec } from './parcel-fields.ts';

const number = (digits: number) => new Intl.NumberFormat('en-US', { maximumFractionDigits: digits });
const whole = number(0);
const oneDigit = number(1);
const twoDigits = number(2);

const METRES_PER_FOOT = 0.3048;

/** Numbers by their unit, as people in the US read them. */
const TEXTS: Readonly<Record<string, (value: number) => string>> = {
  USD: value => `$${whole.format(value)}`,
  acres: value => twoDigits.format(value),
  feet: value => `${oneDigit.format(value)} ft`,
  'metres above sea level': value => `${whole.format(value / METRES_PER_FOOT)} ft`,
  percent: value => `${oneDigit.format(value)}%`,
  'square feet': value => `${whole.format(value)} sq ft`,
};

/** A field's value as people read it; undefined where nothing is known. */
export function fieldText({ unit }: FieldSpec, value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = unit === undefined ? undefined : TEXTS[unit];
  return text !== undefined && typeof value === 'number' ? text(value) : String(value);
}
