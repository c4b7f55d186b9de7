import { wordsOf } from './owner-words.ts';

/** ASSOCIATION, its abbreviations, and what remains when a roll's column cuts it off. */
const ASSOCIATION =
  '(?:ASSOCIATIONS?|ASSOC|ASSOCS|ASSN|ASSNS|ASSO|ASSC|ASSOCI|ASSOCIA|ASSOCIAT|ASSOCIATI|ASSOCIATIO|ASN)';
const OWNERS =
  '(?:HOMEOWNERS?|HOUSEOWNERS?|LANDOWNERS?|LOTOWNERS?|UNITOWNERS?|COOWNERS?|OWNERS?|OWNER S|HOMEOWNER S)';
const CONDOMINIUM = '(?:CONDOMINIUMS?|CONDOS?|CONDOMINIU?|CONDOMIN)';

/** Words for kinds of neighborhoods that come right before ASSOCIATION. */
const KINDS =
  '(?:COMMUNITY|COMMUNITIES|NEIGHBORHOOD|TOWNHOMES?|TOWNHOUSES?|TOWN HOMES?|VILLAS|ESTATES|SUBDIVISION|MASTER|MAINTENANCE|RESIDENTIAL|RESIDENTS)';

const PATTERNS = [
  // The single letters H O A aren't anyone's initials. L.P.O.A. and the like don't occur.
  / H O A | HOAS /,
  // OWNERS and ASSOCIATION, in either order: PROPERTY OWNERS ASSN, ASSOCIATION OF UNIT OWNERS.
  new RegExp(` ${OWNERS} (?:.* )?${ASSOCIATION} `),
  new RegExp(` ${ASSOCIATION} (?:.* )?${OWNERS} `),
  // HOMEOWNERS, with ASSOCIATION cut off by the roll's column.
  / HOME ?OWNERS?(?: (?:A|AS|ASS))? $/,
  // COUNCIL OF CO-OWNERS, COUNCIL OF UNIT OWNERS: condominiums in Texas and Maryland.
  / COUNCIL OF (?:UNIT |CO |CO)OWNERS /,
  // Condominium associations, or condominium trusts as in Massachusetts.
  new RegExp(` ${CONDOMINIUM} (?:.* )?(?:${ASSOCIATION}|TRUST) `),
  new RegExp(` ${ASSOCIATION} (?:.* )?${CONDOMINIUM} `),
  new RegExp(` ${KINDS} ${ASSOCIATION} `),
];

/**
 * Property (or condominium) owners' association. After SURNAME, FIRST NAME it would mean power of attorney.
 */
const ENDING = / (?:POA|COA|P O A)(?: (?:INC|LLC|CORP|LTD|NO|\d+))* $/;
const PERSON = /^\s*[\p{L}'’-]+\s*,/u;

/**
 * Vietnamese surnames, middle names, and given names, to distinguish a person named Hoa (NGUYEN THI HOA) from
 * an association (FOX HOLLOW HOA). The surnames are the most common ones in the 2010 census.
 */
const NAMES_OF_PEOPLE = new Set(
  (
    'NGUYEN TRAN LE PHAM HUYNH HOANG PHAN VU VO DANG BUI DO HO NGO DUONG LY DINH TRUONG DOAN LAM LUU LUONG TRINH DAO TO TA HA CAO CHAU ' +
    'THAI VUONG QUACH MAI LA TANG THACH KIEU TONG VAN VONG CHU NGHIEM PHUNG THI THANH KIM XUAN MINH NGOC HONG THU LAN LIEN PHUONG ' +
    'QUOC DUC HUU CONG BICH TUYET THUY THANG HIEN HUNG QUANG TRUNG ANH DIEM MY CAM'
  ).split(' '),
);

/** What may follow HOA in an association's name when HOA comes first. */
const AFTER_FIRST = new Set(['', 'OF', 'FOR', 'AT', 'INC', 'LLC', 'CORP', 'LTD']);

/** Whether HOA in a name means an association rather than a person named Hoa. */
function hasHoa(name: string, padded: string): boolean {
  const words = padded.trim().split(' ');
  const at = words.indexOf('HOA');
  if (at < 0) return false;
  const [before = '', after = ''] = [words[at - 1], words[at + 1]];
  // SURNAME, HOA; JOHN & HOA SMITH; TRUONG HOA T.
  if (/,\s*HOA\b/i.test(name) || /(?:&|\bAND\b|\+|\/)\s*HOA\b/i.test(name)) return false;
  if (NAMES_OF_PEOPLE.has(before) || NAMES_OF_PEOPLE.has(after) || / HOA [A-Z] $/.test(padded)) return false;
  return at > 0 || AFTER_FIRST.has(after);
}

/** A fast check: every pattern contains one of these. */
const MAY_BE_HOA = /H ?O ?A|OWNER|ASSO|ASSN|ASSC|ASN|CONDO|POA|COA|P O A/;

/**
 * Whether a name belongs to a homeowners' association: HOA, POA, CONDOMINIUM or COMMUNITY ASSOCIATION, and
 * their spellings, as whole words. Lake, road, and civic associations and clubs have voluntary membership, so
 * they don't count.
 */
export function isHoaOwner(name: string): boolean {
  const padded = ` ${wordsOf(name)} `;
  if (!MAY_BE_HOA.test(padded)) return false;
  if (hasHoa(name, padded) || PATTERNS.some(pattern => pattern.test(padded))) return true;
  return ENDING.test(padded) && !PERSON.test(name);
}
