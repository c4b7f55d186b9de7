import { addressWords } from './address-text.ts';
import { ABBREVIATIONS } from './suffixes.ts';

/**
 * Normalizes a street, box, or rural route, so that equal addresses become equal strings: uppercase, USPS
 * Publication 28 abbreviations, PO BOX n, RR n BOX n, units as `# n`. Idempotent. Null if nothing is left, or
 * only a remark that the address is missing. The result is a key, not an address for envelopes:
 * - Suffixes and directionals are abbreviated everywhere (100 LAKE DRIVE becomes 100 LK DR), because rolls
 *   use both forms. A directional that is the street's name is kept, because South Street and S Street can be
 *   two streets.
 * - APT, UNIT, SUITE, ROOM, and # all become `#`, because rolls use them interchangeably.
 * - If there are both a box and a street, only the box is kept, because mail goes there (Publication 28, dual
 *   addresses).
 * - A name after C/O, %, ATTN or CARE OF is dropped, up to the start of an address.
 * @param text one or more address lines from the roll, joined by a space
 */
export function normalizeStreet(text: string | null): string | null {
  if (text === null) return null;
  let words = abbreviate(addressWords(text));
  if (isUnusual(words)) {
    words = withoutCareOf(withUnits(words));
    const box = postOfficeBox(words);
    if (box !== null) return box;
    words = withRoutes(words);
  }
  const street = withDirections(words).join(' ');
  return street === '' || NO_ADDRESS.has(street) ? null : street;
}

export const isPoBox = (street: string): boolean => street.startsWith('PO BOX ');

/**
 * Remarks in place of an address, after abbreviation. Otherwise all owners without an address would share one
 * key.
 */
const NO_ADDRESS = new Set(
  (
    'UNKNOWN|UNK|UNKNOWN ADDRESS|ADDRESS UNKNOWN|NO ADDRESS|NO MAILING ADDRESS|BAD ADDRESS|NOT AVAILABLE|NOT ASSIGNED|' +
    'UNASSIGNED|NONE|N A|NA|SAME|SAME AS SITUS|SAME AS ABOVE|CONFIDENTIAL|GENERAL DELIVERY|GEN DEL|0'
  ).split('|'),
);

/** Maps each spelling of a directional to its abbreviation. */
export const DIRECTIONS: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ N: 'N', S: 'S', E: 'E', W: 'W', NE: 'NE', NW: 'NW', SE: 'SE', SW: 'SW' }),
  ...Object.entries({ NORTH: 'N', SOUTH: 'S', EAST: 'E', WEST: 'W' }),
  ...Object.entries({ NORTHEAST: 'NE', NORTHWEST: 'NW', SOUTHEAST: 'SE', SOUTHWEST: 'SW' }),
]);
const split = (phrase: string) => phrase.split(' ');
const hasDigit = (word: string | undefined) => word !== undefined && /\d/.test(word);
const startsWithDigit = (word: string | undefined) => word !== undefined && word >= '0' && word < ':';
const isLetter = (word: string) => word.length === 1 && word >= 'A' && word <= 'Z';
/** The label of a box or unit: 12B, C, NW. */
const isLabel = (word: string | undefined) =>
  word !== undefined && (hasDigit(word) || isLetter(word) || DIRECTIONS.has(word));
const shortOf = (word: string) => ABBREVIATIONS.get(word) ?? word;
/** 0012 becomes 12, 007B becomes 7B. */
const withoutZeros = (word: string) => (word.startsWith('0') ? word.replace(/^0+(?=\d)/, '') : word);

/** Words that are often written together with the number after them: APT45, BOX62, HWY31. */
const JOINED_NUMBER =
  /^(APT|APARTMENT|UNIT|STE|SUITE|ROOM|BOX|POB|POBOX|LOT|BLDG|SPC|RR|RFD|HC|HWY|RTE|RT|ROUTE)(\d.*)$/;

/** Abbreviates each word, splits words from their numbers, and removes leading zeros. */
function abbreviate(words: readonly string[]): string[] {
  const out: string[] = [];
  for (const word of words) {
    const parts =
      word.length > 2 && hasDigit(word) && !startsWithDigit(word) ? JOINED_NUMBER.exec(word) : null;
    if (startsWithDigit(word)) out.push(withoutZeros(word));
    else if (parts) out.push(shortOf(parts[1]!), withoutZeros(parts[2]!));
    else out.push(shortOf(word));
  }
  return out;
}

const CARE_OF = new Set(['%', 'ATTN', 'ATTENTION', 'ATN']);
const BOX_STARTS = new Set(['PO', 'POB', 'POBOX', 'BOX', 'RR', 'RFD', 'HC', 'RURAL']);

