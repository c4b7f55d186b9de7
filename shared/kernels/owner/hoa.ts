import { wordsOf } from './owner-words.ts';

/** ASSOCIATION, its abbreviations, and what remains when a roll's column cuts it off. */
const ASSOCIATION =
  '(?:ASSOCIATIONS?|ASSOC|ASSOCS|ASSN|ASSNS|ASSO|ASSC|ASSOCI|ASSOCIA|ASSOCIAT|ASSOCIATI|ASSOCIATIO|ASN)';
const OWNERS =
  '(?:HOMEOWNERS?|HOUSEOWNERS?|LANDOWNERS?|LOTOWNERS?|UNITOWNERS?|COOWNERS?|OWNERS?|OWNER S|HOMEOWNER S)';
const CONDOMINIUM = '(?:CONDOMINIUMS?|CONDOS?|CONDOMINIU?|CONDOMIN)';

/** Kinds of neighborhoods that come right before ASSOCIATION. */
const KINDS =
  '(?:COMMUNITY|COMMUNITIES|NEIGHBORHOOD|TOWNHOMES?|TOWNHOUSES?|TOWN HOMES?|VILLAS|ESTATES|SUBDIVISION|MASTER|MAINTENANCE|RESIDENTIAL|RESIDENTS)';

const PATTERNS = [
  // Abbreviations, also as single letters: H O A is no one's initials. L.P.O.A. and the like do not occur.
  / HOA | H O A | HOAS /,
  // Owners and their association, in either order: PROPERTY OWNERS ASSN, ASSOCIATION OF UNIT OWNERS.
  new RegExp(` ${OWNERS} (?:.* )?${ASSOCIATION} `),
  new RegExp(` ${ASSOCIATION} (?:.* )?${OWNERS} `),
  // Homeowners, with the association cut off by the roll's column.
  / HOME ?OWNERS?(?: (?:A|AS|ASS))? $/,
  // COUNCIL OF CO-OWNERS, COUNCIL OF UNIT OWNERS: condominiums of Texas and Maryland.
  / COUNCIL OF (?:UNIT |CO |CO)OWNERS /,
  // Condominiums by their association, or by their trust, as in Massachusetts.
  new RegExp(` ${CONDOMINIUM} (?:.* )?(?:${ASSOCIATION}|TRUST) `),
  new RegExp(` ${ASSOCIATION} (?:.* )?${CONDOMINIUM} `),
  new RegExp(` ${KINDS} ${ASSOCIATION} `),
];

/**
 * Property (or condominium) owners' association. After SURNAME, FIRST NAME it would be a power of attorney.
 */
const ENDING = / (?:POA|COA|P O A)(?: (?:INC|LLC|CORP|LTD|NO|\d+))* $/;
const PERSON = /^\s*[\p{L}'’-]+\s*,/u;

/** A fast check: every pattern contains one of these. */
const MAY_BE_HOA = /H ?O ?A|OWNER|ASSO|ASSN|ASSC|ASN|CONDO|POA|COA|P O A/;

/**
 * Whether a name is that of a homeowners' association: HOA, POA, CONDOMINIUM or COMMUNITY ASSOCIATION and
 * their spellings, as whole words. Lake, road and civic associations and clubs have voluntary members and do
 * not count.
 */
export function isHoaOwner(name: string): boolean {
  const padded = ` ${wordsOf(name)} `;
  if (!MAY_BE_HOA.test(padded)) return false;
  if (PATTERNS.some(pattern => pattern.test(padded))) return true;
  return ENDING.test(padded) && !PERSON.test(name);
}
