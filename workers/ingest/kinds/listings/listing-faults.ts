import { LISTING_FIELD_NAMES, type ListingField } from '../../../../shared/model/listing-fields.ts';
import type { Value } from '../../../feeds/values/value-parser.ts';
import { type DroppedValue, positionsOf } from '../../engine/map-fields.ts';

const AT = positionsOf(LISTING_FIELD_NAMES);

/** Fewer sales at the asking price may be chance. */
export const MIN_OVERWRITTEN = 5;

/** Lots from this size on are ranches. */
const MIN_RANCH_ACRES = 1_000;
/** Desert land in the West sells for more, in dollars per acre. Nominal prices say nothing. */
const MIN_USD_PER_ACRE = 100;
const MIN_PRICE = 1_000;

/** The United States with its islands, as ranges of longitude and latitude. */
const isInUnitedStates = (lon: number, lat: number): boolean =>
  lat > -15 && lat < 72 && (lon < -64 || lon > 144);

/** Drops sizes in square feet, listing days after the sale, and places outside the United States. */
export function dropContradictions(values: Value[]): DroppedValue[] {
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
          `'${size}' acres for $${price} look like square feet: set unit: sqft`,
        ),
      );

  const [listed, sold] = [day('listed_date'), day('sold_date')];
  if (values[AT.status] === 'SOLD' && listed !== null && sold !== null && listed > sold)
    dropped.push(drop('listed_date', 'after_sale', `listed on ${listed}, after the sale on ${sold}`));

  const [lon, lat] = [number('longitude'), number('latitude')];
  if (lon !== null && lat !== null && !isInUnitedStates(lon, lat)) {
    const message = `longitude ${lon}, latitude ${lat} is outside the United States: is its sign right?`;
    dropped.push(drop('longitude', 'outside', message));
    values[AT.latitude] = null;
  }
  return dropped;
}
