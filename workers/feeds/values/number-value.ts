import { roundAcres } from '../../../shared/model/shown-acres.ts';
import { FAILURES, type Failure, isOverflow, tidyText } from './text-value.ts';

/** Plain decimals with an optional exponent. Number() would also accept '0x1F' and 'Infinity'. */
const PLAIN = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
/** '$1,234,567.50', '1,234', '(350)' for minus 350. */
const WRITTEN = /^\(?[-+]?\$?\s?[-+]?(\d{1,3}(,\d{3})+|\d+)?(\.\d*)?\)?$/;

/** A number as written in a source, with `$` and thousands separators. Null for empty text. */
export function parseNumber(raw: unknown): number | null | Failure {
  if (typeof raw === 'number') {
    if (Number.isFinite(raw)) return raw;
    return Number.isNaN(raw) ? null : FAILURES.notANumber;
  }
  const text = tidyText(raw);
  if (text === null) return isOverflow(raw) ? FAILURES.overflow : null;
  if (PLAIN.test(text)) {
    const number = Number(text);
    return Number.isFinite(number) ? number : FAILURES.outOfRange;
  }
  if (!WRITTEN.test(text) || !/\d/.test(text)) return FAILURES.notANumber;
  const magnitude = Number(text.replace(/[($,)\s]/g, ''));
  if (Number.isNaN(magnitude)) return FAILURES.notANumber;
  return text.startsWith('(') ? -Math.abs(magnitude) : magnitude;
}

type Numeric = number | null | Failure;

function upTo(value: Numeric, most: number): Numeric {
  if (typeof value !== 'number') return value;
  if (value < 0) return FAILURES.negative;
  return value > most ? FAILURES.outOfRange : value;
}

/**
 * The largest county (Yukon-Koyukuk, Alaska) has 94 million acres. Larger values are fillers or in another
 * unit.
 */
const MAX_ACRES = 1e8;

/** Acres: 0 means that none are stated, which is not an error in the row. */
export function acres(value: Numeric): Numeric {
  const stated = upTo(value, MAX_ACRES);
  if (typeof stated !== 'number') return stated;
  return roundAcres(stated) || null;
}

/** The largest building in the United States has about 15 million square feet. 99999999 is a filler. */
const MAX_SQFT = 9e7;

export const floorArea = (value: Numeric): Numeric => upTo(value, MAX_SQFT);

export const percent = (value: Numeric): Numeric => upTo(value, 100);

/**
 * No parcel is valued at a trillion dollars, and no mortgage is that large. A figure like 9999999999999 is a
 * placeholder.
 */
const MAX_USD = 1e12;

export const price = (value: Numeric): Numeric => upTo(value, MAX_USD - 0.01);

export function money(value: Numeric): Numeric {
  const dollars = upTo(value, MAX_USD - 1);
  return typeof dollars === 'number' ? Math.round(dollars) : dollars;
}

/** No parcel has as many structures as a city. */
export const MAX_COUNT = 100_000;

/** A century in days. Anything more is a placeholder, or a date instead of a count. */
export const MAX_DAYS = 36_525;

/** No page has more viewers than the United States has people. */
export const MAX_TIMES = 300_000_000;

export function count(value: Numeric, most: number): Numeric {
  return typeof value === 'number' && value >= 0 && !Number.isInteger(value)
    ? FAILURES.notWhole
    : upTo(value, most);
}

/** A year from 1600 (the oldest houses of New England and Florida) to `lastYear`. 0 means unknown. */
export function year(value: Numeric, lastYear: number): Numeric {
  if (typeof value !== 'number') return value;
  if (value === 0) return null;
  if (!Number.isInteger(value)) return FAILURES.notWhole;
  return value < 1600 || value > lastYear ? FAILURES.outOfRange : value;
}

/** Degrees within ±`limit`. Exactly 0 is a placeholder: no US county is near the equator or Greenwich. */
export function degrees(value: Numeric, limit: 90 | 180): Numeric {
  if (typeof value !== 'number') return value;
  if (value === 0) return FAILURES.placeholder;
  return Math.abs(value) > limit ? FAILURES.outOfRange : value;
}
