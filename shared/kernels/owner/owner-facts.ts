import { isBox, normaliseStreet } from './street.ts';
import { wordsOf } from './words.ts';

export type MailAddress = {
  mailAddress: string | null;
  mailCity: string | null;
  /** Two letters. */
  mailState: string | null;
  /** Five digits, or ZIP+4, of which the first five count. */
  mailZip: string | null;
};

export type OwnedParcel = MailAddress & {
  ownerName: string | null;
  situsAddress: string | null;
  situsState: string | null;
  situsZip: string | null;
  /** The roll's own flag. */
  ownerOccupied: boolean | null;
  fips: number;
  /** Of the county, two letters: the parcel's state where the roll gives none. */
  countyState: string | null;
};

/** What filters ask of an owner. Null is not known. */
export type OwnerFacts = {
  /** See ownerKeyOf. */
  ownerKeyText: string | null;
  corporate: boolean | null;
  hoa: boolean | null;
  /** The mailing address lies in another state, county, ZIP than the parcel. */
  outOfState: boolean | null;
  outOfCounty: boolean | null;
  outOfZip: boolean | null;
  ownerOccupied: boolean | null;
};

/** @param countyOfZip FIPS of the county that most of a ZIP lies in; null for a ZIP that it does not know */
export function ownerFacts(parcel: OwnedParcel, countyOfZip: (zip: string) => number | null): OwnerFacts {
  const street = normaliseStreet(parcel.mailAddress);
  const mailZip = zip5(parcel.mailZip);
  const situsZip = zip5(parcel.situsZip);
  const outOfState = differ(parcel.mailState, parcel.situsState ?? parcel.countyState);
  const outOfZip = differ(mailZip, situsZip);
  return {
    ownerKeyText: ownerKeyOf(street, parcel),
    corporate: parcel.ownerName === null ? null : isCorporateOwner(parcel.ownerName),
    hoa: parcel.ownerName === null ? null : isHoaOwner(parcel.ownerName),
    outOfState,
    outOfCounty: isOutOfCounty(mailZip, parcel.fips, outOfZip, outOfState, countyOfZip),
    outOfZip,
    ownerOccupied: parcel.ownerOccupied ?? livesThere(street, parcel.situsAddress, outOfZip, outOfState),
  };
}

function differ(a: string | null, b: string | null): boolean | null {
  return a === null || b === null ? null : a !== b;
}

/** A ZIP may cross county lines: mail to the parcel's own ZIP is not out of its county, whichever holds most of it. */
function isOutOfCounty(
  mailZip: string | null,
  fips: number,
  outOfZip: boolean | null,
  outOfState: boolean | null,
  countyOfZip: (zip: string) => number | null,
): boolean | null {
  if (outOfZip === false) return false;
  const county = mailZip === null ? null : countyOfZip(mailZip);
  if (county !== null) return county !== fips;
  return outOfState === true ? true : null;
}

/**
 * Whether mail goes to the parcel's own street and ZIP. Unknown for a post office box in the parcel's ZIP, and where the roll
 * leaves the house number out (BACK MOUNTAIN RD against 12 BACK MOUNTAIN RD).
 */
function livesThere(
  street: string | null,
  situsAddress: string | null,
  outOfZip: boolean | null,
  outOfState: boolean | null,
): boolean | null {
  if (outOfZip === true || outOfState === true) return false;
  if (outOfZip === null || street === null || isBox(street)) return null;
  const situs = normaliseStreet(situsAddress);
  if (situs === null) return null;
  if (hasNumber(street) && hasNumber(situs)) return street === situs;
  return withoutNumber(street) === withoutNumber(situs) ? null : false;
}

const hasNumber = (street: string) => /^\d/.test(street);
const withoutNumber = (street: string) => street.replace(/^\d\S* /, '');

/**
 * What parcels of one owner share, to be hashed: normalised `street|zip`, or `street|city|state` where the ZIP is missing. Null
 * without a street, or with neither ZIP nor city and state.
 * @param street as `normaliseStreet` gives it
 */
