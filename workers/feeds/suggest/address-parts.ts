import { DIRECTIONS } from '../../../shared/kernels/owner/street.ts';
import { STREET_SUFFIXES } from '../../../shared/kernels/owner/suffixes.ts';
import { averageLength, type Profile } from './column-profile.ts';
import { matchVocabulary, vocabularyOf } from './name-words.ts';

/** The parts of an address, in the order given in USPS Publication 28. */
export const ADDRESS_PARTS = [
  'number_prefix',
  'number',
  'number_suffix',
  'pre_modifier',
  'pre_direction',
  'pre_type',
  'separator',
  'name',
  'type',
  'post_direction',
  'post_modifier',
  'unit_type',
  'unit',
] as const;
export type AddressPart = (typeof ADDRESS_PARTS)[number];

/** A column with part of an address. `line` may contain all of it. */
export type PartColumn = {
  profile: Profile;
  at: number;
  part: AddressPart | 'direction' | 'line';
  /** Whether the column's name says that the address is the parcel's. */
  situs: boolean;
  /** Whether the name clearly refers to an address, not to something else's type, number, name, or unit. */
  sure: boolean;
};

/** Words in the column names of county, city, and 911 layers (including NENA's and FGDC's). */
const ADDRESS_WORDS = vocabularyOf({
  owner: 'owner owners own ownr ownadd mail mailing mailadd mailaddr maddr madd maddress ml pstl m o',
  payer: 'tax taxpayer taxpr payer bill billing',
  situs:
    'situs situ site sit prop property prpty phy phys physi physical loc locn location premise premises premsn prem parcel par prcl',
  addr: 'address addr addrs add ad adr adrs addre addres adress addrss ads',
  street: 'street stree stre strt str st road rd rdwy lst stn strn roadnm',
  number: 'number num numb numbe no nos nbr nb nmbr nmb nro',
  house: 'house hous hse hs hno hnum hn hsno hsnum san stno shno',
  fraction: 'fraction frac fra half fractional extension extensio ext extn hns sns',
  suffix: 'suffix suffx suf sfx suff suffi sufix sufx sf su post pos',
  number_prefix: 'hnp',
  prefix: 'prefix prefx prefi pre pref pfx prfx',
  direction: 'direction directional directn direct directi direc dire dir drctn ns',
  pre_direction: 'predirectional predirect predirecti predir prd prefixd pdir',
  post_direction:
    'postdirectional postdirect postdir posdir sufdir suffdir quadrant quad quadr qdrt qdr pod suffixd suffixdir',
  type: 'type typ types mode designation designatio desig thoro sts ftype fetype featyp featuretype',
  pre_type: 'pretype pretyp stp prt',
  name: 'name nam nm names alpha stnm feanme featurename fename fname fullname basename label',
  unit: 'unit unt apt apartment apartme apa suite ste spaceapt room unitnum unitno unitid aptno aptnum',
  post_modifier: 'pom',
  pre_modifier: 'prm',
  modifier: 'modifier modifie mod',
  sub: 'subaddress subaddr subadd sub',
  separator: 'separator sep presep',
  second: '2 second secondary',
  id: 'id identifier',
  desc: 'desc description',
  more: 'full complete cmplt compl comp cplt combined comb concat whole line 1 first code cd',
  not: 'gross net amount amt total tot fee special assess assessment lien balance due assessed assessment price paid cost old prev previous prior former alt alternate alias zip zipcode postal postcode postalcode postcd city town township twp state county country community date dt value val sale sales seller grantor grantee buyer agent lender legal lot block blk range rng section sec area acres units count cnt flag flg comm cty high hi end low class zone use bldg building structure struct tax taxdist district dist subdivision subdiv school phone email note notes image photo url file 3 4 land grid map book page lat lon x y plat angle side status source deed doc account pin parcelid guid globalid key left right owner',
});

/** Abbreviations in 911 layers, on their own or after a prefix: ADDR_SN, PD. */
const SHORT_PARTS = new Map<string, AddressPart>([
  ['pd', 'pre_direction'],
  ['pt', 'pre_type'],
  ['sn', 'name'],
  ['sd', 'post_direction'],
]);

/** One letter that means an owner, joined with a part: MSTREET, MHSENO. */
const OWNERS_LETTER = /^[mo](?=[a-z])/i;

/** One letter that means situs or property: S_NAME, P_ADDRESS. */
const SITUS_LETTER = /^([SsPp]_|[SP](?=[A-Z][a-z]))/;

