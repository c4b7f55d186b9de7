import { isCorporateOwner } from '../kernels/owner/corporate.ts';
import { isEntity } from '../kernels/person/entity.ts';
import { isInitial, type NamedPerson, peopleIn, tidy } from '../kernels/person/named-people.ts';
import { isGivenName } from '../kernels/person/nicknames.ts';
import { titleCase } from '../model/roll-text.ts';

/** An owner as a letter names them. Texts are empty if they don't apply. */
export type MailName = {
  /** The given name and surname of the first person, without middle names and suffixes. */
  first_name: string;
  last_name: string;
  /** The first line of the address. */
  full_name: string;
  /** What comes after "Dear". */
  salutation: string;
  /** The entity: a company, trust, estate, or public body. */
  company: string;
};

/** Greetings for owners that have no first name. */
const GREETINGS = { company: 'Property Owner', trust: 'Trustee', estate: 'Personal Representative' } as const;

/** Notes that rolls add to people's names. They say how people own, not who they are. */
const NOTE =
  /(?:^|[\s,(-]+)(?:ET ?(?:UX|VIR)|J\/?T(?:W?ROS)?|JTRS|T\/C|TIC|T\/E|HW|WH|HUSBAND|WIFE|LIFE (?:EST(?:ATE)?|TENANT)|LE|L\/E|(?:UN)?MARRIED|SINGLE|WIDOW(?:ER)?|\d+\/\d+(?: INT)?|\d+ ?%)(?=$|[\s,&;)])\)?/g;
const AND_OTHERS = /[\s,]+ET ?AL(?:S)?\b\.?/g;
/** What follows is usually cut off by the width of the roll's column. */
const TRUSTEE = /(?:[\s,-]+|^)(?:CO-?)?(?:TRUSTEES?|TRUSTE|TTEES?|TRS)(?: OF| \S+)?$/;
const TRUST_WORDS = new Set(
  'TRUST TRUSTS TR TRST REV REVOC REVOCABLE IRREV IRREVOCABLE LIV LIVING FAM FAMILY REALTY NOMINEE OF DTD DATED'.split(
    ' ',
  ),
);
const IS_TRUST =
  /(?:^|[\s,&])(?:TRUSTS?|TRST|TR|(?:IR)?REVOC(?:ABLE)?|(?:IR)?REV|REVOCABLE|LIVING|U\/?[AD]\/?T|UTD|UAD)(?=$|[\s,&.])/;
const ESTATE =
  /^(?:THE )?ESTATE OF\s+(.+)$|^(.+?)[\s,-]+(?:EST(?:ATE)?(?: OF)?|HEIRS(?: OF)?)$|^HEIRS OF\s+(.+)$/;
const CARE_OF = /^(.*?)\s*(?:\bC\/O\b|%)\s*(.+)$/;
/** An entity's second line that continues its first. */
const CONTINUES = /^(?:OF|FOR|THE|AND|&)\s/;
const PUBLIC = /^([^,]+), ((?:TOWN|CITY|VILLAGE|COUNTY|STATE|TOWNSHIP|BOROUGH) OF)\b\s*(.*)$/;

/** One spelling of capitals, blanks, and the commas that rolls leave without a blank. */
const rollText = (text: string | null): string =>
  tidy(
    (text ?? '')
      .toUpperCase()
      .replace(/,(?=\S)/g, ', ')
      .replace(/ -(?=\S)/g, ' - ')
      .replace(/\.(?=\s|,|$)/g, ''),
  );

/** A line of the roll: its name, who the name is care of, and the name without a person who is cut off. */
type Line = { name: string; care: string; whole: string };

function lineOf(text: string | null): Line {
  const [, name = text ?? '', care = ''] = CARE_OF.exec((text ?? '').toUpperCase()) ?? [];
  const whole = WIDTHS.has(name.trim().length) ? withoutCut(name.trim()) : name;
  return { name: rollText(name), care: rollText(care), whole: rollText(whole) };
}

