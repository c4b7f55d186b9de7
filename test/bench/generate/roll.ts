import type { FieldValue, ParcelField } from '../../../shared/model/parcel-fields.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { fiveDigits } from '../../../shared/regions/counties.ts';
import { describeParcel, type ParcelRecord, type RollContext } from './attributes.ts';
import { writeText } from './chunks.ts';
import { type FlatRing, fabric, type ParcelShape } from './fabric.ts';
import { allPlaces, countyRectangle } from './places.ts';

export type RollOptions = {
  parcels: number;
  seed: number;
  /** The county that the parcels are in. Default: 19153 (Polk, Iowa), which is nearly a rectangle. */
  fips?: number;
  /** Closing date of the roll, 'YYYY-MM-DD'. Default: 2025-01-01. */
  asOf?: string;
};

export const DEFAULT_COUNTY = 19153;

/** The column that identifies a parcel from year to year. */
export const KEY_COLUMN = 'PIN';

/** The county column in a statewide roll. */
export const COUNTY_COLUMN = 'COFIPS';

/**
 * The roll's columns, with the short names that dBASE forced on county rolls. The key is the parcel number
 * without its dashes.
 */
export const ROLL_COLUMNS = {
  apn: 'PARCELNO',
  acres: 'ACRES',
  owner_name: 'OWNER1',
  owner_name_2: 'OWNER2',
  mail_address: 'MAILADDR',
  mail_city: 'MAILCITY',
  mail_state: 'MAILST',
  mail_zip: 'MAILZIP',
  situs_address: 'SITEADDR',
  situs_city: 'SITECITY',
  situs_state: 'SITEST',
  situs_zip: 'SITEZIP',
  subdivision: 'SUBDIV',
  zoning_code: 'ZONE',
  land_use_code: 'LUSE',
  school_district: 'SCHOOL',
  structure_count: 'BLDGS',
  building_sqft: 'SQFT',
  year_built: 'YRBLT',
  assessed_total_value: 'AVTOT',
  assessed_land_value: 'AVLAND',
  assessed_improvement_value: 'AVIMP',
  market_total_value: 'MVTOT',
  market_land_value: 'MVLAND',
  market_improvement_value: 'MVIMP',
  tax_delinquent: 'DELINQ',
  tax_delinquent_year: 'DELINQYR',
  last_sale_date: 'SALEDT',
  last_sale_price: 'SALEAMT',
  sale_price_code: 'SALECD',
  seller_name: 'SELLER',
  document_type_code: 'DEED',
  inter_family_transfer: 'FAMILY',
  mortgage_amount: 'MTGAMT',
  mortgage_date: 'MTGDT',
  mortgage_financing_type_code: 'MTGFIN',
  mortgage_loan_type_code: 'MTGLOAN',
  mortgage_interest_rate: 'MTGRATE',
  owner_occupied: 'HOMESTD',
  vacant: 'VACANT',
} as const satisfies Partial<Record<ParcelField, string>>;
export const ROLL_FIELDS = Object.keys(ROLL_COLUMNS) as (keyof typeof ROLL_COLUMNS)[];

export type GeneratedParcel = { key: string; record: ParcelRecord; shape: ParcelShape };

/** Generates a roll's parcels, section by section. The same options always give the same parcels. */
export function* generateParcels(options: RollOptions): Generator<GeneratedParcel> {
  const { parcels, seed, fips = DEFAULT_COUNTY, asOf = '2025-01-01' } = options;
  const towns = allPlaces().filter(place => place.fips === fips);
  if (towns.length === 0)
    throw new PlatError('generate', `There is no county ${fips}. Name a county by its FIPS code.`);
  const context: RollContext = { seed, parcels, towns, asOf };
  let serial = 0;
  for (const section of fabric({ count: parcels, seed, extent: countyRectangle(fips) })) {
    for (const shape of section.parcels) {
      const record = describeParcel(context, shape, serial);
      yield { key: keyOf(record.apn), record, shape };
      serial++;
    }
  }
}

function keyOf(apn: FieldValue | undefined): string {
  return String(apn).replaceAll('-', '');
}

/**
 * Writes a roll as newline-delimited GeoJSON, which takes about 960 bytes per parcel. Memory use does not
 * grow with the roll.
 */
export async function writeRoll(file: string, options: RollOptions): Promise<void> {
  await writeText(file, lines(options));
}

/**
 * Writes one roll for the counties of a state, one county after the other, with the parcels divided evenly.
 * @returns the number of parcels
 */
export async function writeStateRoll(file: string, state: string, options: RollOptions): Promise<number> {
  const counties = [...new Set(allPlaces().flatMap(place => (place.state === state ? [place.fips] : [])))];
  const parcels = Math.ceil(options.parcels / counties.length);
  await writeText(
    file,
    (function* () {
      for (const fips of counties) yield* lines({ ...options, fips, parcels });
    })(),
  );
  return parcels * counties.length;
}

function* lines(options: RollOptions): Generator<string> {
  for (const parcel of generateParcels(options)) yield `${feature(parcel, options.fips ?? DEFAULT_COUNTY)}\n`;
}

const PREFIXES = ROLL_FIELDS.map(field => [field, `,"${ROLL_COLUMNS[field]}":`] as const);

/** A feature's text. Columns without a value are omitted, which GDAL can also do to keep files small. */
function feature({ key, record, shape }: GeneratedParcel, fips: number): string {
  let text = `{"type":"Feature","properties":{"${KEY_COLUMN}":"${key}","${COUNTY_COLUMN}":"${fiveDigits(fips)}"`;
  for (const [field, prefix] of PREFIXES) {
    const value = record[field] ?? null;
    if (value === null) continue;
    if (typeof value === 'string') text += prefix + JSON.stringify(value);
    else if (typeof value === 'boolean') text += value ? `${prefix}"Y"` : `${prefix}"N"`;
    else text += prefix + value;
  }
  return `${text}},"geometry":${geometryText(shape.polygons)}}`;
}

function geometryText(polygons: FlatRing[][]): string {
  const parts = polygons.map(polygon => `[${polygon.map(ringText).join(',')}]`);
  return parts.length === 1
    ? `{"type":"Polygon","coordinates":${parts[0]}}`
    : `{"type":"MultiPolygon","coordinates":[${parts.join(',')}]}`;
}

function ringText(ring: FlatRing): string {
  let text = '[';
  for (let i = 0; i < ring.length; i += 2) text += `[${degreesText(ring[i]!)},${degreesText(ring[i + 1]!)}],`;
  return `${text}[${degreesText(ring[0]!)},${degreesText(ring[1]!)}]]`;
}

/** Formats integers of 1e-7 degree as decimals without converting them to floating point. */
function degreesText(value: number): string {
  const size = Math.abs(value);
  const whole = Math.floor(size / 1e7);
  const rest = String(size - whole * 1e7).padStart(7, '0');
  return `${value < 0 ? '-' : ''}${whole}.${rest}`;
}
