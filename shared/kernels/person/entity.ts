import { isCorporateOwner } from '../owner/corporate.ts';
import { isHoaOwner } from '../owner/hoa.ts';
import { wordsOf } from '../owner/owner-words.ts';

/** Whole words that mark an owner as an entity. A few are also surnames (CHURCH). */
const ENTITY_WORDS = new Set(
  (
    'TRUST TR TRST TRUS REVOCABLE IRREVOCABLE REV FAMILY LIVING ESTATE EST HEIRS TOWN TOWNSHIP CITY VILLAGE BOROUGH COUNTY STATE COMMONWEALTH ' +
    'UNITED FEDERAL USA DEPARTMENT DEPT BUREAU AUTHORITY AGENCY COMMISSION COMMISSIONERS DISTRICT SCHOOL SCHOOLS UNIVERSITY COLLEGE ACADEMY ' +
    'CHURCH PARISH DIOCESE MINISTRIES MINISTRY TEMPLE SYNAGOGUE MOSQUE CONGREGATION BAPTIST METHODIST LUTHERAN CATHOLIC CEMETERY SOCIETY ' +
    'ASSOCIATION ASSOC ASSN ASSOCIATES FOUNDATION FUND CLUB LODGE LEAGUE UNION CONSERVANCY CONSERVATION PRESERVE LEGION BANK BANCORP ' +
    'SAVINGS MORTGAGE PARTNERSHIP PARTNERS PROPERTIES PROPERTY HOLDINGS HOLDING INVESTMENTS INVESTMENT INVESTORS REALTY ENTERPRISES ' +
    'DEVELOPMENT DEVELOPERS BUILDERS HOMES RENTALS LAND FARMS RANCH TIMBER TIMBERLANDS FORESTRY LUMBER RAILROAD RAILWAY UTILITIES ELECTRIC ' +
    'ENERGY POWER TELEPHONE HOSPITAL HEALTH MUSEUM LIBRARY MANAGEMENT GROUP VENTURES CAPITAL SERVICES SOLUTIONS INDUSTRIES INTERNATIONAL ' +
    'COOPERATIVE COOP CONDOMINIUM HOUSING TRUSTEES'
  ).split(' '),
);

/** Entity words that are surnames when a comma and a name follow, as in CHURCH, JOHN. */
const SURNAMES = new Set(
  'CHURCH LAND POWER BANK LODGE TEMPLE PARISH STATE FUND CLUB CITY COLLEGE RANCH'.split(' '),
);

export function isEntity(owner: string): boolean {
  if (isCorporateOwner(owner) || isHoaOwner(owner)) return true;
  const words = wordsOf(owner).split(' ');
  const surname = /^\s*([\w']+),/.exec(owner)?.[1]?.toUpperCase();
  return words.some(
    (word, i) => ENTITY_WORDS.has(word) && !(i === 0 && word === surname && SURNAMES.has(word)),
  );
}

/** Legal forms and words that rolls often omit. They are ignored in comparisons. */
const IGNORED_WORDS = new Set(
  (
    'LLC INC INCORPORATED INCORP CORP CORPORATION CO COMPANY COMPANIES LTD LIMITED LIABILITY LP LLP LLLP PLLC PC THE OF AND AN ' +
    'TRUSTEE TRUSTEES TTEE TTEES TRS ET AL ETAL AS FOR UNDER AGREEMENT AGMT'
  ).split(' '),
);

const ONE_SPELLING = new Map(
  (
    'TR=TRUST TRST=TRUST TRUS=TRUST TRU=TRUST REVOC=REVOCABLE REV=REVOCABLE IRREV=IRREVOCABLE LIV=LIVING FAM=FAMILY EST=ESTATE ' +
    'ASSOC=ASSOCIATION ASSN=ASSOCIATION PROP=PROPERTIES PROPS=PROPERTIES PROPERTY=PROPERTIES DEPT=DEPARTMENT DEV=DEVELOPMENT ' +
    'INV=INVESTMENTS INVESTMENT=INVESTMENTS MGMT=MANAGEMENT ENT=ENTERPRISES HLDGS=HOLDINGS HOLDING=HOLDINGS INTL=INTERNATIONAL ' +
    'UNIV=UNIVERSITY TWP=TOWNSHIP CNTY=COUNTY SVCS=SERVICES PTNRS=PARTNERS BROS=BROTHERS ST=SAINT MT=MOUNT FT=FORT US=USA'
  )
    .split(' ')
    .map(pair => pair.split('=') as [string, string]),
);

/** Kinds of trusts. They are ignored in a trust's name because rolls often omit them. */
const TRUST_KINDS = new Set(['REVOCABLE', 'IRREVOCABLE', 'LIVING', 'FAMILY']);

/**
 * The distinctive words of an entity's name, sorted, without deed dates. Null if only general words are left.
 */
export function entityName(name: string): string | null {
  const own = wordsOf(name.split(/\bC\/O\b|%/i)[0]!.replace(/\bL\.? ?L\.? ?C\b\.?|\bU\/[ADT]\b/gi, ' '));
  const dated = / (?:DTD|DATED|UAD|UTD|UDT|UA) .*$/.exec(` ${own} `);
  const remaining = (dated ? ` ${own} `.slice(0, dated.index) : own)
    .split(' ')
    .filter(word => word !== '' && !IGNORED_WORDS.has(word));
  const words = [...new Set(remaining.map(word => ONE_SPELLING.get(word) ?? word))];
  const trust = words.includes('TRUST');
  const distinctive = words.filter(word => !(trust && TRUST_KINDS.has(word)));
  return distinctive.some(word => word !== 'TRUST') && distinctive.join('').length > 1
    ? distinctive.sort().join(' ')
    : null;
}
