import { allCounties, fiveDigits } from '../../../shared/regions/counties.ts';
import { stateCode } from '../../../shared/regions/states.ts';
import { FAILURES, type Failure, tidyText } from './text-value.ts';

/** Military mail has its own state codes (USPS Publication 28, appendix B). */
const MILITARY = new Set(['AA', 'AE', 'AP']);

export function parseState(raw: unknown): string | null | Failure {
  const text = tidyText(raw);
  if (text === null) return null;
  const code = stateCode(text.replaceAll('.', ''));
  if (code !== undefined) return code;
  const upper = text.toUpperCase();
  return MILITARY.has(upper) ? upper : FAILURES.notAState;
}

/**
 * '03280' for '03280-1234' and '032801234', and for 3280 from a numeric column. 00000 means that there is no
 * ZIP.
 */
export function parseZip(raw: unknown): string | null | Failure {
  const text = tidyText(raw);
  if (text === null) return null;
  if (text.length === 5 && text !== '00000' && /^\d{5}$/.test(text)) return text;
  const match = /^(\d{3,9})(?:\.0+)?(?:[- ]+(\d{0,4}))?$/.exec(text);
  if (!match) return /^[0-]+$/.test(text) ? null : FAILURES.notAZip;
  const digits = match[1]!;
  const zip = digits.length > 5 ? digits.padStart(9, '0').slice(0, 5) : digits.padStart(5, '0');
  if (digits.length > 5 && match[2] !== undefined) return FAILURES.notAZip;
  return Number(zip) === 0 ? null : zip;
}

/** County FIPS codes range from Autauga (01001) to the territories' 78xxx. */
const FIRST_FIPS = 1001;
const LAST_FIPS = 78_999;

/** A county FIPS code as an integer: '33019', 33019, '1001' for 01001. */
export function parseFips(raw: unknown): number | null | Failure {
  const text = tidyText(raw);
  if (text === null) return null;
  const match = /^(\d{4,5})(?:\.0+)?$/.exec(text);
  return match ? fipsInRange(Number(match[1])) : FAILURES.notAFips;
}

/** The FIPS code of a state code and a county code in two columns: 33 and 19 make 33019. */
export function parseFipsParts(state: unknown, county: unknown): number | null | Failure {
  const stateText = tidyText(state);
  const countyText = tidyText(county);
  if (stateText === null && countyText === null) return null;
  const stateCode = /^\d{1,2}$/.test(stateText ?? '') ? Number(stateText) : Number.NaN;
  const countyCode = /^\d{1,3}$/.test(countyText ?? '') ? Number(countyText) : Number.NaN;
  return fipsInRange(stateCode * 1000 + countyCode);
}

const fipsInRange = (fips: number): number | Failure =>
  fips >= FIRST_FIPS && fips <= LAST_FIPS && fips % 1000 !== 0 ? fips : FAILURES.notAFips;

let codes: ReadonlySet<number> | undefined;

export function isKnownCounty(fips: number): boolean {
  codes ??= new Set(allCounties().map(county => county.fips));
  return codes.has(fips);
}

/**
 * Message for a row that names a former Connecticut county but has nothing that identifies the planning
 * region.
 */
export const ambiguousRegion = (fips: number): string =>
  `${fiveDigits(fips)} is a former county of Connecticut. Its towns are in several planning regions (09110 to 09190), and the row has no town or point to tell which: map the city, or use the region's code`;

/** Connecticut's planning regions replaced its counties (87 FR 34235). */
export const noSuchCounty = (fips: number): string =>
  `${fiveDigits(fips)} is not the FIPS code of a county${Math.floor(fips / 1000) === 9 ? '. Connecticut uses the codes of its planning regions, 09110 to 09190' : ''}`;