/**
 * Removes care-of names before or after the address. An address starts with a number, a box, or a rural
 * route.
 */
function withoutCareOf(words: string[]): string[] {
  let at = words.findIndex((_, i) => careOfLength(words, i) > 0);
  if (at < 0) return words;
  const out = words.slice(0, at);
  while (at < words.length) {
    const length = careOfLength(words, at);
    if (length === 0) {
      out.push(words[at]!);
      at++;
      continue;
    }
    at += length;
    while (at < words.length && !beginsAddress(words, at, out.length > 0)) at++;
  }
  // Removing the name may have joined a unit and its number.
  return withUnits(out);
}

function careOfLength(words: readonly string[], i: number): number {
  const word = words[i]!;
  if (CARE_OF.has(word)) return 1;
  return word === 'CARE' && words[i + 1] === 'OF' ? 2 : 0;
}

/** Digits only, because spelled-out ordinals also appear in names, such as FIRST NATIONAL BANK. */
const IS_ORDINAL = /^\d+(?:ST|ND|RD|TH)$/;

function beginsAddress(words: readonly string[], i: number, hasStreet: boolean): boolean {
  const word = words[i]!;
  if (BOX_STARTS.has(word.replace(/\d+$/, ''))) return true;
  if (word === 'P' && words[i + 1] === 'O') return true;
  return !hasStreet && startsWithDigit(word) && !IS_ORDINAL.test(word);
}

/** Other words for post office boxes (Publication 28, section 281). */
const BOX_WORDS = new Set(['BOX', 'BX', 'B', 'DRAWER', 'DRWR', 'DRAW', 'CALLER', 'LOCKBOX', 'BIN']);
const OF_BOXES = ['PO', 'P O', 'POST OFFICE', 'P 0'].map(split);
const NUMBER_WORDS = new Set(['#', 'NO', 'NUMBER', 'NUM']);

/** `PO BOX n` if the words contain a box, or null. Without "PO", the address must start with the box. */
function postOfficeBox(words: readonly string[]): string | null {
  for (let i = 0; i < words.length; i++) {
    const length = boxWords(words, i);
    if (length === 0) continue;
    let at = i + length;
    while (NUMBER_WORDS.has(words[at]!)) at++;
    if (isLabel(words[at])) return `PO BOX ${withoutZeros(words[at]!)}`;
  }
  return null;
}

/** The number of words at `i` that mean "post office box"; 0 for none. */
function boxWords(words: readonly string[], i: number): number {
  const word = words[i]!;
  if (word === 'POB' || word === 'POBOX') return word === 'POB' && words[i + 1] === 'BOX' ? 2 : 1;
  if (word === 'PO' || word === 'P' || word === 'POST') {
    for (const phrase of OF_BOXES) {
      if (!phrase.every((part, k) => words[i + k] === part)) continue;
      const next = i + phrase.length;
      if (BOX_WORDS.has(words[next]!)) return phrase.length + 1;
      // PO 62, but not P O 62, which may be initials.
      if (word === 'PO' && i === 0 && startsWithDigit(words[next])) return 1;
    }
    return 0;
  }
  if (i > 0) return 0;
  if (word === 'LCK' && words[1] === 'BOX') return 2;
  return word !== 'B' && BOX_WORDS.has(word) ? 1 : 0;
}

const RURAL = ['RURAL RTE', 'RURAL RD', 'RURAL DELIVERY', 'R F D', 'R R', 'R D', 'RFD', 'RR'].map(split);
const HIGHWAY_CONTRACT = ['HWY CONTRACT RTE', 'HWY CONTRACT', 'STAR RTE', 'HC RTE', 'HCR', 'HC'].map(split);
/** Rural routes only when a box follows: RD 2 BOX 18. */
const RURAL_BEFORE_BOX = ['RTE', 'RD'].map(split);
const ROUTE_STARTS = new Set([...RURAL, ...HIGHWAY_CONTRACT, ...RURAL_BEFORE_BOX].map(phrase => phrase[0]!));

/** Normalizes rural routes to RR n BOX n and HC n BOX n (Publication 28, sections 241 to 256). */
function withRoutes(words: string[]): string[] {
  // A letter after # is a unit, not a route.
  const at = words.findIndex((word, i) => ROUTE_STARTS.has(word) && words[i - 1] !== '#');
  if (at < 0) return words;
  const route =
    routeAt(words, at, RURAL, 'RR', false) ??
    routeAt(words, at, HIGHWAY_CONTRACT, 'HC', false) ??
    (at === 0 ? routeAt(words, at, RURAL_BEFORE_BOX, 'RR', true) : null);
  return route ?? words;
}