type NamedPart = Pick<PartColumn, 'part' | 'situs' | 'sure'> & {
  /** The name says address or street, or has no known words. */
  isPlain?: boolean;
  /** A prefix or suffix. Its values show which one. */
  open?: 'prefix' | 'suffix';
  second?: boolean;
};

/** What a column's name says about an address. Null for other columns and owners' columns. */
function partOfName(name: string): NamedPart | null {
  const { ideas, known } = matchVocabulary(name, ADDRESS_WORDS);
  const is = (...any: string[]) => any.some(idea => ideas.has(idea));
  // TAX means a taxpayer (TAX_ADDR) or an amount (PROPERTY_TAX), unless the name has a situs word and an
  // address word (TAX_PARCEL_ADDRESS).
  const isTax = is('payer') && !(is('situs') && is('addr', 'street', 'house'));
  if (is('owner', 'not') || isTax) return null;
  const own = name.split('.').at(-1)!;
  if (OWNERS_LETTER.test(own) && known < 1 && matchVocabulary(own.slice(1), ADDRESS_WORDS).known === 1)
    return null;
  const situs = is('situs') || SITUS_LETTER.test(own);
  const street = situs || is('street', 'addr');
  const of = (part: PartColumn['part'], open?: NamedPart['open']): NamedPart => ({
    part,
    situs,
    sure: street,
    isPlain: known === 1 || is('addr', 'street') || SITUS_LETTER.test(own),
    ...(open && { open }),
  });
  const short = SHORT_PARTS.get(own.split('_').at(-1)!.toLowerCase());
  if (short && (street || own.length === 2)) return of(short);
  if (is('sub') && is('number')) return of('number_suffix');
  if (is('unit') || (is('sub') && is('type', 'id', 'addr')))
    return of(is('type', 'desc', 'prefix') ? 'unit_type' : 'unit');
  if (is('id', 'desc', 'sub')) return null;
  for (const part of ['separator', 'pre_modifier', 'post_modifier', 'number_prefix'] as const)
    if (is(part)) return of(part);
  if (is('modifier')) return of(is('suffix') ? 'post_modifier' : 'pre_modifier');
  if (is('fraction')) return of('number_suffix');
  if (is('pre_direction')) return of('pre_direction');
  if (is('post_direction')) return of('post_direction');
  if (is('direction'))
    return of(is('prefix') ? 'pre_direction' : is('suffix') ? 'post_direction' : 'direction');
  if (is('pre_type')) return of('pre_type');
  if (is('type')) return of(is('prefix') ? 'pre_type' : 'type');
  const ofNumber = is('number', 'house') && !is('name');
  if (is('prefix')) return ofNumber ? of('number_prefix') : of('pre_direction', 'prefix');
  if (is('suffix')) return ofNumber ? of('number_suffix') : of('type', 'suffix');
  if (ofNumber) return { part: 'number', situs, sure: street || is('house') };
  const second = is('second');
  if (is('street', 'name')) return { ...of('name'), second };
  return is('addr', 'situs') ? { ...of('line'), second } : null;
}

const share = (profile: Profile, test: (text: string) => boolean): number =>
  profile.filled.filter(test).length / Math.max(1, profile.filled.length);

const HOUSE_NUMBER = /^[NSEW]?\d{1,6}([NSEW]\d{1,5})?[A-Z]?([-/ ]\d{1,5}(\/\d)?)?[A-Z]?(\.0+)?$/i;
const isNumber = (text: string) => HOUSE_NUMBER.test(text);
const isZero = (text: string) => /^[0.]+$/.test(text);
const isDirection = (text: string) => DIRECTIONS.has(text.toUpperCase().replaceAll('.', ''));
const isSuffix = (text: string) => STREET_SUFFIXES.has(text.toUpperCase().replaceAll('.', ''));

const UNIT_WORDS = new Set(
  'APT APARTMENT UNIT STE SUITE BLDG BUILDING LOT TRLR SPC SPACE RM ROOM FL FLOOR REAR FRNT BSMT PH DEPT #'.split(
    ' ',
  ),
);
const isUnitWord = (text: string) => UNIT_WORDS.has(text.toUpperCase().replaceAll('.', ''));

const MIN_SHARE = 0.7;
/** Maximum average length of the letter, fraction, or door number next to a house number. */
const SHORT = 6;

