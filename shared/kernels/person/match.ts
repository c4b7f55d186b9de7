import { wordsOf } from '../owner/owner-words.ts';
import { normalizeStreet } from '../owner/street.ts';
import { formalNames } from './nicknames.ts';
import type { Person } from './person.ts';

/** An address as entered in a form or record. */
export type Address = {
  address: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
};

/** A normalized address. `street` excludes the unit. */
export type Place = {
  street: string | null;
  unit: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
};

export type MatchedOn = 'name_and_street' | 'name_and_zip' | 'name_and_city' | 'entity';

export function placeOf({ address, city, state, zip }: Address): Place {
  const street = normalizeStreet(address);
  const at = street?.indexOf(' # ') ?? -1;
  return {
    street: at > 0 ? street!.slice(0, at) : street,
    unit: at > 0 ? street!.slice(at + 3) : null,
    city: city === null ? null : wordsOf(city) || null,
    state: state === null ? null : wordsOf(state) || null,
    zip: /^\d{5}/.exec(zip ?? '')?.[0] ?? null,
  };
}

/** The US Census Soundex code, which lets a search find misheard or mistyped names. */
function soundex(name: string): string {
  const CODES = '01230120022455012623010202';
  const codes = [...name].map(letter => CODES[letter.charCodeAt(0) - 65] ?? '0');
  let code = name[0] ?? '';
  for (let i = 1; i < name.length && code.length < 4; i++)
    if (codes[i] !== '0' && codes[i] !== codes[i - 1]) code += codes[i];
  return code.padEnd(4, '0');
}

/** Whether the texts differ by one letter added, removed, replaced, or swapped with its neighbor. */
export function withinOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  if (restA === '' || restB === '') return true;
  return (
    restA.slice(1) === restB.slice(1) ||
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2))
  );
}

/**
 * How well two names match, or null if they belong to different people. 1: equal; 0.9: a short form; 0.8: one
 * letter off, or one of two surnames shared; 0.6: an initial. If both have a middle name, a matching one
 * raises the score, and a different one makes it null.
 */
export function nameFit(a: Person, b: Person): number | null {
  if (a.suffix !== null && b.suffix !== null && a.suffix !== b.suffix) return null;
  const last = lastFit(a.last, b.last);
  const first = firstFit(a.first, b.first) ?? swappedFirst(a, b);
  if (last === null || first === null || last + first < 1.6) return null;
  const middle = middleFit(a.middle, b.middle);
  if (middle === null) return null;
  // Records often omit the suffix SR, but seldom JR.
  const younger = (a.suffix ?? b.suffix) !== null && a.suffix !== b.suffix && (a.suffix ?? b.suffix) !== 'SR';
  return Math.min(last, first) + middle - (younger ? 0.05 : 0);
}

function lastFit(a: readonly string[], b: readonly string[]): number | null {
  if (a.join('') === b.join('')) return 1;
  if ((a.length > 1 || b.length > 1) && a.some(part => part.length > 2 && b.includes(part))) return 0.8;
  const [one, other] = [a.join(''), b.join('')];
  return Math.min(one.length, other.length) >= 4 && withinOneEdit(one, other) ? 0.8 : null;
}

function firstFit(a: string, b: string): number | null {
  if (a === b) return a.length === 1 ? 0.6 : 1;
  if (a.length === 1 || b.length === 1) return a[0] === b[0] ? 0.6 : null;
  if (formalNames(a).some(name => formalNames(b).includes(name))) return 0.9;
  return Math.min(a.length, b.length) >= 4 && withinOneEdit(a, b) ? 0.8 : null;
}

/** Scores a person who goes by their middle name: J ROBERT SMITH goes by Robert. */
function swappedFirst(a: Person, b: Person): number | null {
  const goesBy = (one: Person, other: Person) =>
    one.middle.length > 1 && other.middle === '' && one.middle === other.first;
  return goesBy(a, b) || goesBy(b, a) ? 0.8 : null;
}