export function ownerKeyOf(
  street: string | null,
  { mailCity, mailState, mailZip }: MailAddress,
): string | null {
  if (street === null) return null;
  const zip = zip5(mailZip);
  if (zip !== null) return `${street}|${zip}`;
  const city = normaliseCity(mailCity);
  const state = mailState === null ? '' : wordsOf(mailState);
  return city === null || state === '' ? null : `${street}|${city}|${state}`;
}

/** The five digits of a ZIP or ZIP+4; null for anything else and for 00000. */
function zip5(zip: string | null): string | null {
  const digits = zip === null ? undefined : /^(\d{5})(?:-?\d{4})?$/.exec(zip)?.[1];
  return digits === undefined || digits === '00000' ? null : digits;
}

const CITY_WORDS: Record<string, string> = {
  ST: 'SAINT',
  STE: 'SAINTE',
  FT: 'FORT',
  MT: 'MOUNT',
  PT: 'POINT',
  N: 'NORTH',
  S: 'SOUTH',
  E: 'EAST',
  W: 'WEST',
};

/** A city's name with its usual abbreviations spelled out: FT. WAYNE is FORT WAYNE. */
function normaliseCity(city: string | null): string | null {
  if (city === null) return null;
  const words = wordsOf(city).split(' ');
  return words.map(word => CITY_WORDS[word] ?? word).join(' ') || null;
}

/** Legal forms that make an owner corporate wherever they stand as whole words. */
const FORMS = [
  ...['LLC', 'L L C', 'LL C', 'L LC', 'PLLC', 'P L L C', 'LLLC', 'LIMITED LIABILITY'],
  ...['INC', 'INCORPORATED', 'INCORP', 'CORP', 'CORPORATION'],
  ...['LLP', 'L L P', 'LLLP', 'L L L P', 'RLLP', 'RLLLP', 'LP', 'FLP'],
  ...['LTD', 'LIMITED', 'COMPANY', 'COMPANIES'],
];

/** Forms that are initials as often: only at the end of a name. L C is a limited company in Iowa, Utah, Virginia. */
const LAST_FORMS = new Set(['LC', 'PC']);

/** A roll's column cuts long names; six letters of a long form are enough at the end. */
const CUT_FORMS = /^(?:CORPOR|INCORP|COMPAN|LIMITE)[A-Z]*$/;

/**
 * Owners that CO is not the company of: Sullivan Co Commissioners, City of Denver CO (the state). A county is written
 * CO as well; SULLIVAN CO alone cannot be told from a company of that name and counts as one.
 */
const PUBLIC_BODY =
  / (?:CITY OF|TOWN OF|COUNTY|STATE OF|UNIVERSITY|COMMISSIONERS?|BOARD|TREASURER|SHERIFF|SCHOOL|DISTRICT|DIST) /;

const HAS_FORM = new RegExp(` (?:${FORMS.join('|')}) `);
/** Every form has one of these: names without any are not looked at further. */
const MAY_HAVE_FORM = /L ?[LTPC]|LIM|INC|CO|P ?C/;

/**
 * Whether an owner is corporate by legal form alone (LLC, INC, CORP, LP, LLP, LTD, CO in any spelling), not by trade (HOLDINGS,
 * BANK), which people are called too. Trusts, churches and towns are not unless they carry a form before any C/O or %.
 */
export function isCorporateOwner(name: string): boolean {
  const owner = withoutCareOf(name);
  const padded = ` ${wordsOf(owner)} `;
  if (!MAY_HAVE_FORM.test(padded)) return false;
  if (HAS_FORM.test(padded)) return true;
  const words = padded.trim().split(' ');
  if (words.length > 1) {
    const last = words[words.length - 1]!;
    if (LAST_FORMS.has(last) || CUT_FORMS.test(last)) return true;
  }
  return isCompany(words, padded) || isDottedForm(owner, padded);
}

const CARE_OF = /\bC\/O\b|%/i;

function withoutCareOf(name: string): string {
  const at = name.search(CARE_OF);
  return at > 0 ? name.slice(0, at) : name;
}

/**
 * CO is a company at the end of a name or before OF or THE, and never its first word: CO-TRUSTEE, CO-OP, CO EXECUTOR, CO
 * (a surname) MARIA and COUNTY are none. SMITH & CO OF OHIO is.
 */
