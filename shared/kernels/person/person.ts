import { wordsOf } from '../owner/owner-words.ts';

/** A person's name in uppercase, without accents or punctuation. */
export type Person = {
  first: string;
  /** The first middle name or its initial; '' for none. */
  middle: string;
  /** SMITH-JONES has two surnames. VAN DER BERG and MC DONALD have one, joined. */
  last: readonly string[];
  suffix: Suffix | null;
};

type Suffix = 'JR' | 'SR' | 'II' | 'III' | 'IV';

const SUFFIXES = new Map<string, Suffix>([
  ...(['JR', 'SR', 'II', 'III', 'IV'] as const).map(suffix => [suffix, suffix] as const),
  ...(Object.entries({ '2ND': 'II', '3RD': 'III', '4TH': 'IV', JUNIOR: 'JR', SENIOR: 'SR' }) as [
    string,
    Suffix,
  ][]),
]);

const TITLES = new Set('MR MRS MS MISS DR REV HON MD DDS DVM PHD ESQ CPA RN'.split(' '));

/** Surname prefixes, which are written either separately or joined to the surname. */
const PARTICLES = new Set(
  'VAN VON VANDER DER DEN DE DEL DELA LA LE DI DA DU DOS MC MAC ST SAINT SAN SANTA EL AL TER TEN BEN ABU O D L'.split(
    ' ',
  ),
);

type Words = { words: string[]; suffix: Suffix | null };

function nameWords(text: string): Words {
  const all = wordsOf(text)
    .split(' ')
    .filter(word => word !== '' && !TITLES.has(word));
  const suffixes = all.map((word, i) => (i > 0 || all.length === 1 ? SUFFIXES.get(word) : undefined));
  return {
    words: all.filter((word, i) => suffixes[i] === undefined && !/^\d+$/.test(word)),
    suffix: suffixes.find(suffix => suffix !== undefined) ?? null,
  };
}

/** Joins particles with the surname: VAN DER BERG becomes VANDERBERG. */
function surnames(words: readonly string[]): string[] {
  const out: string[] = [];
  let prefix = '';
  for (const [i, word] of words.entries()) {
    if (PARTICLES.has(word) && i < words.length - 1) prefix += word;
    else {
      out.push(prefix + word);
      prefix = '';
    }
  }
  return out;
}

/** Creates a person from the name fields of a form or record; null if either field is empty. */
export function person(firstName: string, lastName: string, middleName = '', suffixText = ''): Person | null {
  const first = nameWords(firstName);
  const last = nameWords(lastName);
  const middle = nameWords(middleName);
  const surname = surnames(last.words);
  if (first.words.length === 0 || surname.length === 0) return null;
  return {
    first: first.words[0]!,
    middle: middle.words[0] ?? first.words[1] ?? '',
    last: surname,
    suffix: nameWords(`X ${suffixText}`).suffix ?? last.suffix ?? first.suffix,
  };
}

/** Remarks that rolls add to names: the form of ownership, or a note that there are other owners. */
const REMARKS =
  /(?<=[\s,(])(?:ET ?(?:UX|VIR|AL|ALS)|J\/?T(?:W?ROS)?|JTRS|T\/?C|TIC|T\/?E|H\/?W|W\/?H|HW|HUSBAND|WIFE|TRUSTEES?|TTEES?|TRS|CO-?TRUSTEES?|LIFE (?:EST(?:ATE)?|TENANT)|LE|L\/E|LT|(?:UN)?MARRIED|SINGLE|WIDOW(?:ER)?|SURV(?:IVORS?)?|OWNERS?|HEIRS OF|1\/2 INT|\d+ ?%|\d+\/\d+)(?=$|[\s,&;)])/gi;
const OF_TRUSTS =
  /(?<=[\s,])(?:(?:IR)?REV(?:OC(?:ABLE)?)?|LIV(?:ING)?|FAM(?:ILY)?|TR(?:US?T?)?|UDT|UTD|UAD|DTD|DATED|U\/[AT])\b\.?/gi;

/**
 * Parses an owner text from a roll, such as `LAST, FIRST M & SPOUSE [LAST]` or `LAST FIRST M`. Returns the
 * possible readings of each person, most likely first.
 */
export function parseOwnerPeople(owner: string): Person[][] {
  const own = owner
    .split(/\bC\/O\b|%(?!\s*(?:INT|$))/i)[0]!
    .replace(OF_TRUSTS, ' ')
    .replace(REMARKS, ' ')
    .replace(/[()*]/g, ' ');
  const parts = own.split(/\s*(?:&|\+|;|\bAND\b)\s*/i).filter(part => wordsOf(part) !== '');
  const people: Person[][] = [];
  let shared = '';
  for (const part of parts) {
    const readings = readPart(part.replace(/^[\s,-]+|[\s,-]+$/g, ''), shared);
    if (readings.length === 0) continue;
    shared ||= readings[0]!.last.join(' ');
    people.push(readings);
  }
  return people;
}

/** @param shared surname of the first person in the text; '' for the first */
function readPart(part: string, shared: string): Person[] {
  const comma = part.indexOf(',');
  const tail = comma > 0 ? part.slice(comma + 1) : '';
  // SMITH, JR and SMITH JOHN, JR have no given name after the comma.
  if (comma > 0 && nameWords(tail).words.length > 0)
    return [person(tail, part.slice(0, comma))].filter(isPerson);
  const { words, suffix } = nameWords(part);
  const name = (first: string | undefined, middle: string | undefined, last: string): Person[] =>
    first === undefined || last === ''
      ? []
      : [{ first, middle: middle ?? '', last: surnames(last.split(' ')), suffix }];
  const [a, b, c, ...more] = words;
  if (words.length === 0) return [];
  if (shared !== '') {
    // & MARY, & MARY A, & MARY ANN, & MARY A JONES, & JONES MARY A
    if (words.length === 1) return name(a, '', shared);
    const own = name(a, words.length > 2 ? b : '', words.slice(words.length > 2 ? 2 : 1).join(' '));
    if (words.length === 2)
      return b!.length === 1 ? name(a, b, shared) : [...name(a, b, shared), ...own, ...name(b, '', a!)];
    return c!.length === 1 ? [...name(b, c, a!), ...own] : own;
  }
  const surnameLength = leadingSurname(words);
  const given = words.slice(surnameLength);
  const rollOrder = name(given[0], given[1], words.slice(0, surnameLength).join(' '));
  if (words.length === 1) return [];
  // JOHN A SMITH: an initial in the middle means that the given name comes first.
  if (words.length === 3 && b!.length === 1 && c!.length > 1) return [...name(a, b, c!), ...rollOrder];
  if (words.length === 2) return [...rollOrder, ...name(a, '', b!)];
  return [...rollOrder, ...(c!.length > 1 && more.length === 0 ? name(a, b, c!) : [])];
}

const isPerson = (found: Person | null): found is Person => found !== null;

function leadingSurname(words: readonly string[]): number {
  let length = 1;
  while (length < words.length - 1 && PARTICLES.has(words[length - 1]!)) length++;
  return length;
}