function middleFit(a: string, b: string): number | null {
  if (a === '' || b === '') return 0;
  if (a[0] !== b[0]) return null;
  return a.length === 1 || b.length === 1 || a === b || withinOneEdit(a, b) ? 0.05 : null;
}

/**
 * Whether two entity names are equal. At the same address, one letter may differ, and the roll's column may
 * cut off the name.
 */
export function sameEntity(a: string, b: string, sameAddress: boolean): boolean {
  if (a === b) return true;
  if (!sameAddress) return false;
  const [some, others] = [a.split(' '), b.split(' ')].sort((x, y) => x.length - y.length) as [
    string[],
    string[],
  ];
  const fits = (word: string) =>
    others.some(
      other =>
        other === word ||
        (word.length > 4 && withinOneEdit(word, other)) ||
        (word.length > 3 && other.startsWith(word)),
    );
  return others.length - some.length <= 1 && some.length > 1 && some.every(fits);
}

/** The most specific place that two addresses share, or null. */
export function sharedPlace(a: Place, b: Place): 'street' | 'zip' | 'city' | null {
  const zip = a.zip !== null && a.zip === b.zip;
  const city = a.city !== null && a.state !== null && a.city === b.city && a.state === b.state;
  // The same street in different ZIPs is a different place, unless the city is the same.
  if (a.street !== null && b.street !== null && (zip || city) && sameStreet(a, b)) return 'street';
  return zip ? 'zip' : city ? 'city' : null;
}

function sameStreet(a: Place, b: Place): boolean {
  if (a.unit !== null && b.unit !== null && a.unit !== b.unit) return false;
  if (a.street === b.street) return true;
  const [numberA, nameA] = splitStreet(a.street!);
  const [numberB, nameB] = splitStreet(b.street!);
  // One letter may differ, but not the house number.
  return numberA !== '' && numberA === numberB && nameA.length > 4 && withinOneEdit(nameA, nameB);
}

function splitStreet(street: string): [number: string, name: string] {
  const [, number = '', name = ''] = /^(\d\S*) ([^\d]*)$/.exec(street) ?? [];
  return [number, name];
}

/** Who to search for: a person, or an entity by its `entityName`. */
export type Subject = { person: Person } | { entity: string };

/**
 * Index keys of a subject at a place. Records that share a key are then compared. For a person, a key
 * combines the ZIP or city with the surname's Soundex and the initial of a formal given name, or the street
 * with either the surname's Soundex or a formal given name.
 */
export function searchKeys(subject: Subject, { street, zip, city, state }: Place): string[] {
  const town = city !== null && state !== null ? `${city}|${state}` : null;
  if ('entity' in subject) {
    const places = [street !== null && zip !== null ? `${street}|${zip}` : null, state];
    return places.flatMap((place, i) =>
      place === null ? [] : i === 0 ? [`E|${place}`] : [`e|${subject.entity}|${place}`],
    );
  }
  const { first, last } = subject.person;
  const sounds = [...new Set([...last, last.join('')].map(soundex))];
  const formal = formalNames(first);
  const initials = [...new Set(formal.map(name => name[0]!))];
  const keys: string[] = [];
  for (const sound of sounds) {
    for (const initial of initials) {
      if (zip !== null) keys.push(`z|${zip}|${sound}|${initial}`);
      if (town !== null) keys.push(`c|${town}|${sound}|${initial}`);
    }
    if (street !== null && zip !== null) keys.push(`s|${street}|${zip}|${sound}`);
  }
  if (street !== null && zip !== null) for (const name of formal) keys.push(`f|${street}|${zip}|${name}`);
  return keys;
}

/** A record that may belong to the subject. */
export type Candidate = { subject: Subject; places: readonly Place[]; phones: readonly string[] };

export type Match<C> = { candidate: C; matchedOn: MatchedOn; fit: number };

const RANK = { street: 3, zip: 2, city: 1 } as const;
const NAMES = { street: 'name_and_street', zip: 'name_and_zip', city: 'name_and_city' } as const;

