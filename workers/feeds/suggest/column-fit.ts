import { M_PER_FT, SQ_M_PER_ACRE } from '../../../shared/geo/units.ts';
import type { AreaUnit } from '../column-schema.ts';
import { PARCEL_SPECS, type ParcelTarget } from '../parcel-targets.ts';
import { isTotal } from '../values/key-value.ts';
import { isKnownCounty } from '../values/place-value.ts';
import { isFailure } from '../values/text-value.ts';
import { fieldParser, type TargetSpec } from '../values/value-parser.ts';
import { averageLength, CITY_STATE_ZIP, endInPlaces, type Fit, type Profile } from './column-profile.ts';
import { isParcelNumber } from './suggest-names.ts';

const share = (texts: readonly string[], test: RegExp): number =>
  texts.filter(text => test.test(text)).length / Math.max(1, texts.length);

/** '12 OAK ST', and a grid address such as 'W11756 ARCHER AVE'. */
const HOUSE_AND_STREET = /^[NSEW]?\d+[A-Z\d/-]* +(?=.*[A-Z]{2})/i;
const BOX = /^(P\.? ?O\.? |POST OFFICE )?BOX |^(RR|HC|RT|RURAL ROUTE) ?#? ?\d/i;
/** Words of legal descriptions. */
const LEGAL_WORD =
  /\b(LOTS?|LT|BLO?CK|BLK|SECT?|TRACT|TR|ABST?|SUBD?|UNIT|ACRES?|AC|PLAT|PHASE|PH|PT|TWP|RGE|[NS][EW]?|[NS]\d\/\d)\b/i;
const COMPANY =
  /\b(LLC|L\.L\.C|INC|CORP|TRUST|TRS|TR|ET ?AL|ETUX|LP|CO|COUNTY|CITY OF|STATE OF|ESTATE)\b|[,&]/i;
const FEW = 20;
const MANY = 100;

/** Whether values repeat as codes do, if there are enough rows to tell. */
const repeats = ({ filled, distinct }: Profile, most: number): boolean =>
  filled.length < FEW || distinct / filled.length <= most;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const SQ_M: Record<AreaUnit, number> = {
  acres: SQ_M_PER_ACRE,
  sqft: M_PER_FT ** 2,
  sqm: 1,
  hectares: 10_000,
};
const UNITS = Object.keys(SQ_M) as AreaUnit[];

/**
 * In Washington, NH, the roll's area differs from the measured area by more than 10% in a third of the rows.
 */
const AREA_TOLERANCE = 0.15;

/** The unit in which a column agrees best with the measured areas, and the share of rows that agree. */
function areaUnit(
  { numbers }: Profile,
  measured: readonly (number | null)[],
): { unit: AreaUnit; agree: number; pairs: number } {
  const pairs = numbers.flatMap((value, i) => {
    const acres = measured[i];
    return value && acres ? [[value, acres * SQ_M_PER_ACRE] as const] : [];
  });
  const agreeing = (unit: AreaUnit) =>
    pairs.filter(
      ([value, squareMetres]) => Math.abs((value * SQ_M[unit]) / squareMetres - 1) < AREA_TOLERANCE,
    ).length / Math.max(1, pairs.length);
  const best = UNITS.map(unit => ({ unit, agree: agreeing(unit), pairs: pairs.length }));
  return best.sort((a, b) => b.agree - a.agree)[0]!;
}

function acresFit(profile: Profile, measured: readonly (number | null)[]): Fit {
  const said: AreaUnit | null = profile.ideas.has('acre')
    ? 'acres'
    : profile.ideas.has('sqft')
      ? 'sqft'
      : null;
  const { unit, agree, pairs } = areaUnit(profile, measured);
  const typical = median(profile.numbers.filter(value => value !== null && value > 0) as number[]);
  if (pairs < 3) {
    if (said === null) return areSquareFeet(profile, typical);
    const plausible = said === 'acres' ? typical < 5000 : typical > 500;
    return plausible ? { support: 0.3, spec: { unit: said }, why: 'no measured area to compare with' } : null;
  }
  const why = `${Math.round(100 * agree)}% of the rows within 15% of the measured area`;
  if (agree >= 0.5) return { support: 0.9, spec: { unit }, why };
  if (agree >= 0.25 && unit === said) return { support: 0.5, spec: { unit }, why };
  return said === null ? null : { support: 0, doubt: 0.6, spec: { unit: said }, why: `only ${why}` };
}

/**
 * If the typical lot size is at or above this number, it can only be in square feet, because lot sizes in
 * acres are far smaller numbers.
 */
const MIN_SQUARE_FEET = 1_500;

/** Land sizes without a unit that can only be square feet. */
function areSquareFeet({ filled, numeric, ideas }: Profile, typical: number): Fit {
  const isLand = ideas.has('land') || ideas.has('lot') || ideas.has('stated') || ideas.has('legal');
  if (!isLand || numeric < 0.95 || filled.length < FEW || typical < MIN_SQUARE_FEET) return null;
  return {
    support: 0.5,
    spec: { unit: 'sqft' },
    why: `around ${Math.round(typical)}, too large to be acres`,
  };
}

