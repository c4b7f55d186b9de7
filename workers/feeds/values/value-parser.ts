import { lineTypeOf, phoneDigits } from '../../../shared/model/contact-fields.ts';
import { ROAD_CLASSES } from '../../../shared/model/land-layers.ts';
import {
  isWebAddress,
  LISTING_STATUSES,
  type ListingFieldSpec,
} from '../../../shared/model/listing-fields.ts';
import type { FieldValue } from '../../../shared/model/parcel-fields.ts';
import { addressText } from './address-value.ts';
import { dateParser } from './date-value.ts';
import { damageOf } from './key-value.ts';
import {
  acres,
  count,
  degrees,
  floorArea,
  MAX_COUNT,
  MAX_DAYS,
  MAX_TIMES,
  money,
  parseNumber,
  percent,
  price,
  year,
} from './number-value.ts';
import { parseFips, parseState, parseZip } from './place-value.ts';
import { FAILURES, type Failure, isOverflow, tidyText } from './text-value.ts';

/** A value for a field. Null means unknown. */
export type Value = FieldValue | string[];
export type Parser = (raw: unknown) => Value | Failure;

export type TargetSpec = Omit<ListingFieldSpec, 'type'> & {
  type: ListingFieldSpec['type'] | 'road_class' | 'phone' | 'line_type';
};

export type ParserOptions = {
  /** The factor that converts the source's number to the field's unit. */
  scale?: number | undefined;
  date?: string | undefined;
  /** The last valid year for dates and for the year built: next year. */
  lastYear: number;
};

const YES = new Set(['Y', 'YES', 'T', 'TRUE', '1']);
const NO = new Set(['N', 'NO', 'F', 'FALSE', '0']);

function parseBoolean(raw: unknown): boolean | null | Failure {
  if (typeof raw === 'boolean') return raw;
  const text = tidyText(raw)?.toUpperCase();
  if (text === undefined) return null;
  return YES.has(text) ? true : NO.has(text) ? false : FAILURES.notABoolean;
}

/**
 * Text columns that are indexed. PostgreSQL limits index entries to 2,704 bytes (676 characters of four
 * bytes).
 */
const INDEXED = new Set(['apn', 'source', 'source_id', 'book']);
export const MAX_IDENTIFIER = 255;

function parseText(raw: unknown): string | null | Failure {
  const text = tidyText(raw);
  return text === null && isOverflow(raw) ? FAILURES.overflow : text;
}

function identifier(raw: unknown): string | null | Failure {
  const text = parseText(raw);
  return typeof text === 'string' && text.length > MAX_IDENTIFIER ? FAILURES.tooLong : text;
}

/** Identifiers that a spreadsheet may have damaged, so that several have become the same text. */
const NUMBERED = new Set(['apn', 'source_id']);

function numbered(raw: unknown): string | null | Failure {
  const text = identifier(raw);
  return typeof text === 'string' ? (damageOf(text, raw) ?? text) : text;
}

const STREET_ADDRESSES = new Set(['situs_address', 'address']);

function textParser(name: string): Parser {
  if (NUMBERED.has(name)) return numbered;
  if (STREET_ADDRESSES.has(name)) return addressText;
  return INDEXED.has(name) ? identifier : parseText;
}

const STATUSES = new Set<string>(LISTING_STATUSES);

function parseStatus(raw: unknown): string | null | Failure {
  const text = tidyText(raw)?.toUpperCase();
  if (text === undefined) return null;
  return STATUSES.has(text) ? text : FAILURES.notAStatus;
}

const ROAD_CLASS_NAMES = new Set<string>([...ROAD_CLASSES, 'none']);

/** 'none' is a class here, not the null word. */
function parseRoadClass(raw: unknown): string | null | Failure {
  const text = typeof raw === 'string' ? raw.trim().toLowerCase() : tidyText(raw);
  if (text === null || text === '') return null;
  return ROAD_CLASS_NAMES.has(text) ? text : FAILURES.notARoadClass;
}

function parsePhone(raw: unknown): string | null | Failure {
  const text = tidyText(raw);
  return text === null || /^0+$/.test(text) ? null : (phoneDigits(text) ?? FAILURES.notAPhone);
}

/** Unknown line types are ignored. */
function parseLineType(raw: unknown): string | null {
  const text = tidyText(raw);
  return text === null ? null : lineTypeOf(text);
}

function parseUrl(raw: unknown): string | null | Failure {
  const text = tidyText(raw);
  return text === null || isWebAddress(text) ? text : FAILURES.notAUrl;
}

/**
 * Web addresses from a list, JSON, or text. One bad entry invalidates the whole list, because a partial list
 * would hide the error.
 */
function parseList(raw: unknown): string[] | null | Failure {
  const items = Array.isArray(raw) ? raw : split(tidyText(raw));
  const addresses: string[] = [];
  for (const item of items) {
    const address = tidyText(item);
    if (address === null) continue;
    if (!isWebAddress(address)) return FAILURES.notAUrl;
    addresses.push(address);
  }
  return addresses.length === 0 ? null : addresses;
}

function split(text: string | null): unknown[] {
  if (text === null) return [];
  if (!text.startsWith('[')) return text.split(/[\s|;]+|,(?=https?:)/i);
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : [text];
  } catch {
    return [text];
  }
}

export function fieldParser(name: string, spec: TargetSpec, options: ParserOptions): Parser {
  const number = scaled(options.scale);
  switch (spec.type) {
    case 'text':
      return textParser(name);
    case 'state':
      return parseState;
    case 'zip':
      return parseZip;
    case 'fips':
      return parseFips;
    case 'status':
      return parseStatus;
    case 'road_class':
      return parseRoadClass;
    case 'phone':
      return parsePhone;
    case 'line_type':
      return parseLineType;
    case 'url':
      return parseUrl;
    case 'list':
      return parseList;
    case 'boolean':
      return parseBoolean;
    case 'date':
      return dateParser(options.date, options.lastYear);
    case 'year':
      return raw => year(number(raw), options.lastYear);
    case 'money':
      return raw => money(number(raw));
    case 'integer': {
      const most = { days: MAX_DAYS, times: MAX_TIMES }[spec.unit ?? ''] ?? MAX_COUNT;
      return raw => count(number(raw), most);
    }
    case 'degrees':
      return name === 'latitude' ? raw => degrees(number(raw), 90) : raw => degrees(number(raw), 180);
    case 'number':
      if (spec.unit === 'acres') return raw => acres(number(raw));
      if (spec.unit === 'USD') return raw => price(number(raw));
      return spec.unit === 'percent' ? raw => percent(number(raw)) : raw => floorArea(number(raw));
  }
}

function scaled(scale: number | undefined): typeof parseNumber {
  if (scale === undefined) return parseNumber;
  return raw => {
    const value = parseNumber(raw);
    return typeof value === 'number' ? value * scale : value;
  };
}