/** Drops the last of several people, or the last given name unless it is a common one. */
function withoutCut(name: string): string {
  const people = name.split(/\s*(?:&|\bAND\b)\s*/i);
  if (people.length > 1) return people.slice(0, -1).join(' & ');
  const [, rest, last] = /^(.+,.+\s\S+)\s(\S{2,})$/.exec(name) ?? [];
  return last === undefined || isGivenName(last.toUpperCase()) ? name : rest!;
}

const given = ({ given }: NamedPerson): string => given.map(titleCase).join(' ');
const suffixed = (name: string, { suffix }: NamedPerson): string =>
  suffix === '' ? name : `${name} ${titleCase(suffix)}`;
const fullName = (one: NamedPerson): string => suffixed(`${given(one)} ${titleCase(one.last)}`, one);

function listed(names: readonly string[]): string {
  const some = [...new Set(names)];
  if (some.length < 3) return some.join(' and ');
  return `${some.slice(0, -1).join(', ')}, and ${some.at(-1)}`;
}

/** John and Mary Smith; John Smith and Mary Jones. */
function coupleName(people: readonly NamedPerson[]): string {
  const [first, second] = people;
  const isCouple =
    people.length === 2 && first!.last === second!.last && first!.suffix === '' && second!.suffix === '';
  return isCouple ? `${given(first!)} and ${fullName(second!)}` : listed(people.map(fullName));
}

/** The name that a person goes by: J ROBERT is Robert. */
const calledName = ({ given }: NamedPerson): string | undefined => given.find(name => !isInitial(name));

/** The names to greet. A person with nothing but initials is greeted by the full name. */
const greeting = (people: readonly NamedPerson[]): string =>
  listed(people.map(one => titleCase(calledName(one) ?? '') || fullName(one)));

/** Whether a name repeats another, perhaps with fewer middle names. */
const isRepeat = (one: NamedPerson, other: NamedPerson): boolean =>
  one.last === other.last &&
  one.suffix === other.suffix &&
  one.given.every((name, at) => name === other.given[at]);

function withoutRepeats(people: readonly NamedPerson[]): NamedPerson[] {
  const some: NamedPerson[] = [];
  for (const one of people) {
    const at = some.findIndex(other => isRepeat(one, other) || isRepeat(other, one));
    if (at < 0) some.push(one);
    else if (isRepeat(some[at]!, one)) some[at] = one;
  }
  return some;
}

const firstOf = ([one]: readonly NamedPerson[]): Pick<MailName, 'first_name' | 'last_name'> =>
  one === undefined
    ? { first_name: '', last_name: '' }
    : { first_name: titleCase(calledName(one) ?? one.given[0]!), last_name: titleCase(one.last) };

/**
 * Splits an owner's name from the roll for a letter. If it isn't clear who the people are, `full_name` is the
 * name on the roll, with a general greeting, and the other texts are empty.
 */
export function mailName(owner: string | null, second: string | null = null): MailName {
  const [own, other] = [lineOf(owner), lineOf(second)];
  const care = own.care || other.care;
  const found = ownerOf(own, other);
  return {
    ...found,
    full_name: care === '' ? found.full_name : `${found.full_name}, c/o ${titleCase(care)}`,
  };
}

function ownerOf(own: Line, other: Line): MailName {
  const { name } = own;
  const estate = ESTATE.exec(name);
  const isTrust = IS_TRUST.test(name) && !isCorporateOwner(name);
  if (estate !== null && !isTrust && !/\bLIFE EST/.test(name))
    return estateOf(estate.slice(1).find(Boolean)!);
  if (isTrust) return trustOf(name, other.name);
  if (isEntity(name.replace(TRUSTEE, '').replace(NOTE, ''))) return companyOf(name, other.name);
  const people = personsOf(own, other);
  if (people !== null) return people;
  // The second owner is the trustee of the first.
  if (TRUSTEE.test(other.name)) return trustOf(name, other.name);
  return { ...firstOf([]), full_name: titleCase(name), salutation: GREETINGS.company, company: '' };
}

