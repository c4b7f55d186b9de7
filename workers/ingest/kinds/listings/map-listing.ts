import { LISTING_FIELD_NAMES, type ListingField } from '../../../../shared/model/listing-fields.ts';
import { isFormerCounty, planningRegion } from '../../../../shared/regions/connecticut.ts';
import { ambiguousRegion, isKnownCounty, noSuchCounty } from '../../../feeds/values/place-value.ts';
import type { Value } from '../../../feeds/values/value-parser.ts';
import {
  compileFill,
  type DroppedValue,
  type MappedRow,
  type Mapper,
  mapperOf,
  positionsOf,
  type RejectedRow,
  rejectRow,
} from '../../engine/map-fields.ts';
import { LISTING_ROWS, type ListingInput } from './listings-feed.ts';

const AT = positionsOf(LISTING_FIELD_NAMES);

/**
 * Rejects rows without a usable source_id, status, or the price that the status requires. Other bad values
 * become null.
 */
export function compileListingMapper(input: ListingInput): Mapper<MappedRow> {
  return mapperOf(input, resolve => {
    const fill = compileFill(LISTING_ROWS, input.columns, resolve);
    return ({ values: source }) => {
      const mapped = fill(source);
      const { values } = mapped;
      const fault = unusable(values, mapped.dropped);
      if (fault) return fault;
      const contradictions = dropContradictions(values);
      const row =
        contradictions.length === 0
          ? mapped
          : { ...mapped, dropped: [...(mapped.dropped ?? []), ...contradictions] };
      values[AT.source] ??= input.label;
      values[AT.fips] ??= input.fips;
      const fips = values[AT.fips];
      if (typeof fips !== 'number' || isKnownCounty(fips)) return row;
      const isFormer = isFormerCounty(fips);
      values[AT.fips] = isFormer ? regionOf(fips, values) : null;
      if (values[AT.fips] !== null) return row;
      const drop = isFormer
        ? { field: 'fips', reason: 'former_county', message: ambiguousRegion(fips) }
        : { field: 'fips', reason: 'unknown_fips', message: noSuchCounty(fips) };
      return { ...row, dropped: [...(row.dropped ?? []), drop] };
    };
  });
}

function regionOf(former: number, values: readonly Value[]): number | null {
  const [lon, lat] = [values[AT.longitude], values[AT.latitude]];
  const point = typeof lon === 'number' && typeof lat === 'number' ? ([lon, lat] as const) : null;
  return planningRegion(former, values[AT.city] as string | null, point);
}

/**
 * Why a listing can't be stored. Reports a field as invalid rather than missing if it had an unusable value.
 */
function unusable(values: readonly Value[], dropped: readonly DroppedValue[] | null): RejectedRow | null {
  const price = values[AT.status] === 'SOLD' ? 'sold_price' : 'list_price';
  for (const field of ['source_id', 'status', price] as const) {
    if (values[AT[field]] !== null) continue;
    const cause = dropped?.find(value => value.field === field);
    if (cause) return rejectRow(field, cause.reason, cause.message);
    if (field !== price) return rejectRow(field, `missing_${field}`, `${field} is empty`);
  }
  return null;
}

/** With fewer sales at exactly the list price, the prices may be equal by chance. */
export const MIN_OVERWRITTEN = 5;

/** Lots of at least this size are ranches, or their size is in square feet. */
const MIN_RANCH_ACRES = 1_000;
/**
 * Even desert land in the West sells for more than this per acre, so a lower price means that the size is in
 * square feet. This doesn't apply to nominal prices.
 */
const MIN_USD_PER_ACRE = 100;
const MIN_PRICE = 1_000;

/** The United States, including its islands, as ranges of longitude and latitude. */
const isInUnitedStates = (lon: number, lat: number): boolean =>
  lat > -15 && lat < 72 && (lon < -64 || lon > 144);

/** Drops sizes in square feet, listing dates after the sale, and locations outside the United States. */
function dropContradictions(values: Value[]): DroppedValue[] {
  const number = (field: ListingField) => values[AT[field]] as number | null;
  const day = (field: ListingField) => values[AT[field]] as string | null;
  const drop = (field: ListingField, reason: string, message: string): DroppedValue => {
    values[AT[field]] = null;
    return { field, reason, message };
  };
  const dropped: DroppedValue[] = [];

  const price = number(values[AT.status] === 'SOLD' ? 'sold_price' : 'list_price') ?? number('list_price');
  const size = number('lot_acres');
  if (size !== null && price !== null && size >= MIN_RANCH_ACRES && price >= MIN_PRICE)
    if (price / size < MIN_USD_PER_ACRE)
      dropped.push(
        drop(
          'lot_acres',
          'square_feet',
          `'${size}' acres for $${price} looks like square feet; set unit: sqft`,
        ),
      );

  const [listed, sold] = [day('listed_date'), day('sold_date')];
  if (values[AT.status] === 'SOLD' && listed !== null && sold !== null && listed > sold)
    dropped.push(drop('listed_date', 'after_sale', `listed on ${listed}, after the sale on ${sold}`));

  const [lon, lat] = [number('longitude'), number('latitude')];
  if (lon !== null && lat !== null && !isInUnitedStates(lon, lat)) {
    const message = `longitude ${lon}, latitude ${lat} is outside the United States; check the sign`;
    dropped.push(drop('longitude', 'outside', message));
    values[AT.latitude] = null;
  }
  return dropped;
}
