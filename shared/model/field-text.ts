import { M_PER_FT } from '../geo/units.ts';
import { acres, count, day, oneDigit, percent, usd } from './figures.ts';
import type { FieldSpec } from './parcel-fields.ts';

const TEXTS: Readonly<Record<string, (value: number) => string>> = {
  USD: usd,
  acres,
  feet: value => `${oneDigit(value)} ft`,
  'meters above sea level': value => `${count(value / M_PER_FT)} ft`,
  percent,
  'square feet': value => `${count(value)} sq ft`,
};

/** Formats a field's value for people. Returns undefined if it is unknown. */
export function fieldText({ unit, type }: Partial<FieldSpec>, value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (type === 'date' && typeof value === 'string') return day(value);
  const text = unit === undefined ? undefined : TEXTS[unit];
  return text !== undefined && typeof value === 'number' ? text(value) : String(value);
}
