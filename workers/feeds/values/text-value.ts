import { dateText } from '../../formats/row-batch.ts';

/**
 * Why a value can't be used. `reason` is stable and counted (`plat runs show`). `says` completes the sentence
 * `'<value>' …`. Parsers return these instead of throwing, because a roll can have a million bad values.
 */
export type Failure = { readonly reason: string; readonly says: string };

const failure = (reason: string, says: string): Failure => ({ reason, says });

export const FAILURES = {
  notANumber: failure('not_a_number', 'is not a number'),
  overflow: failure('overflow', 'marks a number that was too long for its column'),
  notWhole: failure('not_whole', 'is not a whole number'),
  tooLong: failure('too_long', 'has more than 255 characters'),
  negative: failure('negative', 'is negative'),
  outOfRange: failure('out_of_range', 'is out of range'),
  rounded: failure(
    'damaged_key',
    'is a number that a spreadsheet rounded. Format the column as text in the source, and export it again',
  ),
  dated: failure(
    'damaged_key',
    'is a number that a spreadsheet turned into a date. Format the column as text in the source, and export it again',
  ),
  placeholder: failure('placeholder', 'is a placeholder, not a place in the United States'),
  notADate: failure('not_a_date', 'is not a date in the expected format'),
  dateOutOfRange: failure('date_out_of_range', 'is before 1800 or after the end of next year'),
  notABoolean: failure('not_a_boolean', 'is neither yes nor no; list it under values'),
  notAState: failure('not_a_state', 'is not a US state'),
  notAZip: failure('not_a_zip', 'is not a US ZIP code'),
  notAFips: failure('not_a_fips', 'is not a county FIPS code'),
  notAStatus: failure(
    'unknown_status',
    'is not ACTIVE, PENDING, SOLD, or OFF_MARKET; list it under values of columns.status',
  ),
  notARoadClass: failure(
    'unknown_class',
    'is not highway, normal, local, private, or none; list it under values of columns.class',
  ),
  notAPhone: failure('not_a_phone', 'is not a 10-digit phone number'),
  notAUrl: failure('not_a_url', 'is not an http(s) URL of up to 4,096 characters'),
  unknownUnit: failure('unknown_unit', 'has a unit other than acres, sqft, sqm, or hectares'),
} as const satisfies Record<string, Failure>;

export const isFailure = (value: unknown): value is Failure =>
  typeof value === 'object' && value !== null && 'reason' in value;

/**
 * A text's pattern without its content, with x for letters and 0 for digits. Personal data is shown only in
 * this form.
 */
export const mask = (text: string): string => text.replace(/\p{L}/gu, 'x').replace(/\p{N}/gu, '0');

/** The value as shown in messages: one line of up to 60 characters. */
export function displayValue(raw: unknown): string {
  const text =
    typeof raw === 'string'
      ? raw
      : raw instanceof Date
        ? String(tidyText(raw))
        : typeof raw === 'object' && raw !== null
          ? JSON.stringify(raw)
          : String(raw);
  const line = text.replace(/[\s\0]+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

/**
 * Words for "no value" in rolls. Excludes 'NA', which may be a code or a surname, and 'UNKNOWN', which may be
 * a recorded value.
 */
const NULL_WORDS = new Set(['NULL', '<NULL>', '(NULL)', 'N/A', '#N/A', 'NONE', 'NAN']);
const LONGEST_NULL_WORD = 6;

/** Checked first, because uppercasing every short text takes a third of the mapping time. */
const MAY_BE_NULL_WORD = /^[Nn<(#]/;

/** Whitespace other than single spaces between words, such as full-width and no-break spaces. */
const UNTIDY = /[\0\t\n\v\f\r\u0085\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]|\s\s/;
/** Zero-width characters. */
const INVISIBLE = /[\0\u200b\u2060\ufeff]/g;

const ASTERISK = 42;

/** What dBASE, Excel, and other programs write for a number that did not fit. */
export const isOverflow = (raw: unknown): boolean => typeof raw === 'string' && /^\s*\*{2,}\s*$/.test(raw);

/** A value's trimmed text without NUL or repeated spaces. Null for empty text and the usual null words. */
export function tidyText(raw: unknown): string | null {
  if (typeof raw !== 'string') return tidyOther(raw);
  const text = tidySpaces(raw);
  if (text === '' || (text.charCodeAt(0) === ASTERISK && isOverflow(text))) return null;
  return text.length <= LONGEST_NULL_WORD && isNullWord(text) ? null : text;
}

/** The text without NUL and surrounding whitespace, and with other whitespace replaced with single spaces. */
export function tidySpaces(raw: string): string {
  const text = raw.trim();
  return UNTIDY.test(text)
    ? text
        .replace(INVISIBLE, '')
        .replace(/[\s\u0085]+/g, ' ')
        .trim()
    : text;
}

function isNullWord(text: string): boolean {
  return MAY_BE_NULL_WORD.test(text) && NULL_WORDS.has(text.toUpperCase());
}

function tidyOther(raw: unknown): string | null {
  if (raw === null || raw === undefined) return null;
  if (typeof raw === 'number') return Number.isNaN(raw) ? null : String(raw);
  if (typeof raw === 'boolean' || typeof raw === 'bigint') return String(raw);
  if (raw instanceof Date) return Number.isNaN(raw.getTime()) ? null : dateText(raw);
  if (Array.isArray(raw)) {
    return (
      raw
        .map(tidyText)
        .filter(text => text !== null)
        .join(', ') || null
    );
  }
  return JSON.stringify(raw);
}
