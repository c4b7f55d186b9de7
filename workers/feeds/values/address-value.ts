import { DIRECTIONS } from '../../../shared/kernels/owner/street.ts';
import { STATES } from '../../../shared/regions/states.ts';
import { parseState } from './place-value.ts';
import { tidyText } from './text-value.ts';

export const LINE_PARTS = ['street', 'city', 'state', 'zip'] as const;
export type LinePart = (typeof LINE_PARTS)[number];
type AddressLine = Record<LinePart, string | null>;

/**
 * Splits a mailing address into street, city, state, and ZIP code, with or without commas. Unclear text stays
 * together. Without commas, a city is recognized only after a street suffix, a unit, or a box, and a line
 * without a state at its end is a street.
 */
export function splitAddress(raw: unknown): AddressLine {
  const text = tidyText(raw)?.replace(/[\s,]+(USA|U\.S\.A\.?|UNITED STATES)$/i, '') ?? null;
  const end = text === null ? null : stateAtEnd(text.replace(/[\s,]+$/, ''));
  if (end === null)
    return (text !== null && zipAtEnd(text)) || { street: text, city: null, state: null, zip: null };
  return { ...streetAndCity(end.rest), state: end.state, zip: end.zip };
}

/** Placeholders for a missing house number: 0, 0.0, XXX, #, -, ?. */
const NO_NUMBER = /^(?:(?:0+(?:\.0+)?|X{2,}|[#?*-]+)(?:[\s,]+|$))+/i;

/** A street address without its placeholder house number. Null if nothing else is left. */
export function addressText(raw: unknown): string | null {
  const text = tidyText(raw);
  // Most addresses start with a house number. Checking that first is ten times as fast as the regular
  // expression.
  if (text === null || (text >= '1' && text < ':')) return text;
  return text.replace(NO_NUMBER, '') || null;
}

type End = { rest: string; state: string; zip: string | null };

const ZIP = /^(.*?)[\s,]+(\d{5})(?:-?(\d{4})|-|\.0)?$/;
/** 'WI', 'N.Y.', 'N J' */
const CODE = /^(.*?)(?:^|[\s,]+)([A-Z])\.?\s?([A-Z])\.?$/i;

/** State and ZIP code at the end of a line. Null if there is no state. */
function stateAtEnd(text: string): End | null {
  const [, before, five, four] = ZIP.exec(text) ?? [];
  const zip = five === undefined ? null : four === undefined ? five : `${five}-${four}`;
  const line = before ?? text;
  const [, rest, one, two] = CODE.exec(line) ?? [];
  if (rest !== undefined) {
    const state = parseState(`${one}${two}`);
    const isSet = zip !== null || /,\s*\S+(\s\S)?$/.test(line) || !isStreet(rest);
    // In 12 OAK CT, CT is a court, not a state.
    if (typeof state === 'string' && (isSet || !STREET_ENDS.has(`${one}${two}`.toUpperCase())))
      return { rest: trimmed(rest), state, zip };
  }
  return namedState(line, zip);
}

/** Words that can be followed by a number of their own: HWY 12345, LOT 10234. */
const TAKES_NUMBER = /^(HWY|HIGHWAY|RTE|ROUTE|RT|CTH|STH|CR|SR|FM|US|RD|ROAD|BOX|LOT|APT|UNIT|STE|SUITE|#)$/;

/** A ZIP code after an address without a state: 12 MAIN ST WASHINGTON 03280. */
function zipAtEnd(text: string): AddressLine | null {
  const [, before, five, four] = ZIP.exec(text) ?? [];
  const words = before?.split(/[\s,]+/) ?? [];
  if (
    five === undefined ||
    words.length < 3 ||
    !isNumber(words[0]!) ||
    TAKES_NUMBER.test(bare(words.at(-1)!))
  )
    return null;
  return { ...streetAndCity(before!), state: null, zip: four === undefined ? five : `${five}-${four}` };
}

/** A state name, if a comma or a ZIP code shows that it is one: PORT WASHINGTON is a city. */
function namedState(line: string, zip: string | null): End | null {
  const upper = line.toUpperCase();
  for (const { name, code } of STATES) {
    if (!upper.endsWith(name.toUpperCase())) continue;
    const before = line.slice(0, -name.length);
    if (zip === null ? /,\s*$/.test(before) : /\S[\s,]+$/.test(before))
      return { rest: trimmed(before), state: code, zip };
  }
  // A 25-character column truncates state names: UPPER SADDLE RIVER, NEW JE.
  const [, place, cut] = /^(.+),\s*([A-Z][A-Z ]{3,})$/i.exec(line) ?? [];
  const matches = STATES.filter(({ name }) => cut && name.toUpperCase().startsWith(cut.toUpperCase()));
  return matches.length === 1 ? { rest: trimmed(place!), state: matches[0]!.code, zip } : null;
}

const trimmed = (text: string): string => text.replace(/[\s,]+$/, '');

/** Suffixes that end the street in nearly all addresses, and are rarely part of a name. */
const STREET_ENDS = new Set(
  (
    'ST STR STREET AV AVE AVENUE RD ROAD DR DRIVE LN LANE CT COURT CIR CIRCLE BLVD BOULEVARD PL PLACE WAY TER TERR TERRACE ' +
    'TRL TRAIL PKWY PKY PARKWAY HWY HIGHWAY RTE ROUTE LOOP PIKE TPKE TURNPIKE SQ SQUARE XING CROSSING CV COVE ALY ALLEY ' +
    'CSWY CAUSEWAY EXPY FWY FREEWAY RUN ROW PATH PLZ PLAZA PT MT PR FL LA'
  ).split(' '),
);
/** Suffixes that are also states or the first word of a city name. They don't end a street before a city. */
const NO_ENDS = new Set(['MT', 'PR', 'FL', 'LA', 'PT']);
const endsStreet = (word: string | undefined): boolean =>
  word !== undefined && STREET_ENDS.has(bare(word)) && !NO_ENDS.has(bare(word));

/** Roads named by a number or letters: COUNTY RD KK, HWY 13, STATE ROAD 67. */
const NUMBERED = /^(HWY|HIGHWAY|RTE|ROUTE|RT|CTH|STH|CR|SR|FM|US)$/;
const OF_NUMBERED = /^(COUNTY|CO|CNTY|STATE|ST|US|TOWN|TWP|FARM|RANCH|OLD)$/;
const UNITS = /^(APT|APARTMENT|UNIT|STE|SUITE|RM|ROOM|FL|FLOOR|LOT|BLDG|BUILDING|SPC|SPACE|TRLR|PH|#)$/;
const LABEL = /^(#?[A-Z]?-?\d[\dA-Z-]*|[A-Z])$/;
const NUMBER_WORDS = /^(ONE|TWO|THREE|FOUR|FIVE|SIX|SEVEN|EIGHT|NINE|TEN)$/;
const BOX =
  /^(.*\b(?:P\.? ?O\.? ?|POST OFFICE )?(?:BOX|DRAWER|BX) +#?[A-Z]{0,2}-?\d[\dA-Z-]*)(?:[\s,]+(.*))?$/i;

/** Suffixes that aren't part of a city name, unlike in St Louis and La Place. */
const ROAD = /^(STREET|AVE|AVENUE|RD|ROAD|DR|DRIVE|LN|LANE|BLVD|PKWY|HWY|HIGHWAY)$/;

const bare = (word: string): string => word.toUpperCase().replace(/[.,]/g, '');
const isNumber = (word: string): boolean => /\d/.test(word) || NUMBER_WORDS.test(bare(word));
function isStreet(text: string): boolean {
  const [first = '', ...more] = text.split(/[\s,]+/);
  const isCare = /^(C\/O|%|ATTN)/i.test(first);
  return isNumber(first) || isCare || BOX.test(text) || more.some(word => ROAD.test(bare(word)));
}

/** Maximum number of words in a city name: TRUTH OR CONSEQUENCES, EGG HARBOR TOWNSHIP. */
const MAX_WORDS = 4;
const CITY = /^[A-Z][A-Z.'’ -]*$/i;
function isCity(text: string): boolean {
  const words = text.split(' ');
  const isOther = UNITS.test(bare(words[0]!)) || words.some(word => ROAD.test(bare(word)));
  return CITY.test(text) && words.length <= MAX_WORDS && !isOther;
}

function streetAndCity(text: string): Pick<AddressLine, 'street' | 'city'> {
  const parts = text.split(/\s*,\s*/).filter(part => part !== '');
  const last = parts.pop();
  if (last === undefined) return { street: null, city: null };
  const ahead = parts.length === 0 ? null : parts.join(', ');
  const behind = isStreet(last) || UNITS.test(bare(last.split(' ')[0]!)) ? splitWords(last) : null;
  if (behind === null) {
    if (isCity(last)) return { street: ahead, city: last };
    return { street: text, city: null };
  }
  const street = [ahead, behind.street].filter(part => part !== null).join(', ');
  return { street, city: behind.city };
}

function splitWords(text: string): { street: string; city: string | null } {
  const whole = { street: text, city: null };
  const boxed = BOX.exec(text);
  if (boxed) {
    const [, street, city] = boxed;
    return city && isCity(city) ? { street: street!, city } : whole;
  }
  const words = text.split(' ');
  const end = endOfStreet(words);
  if (end === null || isAmbiguous(words, end)) return whole;
  const city = words.slice(end).join(' ');
  if (city === '') return whole;
  // A second suffix means that the first was part of the name: 12 N ST MARYS ST SALEM.
  const isUnclear = words
    .slice(end)
    .some((word, i) => endsStreet(word) && !(i === 0 && /^ST\.?$/i.test(word)));
  return isUnclear || !isCity(city) ? whole : { street: words.slice(0, end).join(' '), city };
}

/**
 * MAIN ST E LANSING could be in East Lansing or on Main Street East. If the street already has a direction, E
 * belongs to the city.
 */
const isAmbiguous = (words: readonly string[], end: number): boolean =>
  /^[NSEW]\.?$/i.test(words[end] ?? '') &&
  words.length > end + 1 &&
  endsStreet(words[end - 1]) &&
  !DIRECTIONS.has(bare(words[1] ?? ''));

/** The index of the first word after the street and its unit. Null if unclear. */
function endOfStreet(words: readonly string[]): number | null {
  const at = (i: number): string => bare(words[i] ?? '');
  let end: number | null = UNITS.test(at(0)) ? 0 : null;
  // There must be a street name between a house number and the suffix.
  const least = isNumber(words[0]!) ? 2 : 1;
  for (let i = 1; i < words.length && end === null; i++) {
    const isNumbered = NUMBERED.test(at(i)) || (/^(RD|ROAD|HWY)$/.test(at(i)) && OF_NUMBERED.test(at(i - 1)));
    if (isNumbered && /^(\d+[A-Z]?|[A-Z]{1,2})$/.test(at(i + 1)) && !STREET_ENDS.has(at(i + 1))) end = i + 2;
    else if (i >= least && endsStreet(words[i])) end = i + 1;
    else if (UNITS.test(at(i)) && LABEL.test(at(i + 1))) end = i;
  }
  if (end === null) return null;
  // CT in OAK ST CT is a court, but ST PAUL after a street is a city.
  while (endsStreet(words[end]) && !(at(end) === 'ST' && words.length > end + 1)) end++;
  const isDirection = at(end).length === 2 || UNITS.test(at(end + 1)) || DIRECTIONS.has(at(end + 1));
  if (DIRECTIONS.has(at(end)) && isDirection) end++;
  while (UNITS.test(at(end)) && LABEL.test(at(end + 1))) end += 2;
  while (/^#\S/.test(words[end] ?? '')) end++;
  return end;
}