/**
 * The subject's records, best first; none if several people match almost equally well. At the same street, an
 * initial or one wrong letter is accepted. In a ZIP or city, the full name is required, with no other
 * candidate there.
 */
export function bestMatches<C extends Candidate>(
  subject: Subject,
  place: Place,
  candidates: readonly C[],
): Match<C>[] {
  const matches = candidates.flatMap(candidate => {
    const near = { candidate, place, shared: candidate.places.map(known => sharedPlace(place, known)) };
    return ('entity' in subject ? fitEntity(subject.entity, near) : fitPerson(subject.person, near)) ?? [];
  });
  const best = Math.max(0, ...matches.map(({ rank }) => rank));
  const level = matches.filter(({ rank }) => rank === best).sort((a, b) => b.fit - a.fit);
  const first = level[0];
  if (first === undefined) return [];
  const same = level.filter(other => isSameSubject(first.candidate, other.candidate));
  const rival = level.find(other => !same.includes(other));
  if (rival !== undefined && first.fit - rival.fit < 0.04) return [];
  return same.map(({ candidate, matchedOn, fit }) => ({ candidate, matchedOn, fit }));
}

type Ranked<C> = Match<C> & { rank: number };

type Shared<C> = { candidate: C; place: Place; shared: ReturnType<typeof sharedPlace>[] };

function fitPerson<C extends Candidate>(
  asked: Person,
  { candidate, place, shared }: Shared<C>,
): Ranked<C> | null {
  if (!('person' in candidate.subject)) return null;
  const fit = nameFit(asked, candidate.subject.person);
  if (fit === null) return null;
  const [level] = shared.filter(each => each !== null).sort((a, b) => RANK[b] - RANK[a]);
  if (level === undefined) return null;
  const match = { candidate, matchedOn: NAMES[level], fit, rank: RANK[level] };
  if (level === 'street') return match;
  // A person at another address may be a namesake, so the middle names have to match too.
  const elsewhere = place.street !== null && candidate.places.every(({ street }) => street !== null);
  const sameMiddle = asked.middle !== '' && candidate.subject.person.middle !== '';
  return fit < MIN_FIT[level] || (elsewhere && !sameMiddle) ? null : match;
}

/** Minimum name score if no street is shared. */
const MIN_FIT = { zip: 0.9, city: 0.95 } as const;

function fitEntity<C extends Candidate>(
  asked: string,
  { candidate, place, shared }: Shared<C>,
): Ranked<C> | null {
  if (!('entity' in candidate.subject)) return null;
  const atStreet = shared.includes('street');
  const inState = candidate.places.some(known => known.state !== null && known.state === place.state);
  if (!atStreet && !inState && !shared.includes('zip')) return null;
  if (!sameEntity(asked, candidate.subject.entity, atStreet)) return null;
  // Elsewhere in the state, a common trust name isn't enough to identify the trust.
  if (!atStreet && !isDistinctive(asked)) return null;
  return { candidate, matchedOn: 'entity', fit: 1, rank: atStreet ? RANK.street : RANK.city };
}

/**
 * Whether a name identifies a single entity in a state. The name of a trust doesn't if it is a single word.
 */
const isDistinctive = (entity: string) => !/^(?:\S+ TRUST|TRUST \S+)$/.test(entity);

/**
 * Whether two records belong to the same subject: their names match, and they share a phone or a street
 * address.
 */
function isSameSubject(a: Candidate, b: Candidate): boolean {
  if (a === b) return true;
  if ('entity' in a.subject || 'entity' in b.subject)
    return (
      'entity' in a.subject &&
      'entity' in b.subject &&
      (a.subject.entity === b.subject.entity || shareContact(a, b))
    );
  return nameFit(a.subject.person, b.subject.person) !== null && shareContact(a, b);
}

function shareContact(a: Candidate, b: Candidate): boolean {
  return (
    a.phones.some(phone => b.phones.includes(phone)) ||
    a.places.some(one => b.places.some(other => sharedPlace(one, other) === 'street'))
  );
}
