import { SQ_M_PER_ACRE } from '../../../shared/geo/units.ts';
import type { FieldValue, ParcelField } from '../../../shared/model/parcel-fields.ts';
import { dayNumber, dayText } from './days.ts';
import type { ParcelShape } from './fabric.ts';
import { FIRST_NAMES, LAST_NAMES, STREET_KINDS, STREETS } from './names.ts';
import { hasPortfolio, makeOwner, type Owner, ownerOf } from './owners.ts';
import type { Place } from './places.ts';
import { between, createRandom, normal, pick, type Random, seedOf } from './random.ts';

export type RollContext = {
  seed: number;
  parcels: number;
  /** The county's ZIPs. */
  towns: readonly Place[];
  /** The roll's closing date. No date in it is later. */
  asOf: string;
};

export type ParcelRecord = Partial<Record<ParcelField, FieldValue>>;

const SALE_CODES = ['Q', 'Q', 'Q', 'U', 'M', 'F'];
const DEED_TYPES = ['WD', 'WD', 'WD', 'QCD', 'SWD', 'CON', 'TD'];
const FINANCING = ['CNV', 'CNV', 'CNV', 'FHA', 'VA', 'USDA'];
const LOAN_TYPES = ['FIX', 'FIX', 'FIX', 'ARM', 'HEL'];
/** First year with sales in the county's records. */
const FIRST_SALE_YEAR = 1985;

/**
 * What the assessor knows about a parcel. One in five is vacant: fewer in town, more among the large ones.
 */
export function describeParcel(context: RollContext, shape: ParcelShape, serial: number): ParcelRecord {
  const { seed, parcels, towns } = context;
  const random = createRandom(seedOf(seed, 21, serial));
  const number = ownerOf(random, serial, parcels);
  const owner = makeOwner(seed, number, hasPortfolio(number, parcels), towns);
  const acres = shape.areaSqM / SQ_M_PER_ACRE;
  const town = towns[(seedOf(seed, 22, shape.section) >>> 0) % towns.length]!;
  const vacant = isVacant(random, shape, owner, acres);
  const street = createRandom(seedOf(seed, 23, shape.section, shape.block));
  const address = `${(shape.block * 100 + shape.lot * 4) % 9900 || 1} ${pick(street, STREETS)} ${pick(street, STREET_KINDS)}`;
  const livesThere = !vacant && owner.kind === 'person' && !hasPortfolio(number, parcels) && random() < 0.8;
  return {
    apn: parcelNumber(shape),
    // One in thirty has no stated acreage. The others were measured by tape and rounded.
    acres: random() < 0.03 ? 0 : Number((acres * (1 + 0.02 * normal(random))).toFixed(acres < 1 ? 3 : 2)),
    owner_name: owner.name,
    owner_name_2: owner.name2,
    mail_address: livesThere ? address : owner.mailAddress,
    mail_city: livesThere ? town.city.toUpperCase() : owner.mailCity,
    mail_state: livesThere ? town.state : owner.mailState,
    mail_zip: livesThere ? town.zip : owner.mailZip,
    situs_address: vacant && random() < 0.5 ? null : address,
    situs_city: town.city.toUpperCase(),
    situs_state: town.state,
    situs_zip: town.zip,
    subdivision:
      acres < 1 && street() < 0.7
        ? `${pick(street, STREETS)} ${pick(street, ['HEIGHTS', 'ESTATES', 'PARK', 'ADD'])}`
        : null,
    ...landUse(random, owner, vacant, acres),
    school_district: `${towns[(shape.section >> 4) % towns.length]!.city.toUpperCase()} CSD`,
    ...valuesAndBuilding(context, random, shape, vacant, acres),
    ...taxes(context, random),
    ...lastSale(context, random, owner, acres, vacant),
    owner_occupied: livesThere,
    vacant,
  };
}

/**
 * Section, block, and lot, as the county prints them. The last group distinguishes the parts of a lot that
 * was split later.
 */
export function parcelNumber({ section, block, lot }: ParcelShape): string {
  const digits = (value: number, width: number) => String(value).padStart(width, '0');
  return `${digits(section, 5)}-${digits(block, 2)}-${digits(lot, 3)}-000`;
}

function isVacant(random: Random, shape: ParcelShape, owner: Owner, acres: number): boolean {
  if (shape.kind === 'island' || owner.kind === 'public' || owner.kind === 'hoa') return true;
  return random() < (acres > 10 ? 0.55 : acres > 1 ? 0.3 : 0.12);
}