/** Formats that the parser doesn't recognize. In numeric dates, the month is assumed to come first. */
const DATE_FORMATS = (
  'MM/DD/YY|M/D/YY|M-D-YY|M.D.YYYY|M.D.YY|MMDDYYYY|YYYY.M.D|MON D, YYYY|MON D YYYY|D MON YYYY|D MON, YYYY|' +
  'DD-MON-YYYY|DD-MON-YY|D-MON-YYYY|D-MON-YY|D/MON/YYYY|DDMONYYYY|MON-D-YYYY|YYYY-MON-D|MON YYYY|MON-YYYY|' +
  'MON-YY|MON, YYYY|D/M/YYYY|D.M.YYYY|D-M-YYYY|YYYYMM|YYYY-M|excel'
).split('|');

/** The format that nearly all of a column's cells match as dates, or null if there is none. */
export function fitDate(profile: Profile): Fit {
  const lastYear = new Date().getUTCFullYear() + 1;
  for (const date of [undefined, ...DATE_FORMATS]) {
    const parse = fieldParser('', { type: 'date', doc: '' }, { date, lastYear });
    const parsed = profile.filled.map(parse).filter(value => value !== null);
    const days = parsed.filter(value => !isFailure(value));
    if (days.length > 0 && days.length >= 0.95 * parsed.length)
      return { support: 0.6, ...(date && { spec: { date } }), why: `dates such as ${days[0]}` };
  }
  return null;
}

/** A column named LAND without a word for value may be the lot size. */
function isAreaOfLand(profile: Profile, measured: readonly (number | null)[]): boolean {
  if (!profile.ideas.has('land') || profile.ideas.has('value')) return false;
  const { agree, pairs } = areaUnit(profile, measured);
  return pairs >= 3 && agree >= 0.5;
}

/** Fits degrees in the United States, with decimals. Rows with shapes already have a location. */
function degreesFit(field: ParcelTarget, { numbers }: Profile, measured: readonly (number | null)[]): Fit {
  if (measured.some(acres => acres !== null)) return null;
  const isThere =
    field === 'latitude'
      ? (value: number) => value > -15 && value < 72
      : (value: number) => (value > -180 && value < -64) || (value > 144 && value < 180);
  const known = numbers.filter(value => value !== null && value !== 0) as number[];
  const exact = known.filter(value => isThere(value) && !Number.isInteger(value));
  if (known.length === 0 || exact.length < 0.9 * known.length) return null;
  return { support: 0.7, why: `degrees such as ${exact[0]}` };
}

/** How well a column's values fit a field that its name may mean. */
export function fitOf(field: ParcelTarget, profile: Profile, measured: readonly (number | null)[]): Fit {
  const { filled, serial } = profile;
  if (filled.length === 0) return null;
  if (serial) return field === 'apn' ? serialFit(profile) : null;
  const spec = PARCEL_SPECS[field];
  if (spec.type === 'date') return fitDate(profile);
  if (spec.type === 'degrees') return degreesFit(field, profile, measured);
  if (spec.type === 'text') return textFit(field, profile);
  const lastYear = new Date().getUTCFullYear() + 1;
  const parse = fieldParser(field, spec, { lastYear });
  const usable = filled.map(parse).filter(value => !isFailure(value));
  if (usable.length < 0.95 * filled.length || usable.every(value => value === null || value === 0))
    return null;
  return field === 'acres' ? acresFit(profile, measured) : valueFit(spec.type, profile, measured, lastYear);
}

/** How well a column's values fit a field that is not text. */
function valueFit(
  type: TargetSpec['type'],
  profile: Profile,
  measured: readonly (number | null)[],
  lastYear: number,
): Fit {
  const { filled, numbers } = profile;
  const typical = median(numbers.filter(value => value !== null && value > 0) as number[]);
  switch (type) {
    case 'money': {
      if (isAreaOfLand(profile, measured)) return null;
      const years = numbers.filter(value => value !== null && value >= 1800 && value <= lastYear).length;
      if (typical < 50 || years > 0.9 * filled.length) return null;
      return { support: 0.3, why: `amounts around ${Math.round(typical).toLocaleString('en-US')}` };
    }
    case 'year':
      return { support: 0.8, why: 'years' };
    case 'integer':
      return typical <= FEW ? { support: 0.4, why: 'small whole numbers' } : null;
    case 'number': {
      const isLand = areaUnit(profile, measured);
      if (typical < 100 || typical > 50_000 || (isLand.pairs >= 3 && isLand.agree >= 0.5)) return null;
      return { support: 0.4, why: `around ${Math.round(typical)} square feet` };
    }
    case 'boolean':
      return { support: 0.5, why: 'yes and no' };
    case 'state':
      return { support: 0.8, why: 'states' };
    case 'zip':
      return share(filled, /^\d{4,5}([- ]?\d{4})?$/) >= 0.9 ? { support: 0.7, why: 'ZIP codes' } : null;
    case 'fips':
      return filled.every(text => isKnownCounty(Number(text))) ? { support: 0.9, why: 'county codes' } : null;
    default:
      return null;
  }
}