function isCompany(words: readonly string[], padded: string): boolean {
  const at = words.lastIndexOf('CO');
  if (at < 1 || PUBLIC_BODY.test(padded)) return false;
  if (at < words.length - 1) return words[at + 1] === 'OF' || words[at + 1] === 'THE';
  return words[at - 1] !== 'OF';
}

/** L.P., L.C. or P.C. with its full stops, after two words or more: without them they are somebody's initials. */
function isDottedForm(name: string, padded: string): boolean {
  return / \S+ \S+ (?:L P|L C|P C) $/.test(padded) && /[LP]\. ?[PC]\.?\s*$/i.test(name);
}

/** ASSOCIATION, its abbreviations, and what a roll's column leaves of it. */
const ASSOCIATION =
  '(?:ASSOCIATIONS?|ASSOC|ASSOCS|ASSN|ASSNS|ASSO|ASSC|ASSOCI|ASSOCIA|ASSOCIAT|ASSOCIATI|ASSOCIATIO|ASN)';
const OWNERS =
  '(?:HOMEOWNERS?|HOUSEOWNERS?|LANDOWNERS?|LOTOWNERS?|UNITOWNERS?|COOWNERS?|OWNERS?|OWNER S|HOMEOWNER S)';
const CONDOMINIUM = '(?:CONDOMINIUMS?|CONDOS?|CONDOMINIU?|CONDOMIN)';

/** Kinds of neighbourhoods whose association stands right behind them. */
const KINDS =
  '(?:COMMUNITY|COMMUNITIES|NEIGHBORHOOD|TOWNHOMES?|TOWNHOUSES?|TOWN HOMES?|VILLAS|ESTATES|SUBDIVISION|MASTER|MAINTENANCE|RESIDENTIAL|RESIDENTS)';

const PATTERNS = [
  // Abbreviations; L.P.O.A. and the like do not occur. H O A with its letters apart is not a person's initials.
  / HOA | H O A | HOAS /,
  // Owners and their association, in either order: PROPERTY OWNERS ASSN, ASSOCIATION OF UNIT OWNERS.
  new RegExp(` ${OWNERS} (?:.* )?${ASSOCIATION} `),
  new RegExp(` ${ASSOCIATION} (?:.* )?${OWNERS} `),
  // Homeowners whose association the roll's column cut off.
  / HOME ?OWNERS?(?: (?:A|AS|ASS))? $/,
  // COUNCIL OF CO-OWNERS, COUNCIL OF UNIT OWNERS: condominiums of Texas and Maryland.
  / COUNCIL OF (?:UNIT |CO |CO)OWNERS /,
  // Condominiums by their association, or by their trust as in Massachusetts.
  new RegExp(` ${CONDOMINIUM} (?:.* )?(?:${ASSOCIATION}|TRUST) `),
  new RegExp(` ${ASSOCIATION} (?:.* )?${CONDOMINIUM} `),
  new RegExp(` ${KINDS} ${ASSOCIATION} `),
];

/** Property (condominium) owners' association; POA is also a power of attorney, which follows SURNAME, FIRST NAME. */
const ENDING = / (?:POA|COA|P O A)(?: (?:INC|LLC|CORP|LTD|NO|\d+))* $/;
const PERSON = /^\s*[\p{L}'’-]+\s*,/u;

/** Every pattern needs one of these. */
const MAY_BE_HOA = /H ?O ?A|OWNER|ASSO|ASSN|ASSC|ASN|CONDO|POA|COA|P O A/;

/**
 * Whether a name is that of a homeowners' association: HOA, POA, HOMEOWNERS, PROPERTY OWNERS, CONDOMINIUM or COMMUNITY
 * ASSOCIATION in any spelling. Lake, road and civic associations and clubs are not: nobody must belong to them.
 */
export function isHoaOwner(name: string): boolean {
  const padded = ` ${wordsOf(name)} `;
  if (!MAY_BE_HOA.test(padded)) return false;
  if (PATTERNS.some(pattern => pattern.test(padded))) return true;
  return ENDING.test(padded) && !PERSON.test(name);
}