/** Widths of rolls' columns. Longer texts are cut off there. */
const WIDTHS = new Set([30, 35, 40, 50]);

function personsOf(own: Line, other: Line): MailName | null {
  const clean = ({ whole }: Line) =>
    tidy(whole.replace(AND_OTHERS, '').replace(TRUSTEE, '').replace(NOTE, ''));
  const first = peopleIn(clean(own));
  if (first === null) return null;
  // A second owner that isn't a person stays on the deed, not on the letter.
  const named = isEntity(other.name) || IS_TRUST.test(other.name) ? null : peopleIn(clean(other));
  const more = (named ?? []).filter(one => calledName(one) !== undefined);
  const people = withoutRepeats([...first, ...more]);
  const trustee = TRUSTEE.test(own.name) ? `, ${people.length === 1 ? 'Trustee' : 'Trustees'}` : '';
  const others = own.name.search(AND_OTHERS) < 0 ? '' : ' et al';
  return {
    ...firstOf(people),
    full_name: `${coupleName(people)}${trustee}${others}`,
    salutation: greeting(people),
    company: '',
  };
}

function companyOf(own: string, other: string): MailName {
  const [, place = '', office = '', rest = ''] = PUBLIC.exec(own) ?? [];
  const name = place === '' ? own : tidy(`${office} ${place} ${rest}`);
  const more = CONTINUES.test(other) ? ` ${other}` : other !== '' && isEntity(other) ? `, ${other}` : '';
  const company = titleCase(name + more);
  return { ...firstOf([]), full_name: company, salutation: GREETINGS.company, company };
}

function estateOf(name: string): MailName {
  const people = peopleIn(tidy(name));
  const company = `Estate of ${people === null ? titleCase(tidy(name)) : coupleName(people)}`;
  return { ...firstOf([]), full_name: company, salutation: GREETINGS.estate, company };
}

const isTrustWord = (word: string): boolean => TRUST_WORDS.has(word) || /^\d[\d/-]*$/.test(word);

/** SMITH, JOHN REV TRUST is the John Smith Rev Trust. Other names of trusts stay as they are. */
function trustOf(own: string, other: string): MailName {
  const name = tidy(own.replace(TRUSTEE, ''));
  const [before = '', after = '', ...rest] = name.split(',').map(tidy);
  const words = after.split(' ').filter(Boolean);
  const start = words.findIndex(isTrustWord);
  const [names, kind] = start < 0 ? [words, []] : [words.slice(0, start), words.slice(start)];
  const hasSurname = rest.length === 0 && after !== '' && !before.split(' ').some(isTrustWord);
  const people = hasSurname && names.length > 0 ? peopleIn(`${before}, ${names.join(' ')}`) : null;
  const isPlain = hasSurname && kind.length > 0 && kind.every(isTrustWord);
  const isFamily = people?.every(one => one.last === people[0]!.last) ?? names.length === 0;
  const ordered = `${people === null ? '' : `${people.map(given).join(' and ')} `}${before} ${kind.join(' ')}`;
  const company = isPlain && isFamily ? titleCase(ordered.toUpperCase()) : titleCase(name);
  const trustees = (people ?? trusteesIn(other) ?? []).filter(one => calledName(one) !== undefined);
  return {
    ...firstOf(trustees),
    full_name: company,
    salutation: trustees.length === 0 ? GREETINGS.trust : greeting(trustees),
    company,
  };
}

/** The people in the second owner of a trust, if the text says that they are its trustees. */
const trusteesIn = (other: string): NamedPerson[] | null =>
  TRUSTEE.test(other) ? peopleIn(tidy(other.replace(TRUSTEE, ''))) : null;
