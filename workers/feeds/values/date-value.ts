import { FAILURES, type Failure, tidyText } from './text-value.ts';

export type DateParser = (raw: unknown) => string | null | Failure;

type Parts = { year: number; month: number; day: number };

const ISO = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ].*)?$/;
const COMPACT = /^(\d{4})(\d{2})(\d{2})$/;
const US = /^(\d{1,2})[-/](\d{1,2})[-/](\d{4})(?: .*)?$/;
const ONLY_ZEROS = /^[0/\-: T.]+$/;

/** Larger numbers are milliseconds since 1970, not dates without separators. */
const EPOCH_MS_FROM = 1e10;
const EARLIEST_YEAR = 1800;

/**
 * Recognizes unambiguous formats: ISO dates and timestamps, YYYY/MM/DD, YYYYMMDD, M/D/YYYY, and milliseconds
 * since 1970. A timestamp gives the date as written, whatever its time zone. Milliseconds give the date in
 * UTC.
 * @param lastYear years after this one are out of range
 */
export function dateParser(format: string | undefined, lastYear: number): DateParser {
  const read = format === undefined ? recognise : byFormat(format, lastYear);
  return raw => {
    if (raw instanceof Date && !Number.isNaN(raw.getTime()))
      return checked(fromEpochMs(raw.getTime()), lastYear);
    const text = tidyText(raw);
    if (text === null || ONLY_ZEROS.test(text)) return null;
    const parts = read(text);
    return parts === null ? FAILURES.notADate : checked(parts, lastYear);
  };
}

/** Whether a format includes the day, and not only the month or the year. */
export const hasDay = (format: string | undefined): boolean =>
  format === undefined || SPECIAL.has(format) || format.includes('D');

export const isDateFormat = (format: string): boolean => SPECIAL.has(format) || compile(format) !== null;

function recognise(text: string): Parts | null {
  const ymd = ISO.exec(text) ?? COMPACT.exec(text);
  if (ymd) return { year: Number(ymd[1]), month: Number(ymd[2]), day: Number(ymd[3]) };
  const us = US.exec(text);
  if (us) return { year: Number(us[3]), month: Number(us[1]), day: Number(us[2]) };
  return /^\d{11,14}$/.test(text) && Number(text) >= EPOCH_MS_FROM ? fromEpochMs(Number(text)) : null;
}

const SPECIAL = new Map<string, (text: string) => Parts | null>([
  ['ISO', text => (ISO.test(text) ? recognise(text) : null)],
  ['epoch_ms', text => (/^-?\d+(\.\d+)?$/.test(text) ? fromEpochMs(Number(text)) : null)],
  // Excel stores dates as day numbers. 1970-01-01 is day 25569.
  [
    'excel',
    text => (/^\d{1,6}(\.\d+)?$/.test(text) ? fromEpochMs((Number(text) - 25_569) * 86_400_000) : null),
  ],
  ['epoch_s', text => (/^-?\d+(\.\d+)?$/.test(text) ? fromEpochMs(Number(text) * 1000) : null)],
]);

function byFormat(format: string, lastYear: number): (text: string) => Parts | null {
  const special = SPECIAL.get(format);
  if (special) return special;
  const compiled = compile(format);
  if (!compiled) throw new Error(`Date format '${format}' is valid but can't be compiled`);
  return text => {
    const match = compiled.pattern.exec(text);
    if (!match) return null;
    const parts: Parts = { year: 0, month: 1, day: 1 };
    compiled.tokens.forEach((token, i) => {
      const value = token === 'MON' ? monthOf(match[i + 1]!) : Number(match[i + 1]);
      if (token === 'YY') parts.year = value + (value + 2000 > lastYear ? 1900 : 2000);
      else if (token === 'YYYY') parts.year = value;
      else if (token.startsWith('D')) parts.day = value;
      else parts.month = value;
    });
    return parts;
  };
}

const MONTHS = 'JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER DECEMBER'.split(
  ' ',
);

/** 1 to 12 for 'Sep', 'Sept', or 'September'. Returns 0 for other words. */
const monthOf = (word: string): number => MONTHS.findIndex(month => month.startsWith(word.toUpperCase())) + 1;

const TOKENS: Record<string, string> = {
  YYYY: '(\\d{4})',
  YY: '(\\d{2})',
  MON: '([A-Za-z]{3,9})\\.?',
  MM: '(\\d{2})',
  M: '(\\d{1,2})',
  DD: '(\\d{2})',
  D: '(\\d{1,2})',
};

/** With month names, a weekday can precede the date, and st, nd, rd, or th can follow the day. */
const WEEKDAY = '(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\\.?,? )?';
const ORDINAL = '(?:st|nd|rd|th)?';

/** A year is required. A missing month or day counts as 1. Anything may follow a space. */
function compile(format: string): { pattern: RegExp; tokens: string[] } | null {
  const tokens: string[] = [];
  const named = format.includes('MON');
  const body = format.replace(/YYYY|YY|MON|MM|M|DD|D|[\s\S]/g, part => {
    const pattern = TOKENS[part];
    if (pattern === undefined) return part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    tokens.push(part);
    return named && part === 'D' ? pattern + ORDINAL : pattern;
  });
  const kinds = tokens.map(token => token[0]);
  const valid = kinds.includes('Y') && new Set(kinds).size === kinds.length && !/[A-Za-z]/.test(rest(format));
  const start = named ? `^${WEEKDAY}` : '^';
  return valid ? { pattern: new RegExp(`${start}${body}(?:[ T].*)?$`, 'i'), tokens } : null;
}

const rest = (format: string): string => format.replace(/YYYY|YY|MON|MM|M|DD|D/g, '');

function fromEpochMs(ms: number): Parts | null {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return null;
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

function checked(parts: Parts | null, lastYear: number): string | Failure {
  if (parts === null) return FAILURES.notADate;
  const { year, month, day } = parts;
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return FAILURES.notADate;
  if (year < EARLIEST_YEAR || year > lastYear) return FAILURES.dateOutOfRange;
  return `${year}-${month < 10 ? '0' : ''}${month}-${day < 10 ? '0' : ''}${day}`;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
