import { isGivenName } from './nicknames.ts';

/** A person in a text from a roll, in its capitals. */
export type NamedPerson = {
  /** The given name and the middle names. */
  given: string[];
  /** The surname, without JR or III. */
  last: string;
  suffix: string;
};

const SUFFIX = /^(?:JR|SR|II|III|IV|2ND|3RD)$/;
/** Surnames of several words start with these. */
const PARTICLE = /^(?:VAN|VON|DER|DEN|DE|DEL|DELLA|LA|LE|DI|DA|DU|DOS|MC|MAC|ST|EL|AL|TER|TEN|SAN|SANTA)$/;

/** The most given names that a person has. More words are probably several people. */
const MAX_GIVEN = 3;

/** Without blanks and separators at the ends. */
export const tidy = (text: string): string => text.replace(/\s+/g, ' ').replace(/^[\s,;&-]+|[\s,;-]+$/g, '');

/** Words of a name part, or null if one of them can't be a name. */
function nameWords(text: string): string[] | null {
  const words = tidy(text).split(' ').filter(Boolean);
  return words.every(word => /^[\p{L}'’.-]+$/u.test(word)) ? words : null;
}

/** Takes JR and III out of a name, wherever the roll puts them. */
function splitSuffix(words: string[]): { words: string[]; suffix: string } {
  const found = words.filter((word, at) => at > 0 && SUFFIX.test(word));
  return { words: words.filter(word => !found.includes(word)), suffix: found[0] ?? '' };
}

/** LAST, FIRST M. The part after the comma may have JR in it, or after another comma. */
function personWithComma(text: string): NamedPerson | null {
  const [before = '', ...rest] = text.split(',');
  const last = nameWords(before);
  const given = nameWords(rest.join(' ').replace(/ +/g, ' '));
  if (last === null || given === null || last.length === 0) return null;
  if (rest.length > 1 && !rest.slice(1).every(part => SUFFIX.test(part.trim()))) return null;
  const surname = splitSuffix(last);
  const own = splitSuffix(['', ...given]);
  const names = own.words.slice(1);
  if (names.length === 0 || names.length > MAX_GIVEN || surname.words.length > 3) return null;
  return { given: names, last: surname.words.join(' '), suffix: surname.suffix || own.suffix };
}

export const isInitial = (word: string): boolean => word.length === 1;

/** A name without a comma, if its order is clear: SMITH JOHN A, JOHN A SMITH, SMITH MARY, MARY SMITH. */
function personInOrder(text: string): NamedPerson | null {
  const all = nameWords(text);
  if (all === null) return null;
  const { words, suffix } = splitSuffix(all);
  if (words.length < 2 || words.length > 4) return null;
  const particles = words.findIndex((word, at) => !PARTICLE.test(word) || at === words.length - 1);
  const surnameFirst = {
    given: words.slice(particles + 1),
    last: words.slice(0, particles + 1).join(' '),
    suffix,
  };
  const surnameLast = { given: words.slice(0, -1), last: words.at(-1)!, suffix };
  const [first, second, end] = [words[0]!, words[particles + 1] ?? '', words.at(-1)!];
  if (surnameFirst.given.length === 0) return null;
  if (particles > 0) return surnameFirst;
  if (isInitial(end)) return isInitial(first) || isInitial(second) ? null : surnameFirst;
  // JOHN A SMITH: an initial in the middle follows the given name.
  if (words.length === 3 && isInitial(words[1]!)) return isInitial(first) ? null : surnameLast;
  const [isFirst, isSecond] = [isGivenName(first), isGivenName(second)];
  if (isSecond && !isFirst) return surnameFirst;
  return isFirst && !isGivenName(end) ? surnameLast : null;
}

/** A person after &, who has the first person's surname unless the text has another. */
function personAfter(text: string, { last }: NamedPerson): NamedPerson | null {
  if (text.includes(',')) return personWithComma(text);
  const all = nameWords(text);
  if (all === null) return null;
  const { words, suffix } = splitSuffix(all);
  const end = words.at(-1);
  if (end === undefined || words.length > MAX_GIVEN) return null;
  if (words.length === 1 && isInitial(end)) return null;
  if (words.length > 1 && words[0] === last) return { given: words.slice(1), last, suffix };
  if (words.length > 1 && end === last) return { given: words.slice(0, -1), last, suffix };
  const isShared = words.length === 1 || isInitial(end) || isGivenName(end);
  if (isShared) return { given: words, last, suffix };
  return words.length === 2 && isInitial(words[0]!) ? null : { given: words.slice(0, -1), last: end, suffix };
}

/** The people that a text names, up to one who isn't clear. Null if the first one isn't. */
export function peopleIn(text: string): NamedPerson[] | null {
  const parts = text
    .split(/\s*(?:&|;|\+|\b(?:AND|H\/W|W\/H)\b)\s*/)
    .map(tidy)
    .filter(Boolean);
  const people: NamedPerson[] = [];
  for (const part of parts) {
    const [first] = people;
    const found =
      first !== undefined
        ? personAfter(part, first)
        : part.includes(',')
          ? personWithComma(part)
          : personInOrder(part);
    if (found === null) break;
    people.push(found);
  }
  return people.length === 0 ? null : people;
}