export const areNumbers = (profile: Profile): boolean =>
  share(profile, isNumber) >= MIN_SHARE && !profile.filled.every(isZero);
export const areDirections = (profile: Profile): boolean => share(profile, isDirection) >= 0.9;
export const areSuffixes = (profile: Profile): boolean =>
  share(profile, isSuffix) >= MIN_SHARE && !areDirections(profile);

/** Whether the values are streets rather than owners: many end in a street suffix. */
export const endsInSuffix = (profile: Profile): boolean =>
  share(profile, text => text.includes(' ') && isSuffix(text.split(' ').at(-1)!)) >= 0.4;

/** Whether a column counts units: many rows with only a few different values, such as 1, 1, 2, 1. */
const isCount = ({ filled, texts, numeric, distinct }: Profile): boolean =>
  texts.length >= 20 &&
  filled.length > 0.6 * texts.length &&
  (distinct <= 3 || (numeric > 0.9 && distinct <= 10));

/** Whether a unit column is part of the parcel number, next to map, block, or lot columns. */
export function isParcelNumberPart(at: number, profiles: readonly Profile[]): boolean {
  const neighbors = [profiles[at - 1], profiles[at + 1]];
  return (
    /^unit$/i.test(profiles[at]!.name) &&
    neighbors.some(each => /^(map|block|blk|lot|section|phase)$/i.test(each?.name ?? ''))
  );
}

/** The address part in a column, by its name and values. Null if they contradict each other. */
export function partColumn(profile: Profile, at: number, alias: string | undefined): PartColumn | null {
  const named = partOfName(profile.name) ?? (alias === undefined ? null : partOfName(alias));
  if (named === null || profile.serial) return null;
  const { open, second, isPlain, ...said } = named;
  const column = { profile, at, ...said };
  if (profile.filled.length === 0) return said.part === 'line' || said.part === 'number' ? null : column;
  const as = (part: PartColumn['part']): PartColumn => ({ ...column, part });
  const length = averageLength(profile);
  if (open === 'prefix')
    return areDirections(profile) ? column : areSuffixes(profile) || length > SHORT ? as('pre_type') : null;
  if (open === 'suffix') {
    if (areDirections(profile)) return as('post_direction');
    if (areSuffixes(profile)) return column;
    return length > SHORT
      ? null
      : as(share(profile, text => /^[A-Z]$|^\d\/\d$/i.test(text)) > MIN_SHARE ? 'number_suffix' : 'unit');
  }
  switch (said.part) {
    case 'number':
      return areNumbers(profile) ? column : null;
    case 'number_prefix':
    case 'number_suffix':
      return length <= SHORT ? column : null;
    case 'direction':
    case 'pre_direction':
    case 'post_direction':
      return areDirections(profile) ? column : null;
    case 'type':
      return areSuffixes(profile) ||
        (said.sure && length <= SHORT && length > 1 && share(profile, text => /\d/.test(text)) < 0.1)
        ? column
        : null;
    case 'unit':
      if (share(profile, isUnitWord) >= MIN_SHARE) return as('unit_type');
      return length > 2 * SHORT || isCount(profile) ? null : column;
    case 'unit_type':
      return share(profile, text => /\d/.test(text)) > 0.5 ? null : column;
    case 'name':
    case 'line':
      // Truncated and numbered names say little: SITUS_STRE, SITUS_ST_1, ADDR_PHY_2.
      if (areDirections(profile)) return as('direction');
      if (areSuffixes(profile)) return as('type');
      // A truncated name may be an amount: PROPERTY_T (tax).
      if (areNumbers(profile)) return isPlain ? as('number') : null;
      if (profile.numeric > 0.9 && (said.part === 'line' || !isPlain)) return null;
      if (second) return null;
      return column;
    default:
      return column;
  }
}

/**
 * The address part, judged by values alone. Null unless they are directions or street suffixes and match
 * nothing else.
 */
export function partByValues(profile: Profile, at: number, situs: boolean): PartColumn | null {
  const { ideas, known } = matchVocabulary(profile.name, ADDRESS_WORDS);
  const isOther = ['owner', 'payer', 'not', 'id'].some(idea => ideas.has(idea)) || known === 0;
  if (isOther || profile.distinct < 2) return null;
  const part = areDirections(profile) ? 'direction' : areSuffixes(profile) ? 'type' : null;
  return part && { profile, at, part, situs, sure: false };
}
