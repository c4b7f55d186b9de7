/** Land that isn't sold as a lot. Sales of lots say nothing about its value. */
export const UNSELLABLE_REASONS = ['exempt', 'right_of_way', 'water', 'common_area', 'too_small'] as const;
export type UnsellableReason = (typeof UNSELLABLE_REASONS)[number];

/** About 870 square feet. Smaller parcels are strips, corners, and gaps between surveys, not lots. */
export const MIN_LOT_ACRES = 0.02;

type LandFacts = { fips: number; land_use_code: string | null };

/** Why a parcel can't be sold as a lot, as far as the roll shows. @param acres null or 0 if unknown */
export function unsellableReason(land: LandFacts, acres: number | null): UnsellableReason | null {
  return reasonByUse(land) ?? (isTooSmall(acres) ? 'too_small' : null);
}

/** @param acres null or 0 if unknown */
export const isTooSmall = (acres: number | null): boolean =>
  acres !== null && acres > 0 && acres < MIN_LOT_ACRES;

export function reasonByUse({ fips, land_use_code: use }: LandFacts): UnsellableReason | null {
  if (use === null) return null;
  const codes = STATE_CODES[Math.floor(fips / 1000)] ?? [];
  const code = codes.find(([pattern]) => pattern.test(use.trim().toUpperCase()));
  return code?.[1] ?? reasonByWords(use);
}

/** Codes in statewide rolls, by state FIPS. In other states, codes differ by county. */
const STATE_CODES: Record<number, [RegExp, UnsellableReason][]> = {
  // Florida Department of Revenue, land use codes of the statewide roll: 082 to 089 are public land.
  12: [
    [/^08[2-9]$/, 'exempt'],
    [/^094$/, 'right_of_way'],
    [/^095$/, 'water'],
  ],
  // Indiana DLGF, property class codes: 600 to 699 are exempt.
  18: [[/^6\d\d$/, 'exempt']],
  // Maryland SDAT, land use: exempt, and exempt commercial.
  24: [[/^EC?$/, 'exempt']],
  // Massachusetts DOR, property type classification codes: 900 to 999 are exempt.
  25: [[/^9\d\d\w?$/, 'exempt']],
  // New Jersey, property classes (N.J.A.C. 18:12-2.2): 15A to 15F are exempt, 5A and 5B are railroads.
  34: [
    [/^15[A-F]$/, 'exempt'],
    [/^5[AB]$/, 'right_of_way'],
  ],
  // New York ORPTS, property type codes: state forests, reforested land, and public parks; roads; water.
  36: [
    [/^9[346]\d$/, 'exempt'],
    [/^692$/, 'right_of_way'],
    [/^(315|972)$/, 'water'],
  ],
  // Texas Comptroller, property categories: X is totally exempt.
  48: [[/^X[A-Z]?$/, 'exempt']],
};

const EXEMPT = /\b(EXEMPT\w*|EXMPT|EXMT)\b/;
/** Partial exemptions, which depend on the owner or the use. Such land is sold like any other. */
const REDUCTION =
  /\b(AG|AGR|AGRI\w*|FARM\w*|RANCH\w*|TIMBER|WILDLIFE|HOMESTEAD\w*|HMSTD|HS|VETERANS?|DISAB\w*|SENIORS?|ELDERLY|OVER|PARTIAL\w*|NON|NOT|NO)\b/;
const PUBLIC =
  /\b(GOVERNMENT\w*(?! LOT)|GOVT(?! LOT)|MUNICIPAL\w*|FEDERAL\w*|AIRPORTS?|CEMETER\w+|(PUBLIC|STATE|COUNTY|CITY|TOWN|US) (OWNED|PARKS?|LANDS?|PROPERTY))\b/;
const RIGHT_OF_WAY = /\b(RIGHTS? OF WAYS?|R O W)\b/;
const ROAD = /^(ROADS?|STREETS?|ALLEYS?|HIGHWAYS?|ROADWAYS?|RAILROADS?|RAILWAYS?|ROW)$/;
const WITH_ROAD = /^(PUBLIC|PRIVATE|STATE|COUNTY|CITY|TOWN|OPEN|VACANT|LANDS?|AREAS?|AND|OR|\d+)$/;
const WATER =
  /\b(SUBMERGED|UNDERWATER|UNDER WATER|WATER BOD(Y|IES)|BOD(Y|IES) OF WATER|OPEN WATER|(RETENTION|DETENTION) \w+|(RIVER|LAKE|STREAM|CREEK|POND)S( AND| OR)? (RIVER|LAKE|STREAM|CREEK|POND)S|(RIVER|LAKE|POND) (BED|BOTTOM)S?)\b|^(WATERS?|DAMS?)$/;
const COMMON_AREA = /\bCOMMON (OPEN )?(AREAS?|LANDS?|ELEMENTS?|GROUNDS?|SPACES?|PROPERTY)\b|^COMMONS?$/;

/** Reads a label such as EXEMPT-MUNIC. Labels for waterfront or road frontage don't mean water or roads. */
function reasonByWords(label: string): UnsellableReason | null {
  const text = label
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, ' ')
    .trim();
  const words = text.split(' ');
  const isRoad = words.some(word => ROAD.test(word)) && words.every(word => isRoadWord(word));
  if (isRoad || RIGHT_OF_WAY.test(text)) return 'right_of_way';
  if (WATER.test(text)) return 'water';
  if (COMMON_AREA.test(text)) return 'common_area';
  return PUBLIC.test(text) || (EXEMPT.test(text) && !REDUCTION.test(text)) ? 'exempt' : null;
}

const isRoadWord = (word: string): boolean => ROAD.test(word) || WITH_ROAD.test(word);