function routeAt(
  words: readonly string[],
  at: number,
  phrases: readonly string[][],
  name: string,
  needsBox: boolean,
): string[] | null {
  const phrase = phrases.find(parts => parts.every((part, k) => words[at + k] === part));
  if (!phrase) return null;
  let i = skipNumberWords(words, at + phrase.length);
  const route = words[i];
  if (!hasDigit(route)) return null;
  const isBoxed = words[i + 1] === 'BOX' || words[i + 1] === 'BX' || words[i + 1] === '#';
  if (!isBoxed) return needsBox ? null : [...words.slice(0, at), name, route!, ...words.slice(i + 1)];
  i = skipNumberWords(words, i + 2);
  return [...words.slice(0, at), name, route!, 'BOX', ...words.slice(i)];
}

function skipNumberWords(words: readonly string[], i: number): number {
  while (NUMBER_WORDS.has(words[i]!)) i++;
  return i;
}

/** Unit designators in Publication 28, appendix C2, that mean "unit number". */
const UNIT_WORDS = new Set([
  'APT',
  'APARTMENT',
  'APARTMENTS',
  'APTS',
  'UNIT',
  'STE',
  'SUITE',
  'ROOM',
  'RM',
  '#',
]);

/**
 * Replaces APT n, UNIT #n, and STE NO n with `# n`. Without a number or letter after it, the word is part of
 * a name, such as UNIT RD.
 */
function withUnits(words: string[]): string[] {
  if (!words.some(word => UNIT_WORDS.has(word))) return words;
  const out: string[] = [];
  for (let i = 0; i < words.length; ) {
    const word = words[i]!;
    let next = i + 1;
    if (UNIT_WORDS.has(word)) while (UNIT_WORDS.has(words[next]!) || NUMBER_WORDS.has(words[next]!)) next++;
    if (UNIT_WORDS.has(word) && isLabel(words[next])) {
      out.push('#');
      i = next;
    } else {
      if (word !== '#') out.push(word);
      i++;
    }
  }
  return out;
}

/** After the house number, NO and SO are directionals (12 NO MAIN ST). Elsewhere, NO means "number". */
const AFTER_NUMBER = new Map(Object.entries({ NO: 'N', SO: 'S' }));
/** Suffixes of streets named by letters (N St, E Ave). Before one of these, a directional may be the name. */
const LETTERED = new Set(['ST', 'AVE', 'RD']);

/** Abbreviates directionals and joins N W to NW. */
function withDirections(words: readonly string[]): string[] {
  const out: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const direction = DIRECTIONS.get(word) ?? (followsNumber(words, i) ? AFTER_NUMBER.get(word) : undefined);
    if (direction === undefined) out.push(word);
    else if (isStreetName(words, i)) out.push(word);
    else {
      const second = words[i + 1] === undefined ? undefined : DIRECTIONS.get(words[i + 1]!);
      const joins = (direction === 'N' || direction === 'S') && (second === 'E' || second === 'W');
      if (joins && !isStreetName(words, i + 1)) {
        out.push(direction + second);
        i++;
      } else out.push(direction);
    }
  }
  return out;
}

const followsNumber = (words: readonly string[], i: number) => i === 0 || startsWithDigit(words[i - 1]);

/** Whether the directional at `i` is the street's name: 12 NORTH ST, 100 W SOUTH AVE, N ST # 4. */
function isStreetName(words: readonly string[], i: number): boolean {
  const before = words[i - 1];
  if (before !== undefined && !startsWithDigit(before) && !DIRECTIONS.has(before)) return false;
  const suffix = words[i + 1];
  if (suffix === undefined || !LETTERED.has(suffix)) return false;
  const after = words[i + 2];
  return after === undefined || after === '#' || DIRECTIONS.has(after);
}

/**
 * Words that start units, care-of names, boxes, and routes. Four in five addresses have none of them and take
 * the fast path.
 */
const UNUSUAL = new Set([
  ...UNIT_WORDS,
  ...CARE_OF,
  ...BOX_WORDS,
  ...[...OF_BOXES, ...RURAL, ...HIGHWAY_CONTRACT].map(phrase => phrase[0]!),
  'CARE',
  'POB',
  'POBOX',
  'LCK',
]);

function isUnusual(words: readonly string[]): boolean {
  return words.some(word => UNUSUAL.has(word)) || RURAL_BEFORE_BOX.some(([first]) => first === words[0]);
}