function textFit(field: ParcelTarget, profile: Profile): Fit {
  const { filled, distinct } = profile;
  const withLetters = share(filled, /[A-Z]{2}/i);
  const length = averageLength(profile);
  switch (field) {
    case 'apn':
      return apnFit(profile);
    case 'owner_name':
    case 'owner_name_2':
    case 'seller_name': {
      if (withLetters < 0.9 || share(filled, HOUSE_AND_STREET) > 0.3 || share(filled, / /) < 0.4) return null;
      if (field === 'owner_name' && filled.length >= FEW && distinct / filled.length < 0.1) return null;
      return { support: share(filled, COMPANY) > 0.05 ? 0.6 : 0.4, why: 'names' };
    }
    case 'mail_address':
    case 'situs_address':
      return addressFit(field, profile, withLetters);
    case 'mail_city':
    case 'situs_city':
      if (withLetters < 0.98 || share(filled, /\d/) > 0.05 || length < 3.5) return null;
      return { support: repeats(profile, 0.7) ? 0.4 : 0.1, why: 'words that repeat' };
    case 'subdivision':
      return withLetters < 0.6 || length < 4 ? null : { support: 0.2, why: 'names' };
    case 'legal_description':
      if (withLetters < 0.6 || length < 5) return null;
      return { support: share(filled, LEGAL_WORD) >= 0.3 ? 0.5 : 0.1, why: 'descriptions' };
    case 'school_district':
      return repeats(profile, 0.3) ? { support: 0.4, why: `${distinct} different` } : null;
    default:
      return codeFit(profile);
  }
}

function apnFit(profile: Profile): Fit {
  const { filled, numbers, numeric, distinct } = profile;
  const decimal = numeric > 0.9 && numbers.some(value => value !== null && !Number.isInteger(value));
  // In a short table, a totals row could be a tenth of the rows.
  const keys = filled.filter(text => !isTotal(text.replaceAll(' ', '').toUpperCase()));
  const addresses = share(filled, HOUSE_AND_STREET);
  if (share(keys, /\d/) < 0.9 || averageLength(profile) < 3 || decimal || addresses > 0.5) return null;
  const why = `${distinct} different in ${filled.length} rows`;
  if (filled.length < 5) return { support: 0.3, why };
  const different = distinct / filled.length;
  return different >= 0.9 ? { support: 0.6, why } : different >= 0.7 ? { support: 0.2, why } : null;
}

/** Numbers that count up are the table's row ids, unless the name says that they are parcel numbers. */
function serialFit(profile: Profile): Fit {
  const fit = isParcelNumber(profile.name) ? apnFit(profile) : null;
  return fit && { ...fit, doubt: 0.85 };
}

function addressFit(field: 'mail_address' | 'situs_address', profile: Profile, withLetters: number): Fit {
  const { filled } = profile;
  const boxes = share(filled, BOX);
  const lines = share(filled, HOUSE_AND_STREET) + boxes;
  if (share(filled, CITY_STATE_ZIP) > 0.3 && field === 'mail_address') return null;
  if (field === 'situs_address' && boxes > 0.02) return null;
  if (withLetters < 0.7 || (lines < 0.15 && share(filled, / /) < 0.7)) return null;
  const why = `${Math.round(100 * lines)}% start like addresses`;
  // Among a hundred owners, a few have a PO box, so addresses without any PO box are situs addresses. Columns
  // with address parts are more reliable than parts split from a line.
  if (field === 'situs_address' && endInPlaces(profile))
    return lines > 0.5 ? { support: 0.6, doubt: 0.9, spec: { part: 'street' }, why } : null;
  if (field === 'situs_address' && lines > 0.5 && filled.length >= MANY && boxes === 0)
    return { support: 0.75, why };
  return { support: lines > 0.5 ? 0.6 : lines > 0.15 ? 0.3 : 0.1, why };
}

/** Codes: zoning, land use, and sales. */
function codeFit(profile: Profile): Fit {
  const { filled, numbers, numeric, distinct } = profile;
  const typical = median(numbers.filter(value => value !== null && value > 0) as number[]);
  const answers = filled.every(text => /^(y|yes|n|no|t|f|true|false|0)$/i.test(text));
  const ids = filled.length >= 5 && distinct === filled.length;
  const isLong = averageLength(profile) > 45;
  if (isLong || answers || ids || !repeats(profile, 0.5) || (numeric > 0.9 && typical > 99_999)) return null;
  return { support: filled.length < FEW ? 0.1 : 0.4, why: `${distinct} different` };
}