function landUse(random: Random, { kind }: Owner, vacant: boolean, acres: number) {
  if (kind === 'public') return { zoning_code: 'P', land_use_code: 'EXEMPT' };
  if (acres > 10) return { zoning_code: 'AG', land_use_code: vacant ? 'AG LAND' : 'AG DWELLING' };
  const isShop = random() < (kind === 'company' ? 0.2 : 0.03);
  if (isShop)
    return {
      zoning_code: pick(random, ['C1', 'C2', 'M1']),
      land_use_code: vacant ? 'COM VACANT' : 'COMMERCIAL',
    };
  return {
    zoning_code: acres < 0.25 ? 'R2' : acres < 1 ? 'R1' : 'RR',
    land_use_code: vacant ? 'RES VACANT' : 'RESIDENTIAL',
  };
}

function valuesAndBuilding(
  { seed, asOf }: RollContext,
  random: Random,
  shape: ParcelShape,
  vacant: boolean,
  acres: number,
) {
  const location = Math.exp(0.4 * normal(createRandom(seedOf(seed, 24, shape.section))));
  const land =
    Math.round((26_000 * Math.max(acres, 0.02) ** 0.62 * location * Math.exp(0.12 * normal(random))) / 10) *
    10;
  const sqft = vacant ? null : Math.round(Math.exp(Math.log(1_650) + 0.4 * normal(random)));
  const built = vacant
    ? null
    : Math.min(Number(asOf.slice(0, 4)) - 1, Math.round(1984 + 24 * normal(random)));
  const building =
    sqft === null || built === null
      ? 0
      : Math.round((sqft * 95 * Math.max(0.3, (built - 1900) / 100)) / 10) * 10;
  return {
    structure_count: vacant ? 0 : random() < 0.8 ? 1 : between(random, 2, 4),
    building_sqft: sqft,
    year_built: built === null ? null : Math.max(1860, built),
    assessed_total_value: Math.round(0.9 * (land + building)),
    assessed_land_value: Math.round(0.9 * land),
    assessed_improvement_value: Math.round(0.9 * (land + building)) - Math.round(0.9 * land),
    market_total_value: land + building,
    market_land_value: land,
    market_improvement_value: building,
  };
}

function taxes({ asOf }: RollContext, random: Random) {
  const isLate = random() < 0.03;
  return {
    tax_delinquent: isLate,
    tax_delinquent_year: isLate ? Number(asOf.slice(0, 4)) - between(random, 1, 6) : null,
  };
}

function lastSale({ asOf }: RollContext, random: Random, owner: Owner, acres: number, vacant: boolean) {
  if (random() < 0.12) return NO_SALE;
  const today = dayNumber(asOf);
  const first = dayNumber(`${FIRST_SALE_YEAR}-01-01`);
  // Recent sales are more common.
  const day = today - Math.floor((today - first) * random() ** 1.8);
  const withinFamily = owner.kind === 'person' && random() < 0.08;
  const worth =
    (22_000 * Math.max(acres, 0.02) ** 0.6 + (vacant ? 0 : 150_000)) * 1.03 ** ((day - today) / 365);
  const price = withinFamily
    ? pick(random, [0, 1, 10])
    : Math.round((worth * Math.exp(0.3 * normal(random))) / 500) * 500;
  const isMortgaged = !vacant && !withinFamily && random() < 0.55;
  return {
    last_sale_date: dayText(day),
    last_sale_price: price,
    sale_price_code: price < 100 ? 'N' : pick(random, SALE_CODES),
    seller_name: `${pick(random, LAST_NAMES)}, ${pick(random, FIRST_NAMES)}`,
    document_type_code: withinFamily ? 'QCD' : pick(random, DEED_TYPES),
    inter_family_transfer: withinFamily,
    mortgage_amount: isMortgaged ? Math.round((price * (0.5 + 0.45 * random())) / 100) * 100 : null,
    mortgage_date: isMortgaged ? dayText(Math.min(today, day + between(random, 0, 14))) : null,
    mortgage_financing_type_code: isMortgaged ? pick(random, FINANCING) : null,
    mortgage_loan_type_code: isMortgaged ? pick(random, LOAN_TYPES) : null,
    mortgage_interest_rate: isMortgaged ? between(random, 20, 64) / 8 : null,
  };
}

const NO_SALE = {
  last_sale_date: null,
  last_sale_price: null,
  sale_price_code: null,
  seller_name: null,
  document_type_code: null,
  inter_family_transfer: null,
  mortgage_amount: null,
  mortgage_date: null,
  mortgage_financing_type_code: null,
  mortgage_loan_type_code: null,
  mortgage_interest_rate: null,
};
