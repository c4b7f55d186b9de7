import { countyOf, propertyIdOf } from './property-id.ts';

/** Digits and capitals that can't be mistaken for each other: no 0, 1, I, L, O, or U. */
const DIGITS = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const BASE = DIGITS.length;
/** Short references get leading zeros, so that all of them look alike. */
const MIN_LENGTH = 6;
/** Enough for the largest serial of a county. */
const MAX_LENGTH = 9;
/**
 * A prime above every FIPS code. If one character is wrong or two are swapped, the reference names another
 * county, so it doesn't find another letter of the same mailing.
 */
const FIPS_LIMIT = 79_031;
const MAX_SERIAL = 99_999_999;

/** The reference on a letter about a parcel, such as 2B7-K9F. Owners read it out, and a search finds it. */
export function referenceOf(propertyId: number): string {
  const fips = countyOf(propertyId);
  let rest = (propertyId - propertyIdOf(fips, 0)) * FIPS_LIMIT + fips;
  let text = '';
  for (; rest > 0 || text.length < MIN_LENGTH; rest = Math.floor(rest / BASE))
    text = DIGITS[rest % BASE]! + text;
  return `${text.slice(0, 3)}-${text.slice(3)}`;
}

/** The parcel that a reference names, in any case, with or without its hyphen. Null for other text. */
export function parcelOfReference(text: string): number | null {
  const digits = [...text.toUpperCase().replace(/[\s-]+/g, '')].map(char => DIGITS.indexOf(char));
  if (digits.length < MIN_LENGTH || digits.length > MAX_LENGTH || digits.includes(-1)) return null;
  const whole = digits.reduce((sum, digit) => sum * BASE + digit, 0);
  const serial = Math.floor(whole / FIPS_LIMIT);
  const id = propertyIdOf(whole % FIPS_LIMIT, serial);
  // Rejects leading zeros that the reference doesn't have.
  return serial <= MAX_SERIAL && plain(referenceOf(id)) === digits.map(digit => DIGITS[digit]).join('')
    ? id
    : null;
}

/** The parcel that a person names by its id or by a letter's reference, such as "Ref. 2B7-K9F". */
export function parcelNamedBy(text: string): number | null {
  if (/^\d{12,13}$/.test(text)) return Number(text);
  return parcelOfReference(text.replace(/^ref(?:erence)?[\s.:#]+/i, ''));
}

const plain = (reference: string): string => reference.replace('-', '');
