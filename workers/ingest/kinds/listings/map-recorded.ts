import type { Geometry } from 'geojson';
import { boxOfGeometry } from '../../../../shared/geo/box.ts';
import { type Fault, isUnreadable } from '../../../../shared/geo/geometry-checks.ts';
import { prepareBoundary } from '../../../../shared/geo/prepare-geometry.ts';
import { LISTING_FIELD_NAMES } from '../../../../shared/model/listing-fields.ts';
import type { FieldValue } from '../../../../shared/model/parcel-fields.ts';
import { formerCounty, isFormerCounty, planningRegion } from '../../../../shared/regions/connecticut.ts';
import { countyByName } from '../../../../shared/regions/county-names.ts';
import { isTotal } from '../../../feeds/values/key-value.ts';
import { isKnownCounty, noSuchCounty } from '../../../feeds/values/place-value.ts';
import {
  compileFill,
  type MappedRow,
  type Mapper,
  mapperOf,
  positionsOf,
  rejectRow,
} from '../../engine/map-fields.ts';
import { compileKey, compileKeyCheck, keyColumns, TOTAL_LINE } from '../../engine/map-key.ts';
import { LISTING_ROWS, type ListingInput, type RecordedInput } from './listings-feed.ts';
import { compileSales, type MappedSales, saleMentions } from './map-sale.ts';

/** A row of a sales file: the sold parcel, with the date, price, and deed of the sale. */
export type RecordedSale = MappedRow & MappedSales & { key: string; fips: number };

const AT = positionsOf(LISTING_FIELD_NAMES);
const SKIPPED = rejectRow('fips', 'skipped', 'from another county, or not a sale');

/** Rows of other counties and rows without a sale date are skipped. */
export function compileRecordedMapper(
  { columns, skipWhere, fips: feedFips }: ListingInput,
  { key, sales }: RecordedInput,
): Mapper<RecordedSale> {
  return mapperOf(
    { columns, skipWhere },
    resolve => {
      const fill = compileFill(LISTING_ROWS, columns, resolve);
      const keyOf = compileKey(key, resolve);
      const damageIn = compileKeyCheck(key, resolve);
      const salesOf = compileSales(sales, columns.sold_date, resolve);
      return ({ values: source, geometry }) => {
        const filled = fill(source);
        const { values } = filled;
        const row = withoutShape(filled, geometry);
        const box = boxOfGeometry(geometry);
        if (box && values[AT.latitude] === null) {
          values[AT.longitude] = (box[0] + box[2]) / 2;
          values[AT.latitude] = (box[1] + box[3]) / 2;
        }
        const county = countyOf(values as FieldValue[]) ?? feedFips;
        if (county === null) return rejectRow('fips', 'missing_fips', 'the row has no county');
        if (feedFips !== null && county !== feedFips) return SKIPPED;
        if (!isKnownCounty(county)) return rejectRow('fips', 'unknown_fips', noSuchCounty(county));
        const parcel = keyOf(source);
        if (parcel === null)
          return rejectRow('key', 'missing_key', `no key, because ${keyColumns(key).join(', ')} is empty`);
        if (isTotal(parcel)) return TOTAL_LINE;
        const damaged = damageIn(source, parcel);
        if (damaged) return damaged;
        const [day, price] = [values[AT.sold_date] as FieldValue, values[AT.sold_price] as FieldValue];
        const mappedSales = salesOf(source, day, price);
        if (day === null && mappedSales.prior === null) return SKIPPED;
        return { ...row, ...mappedSales, key: parcel, fips: county };
      };
    },
    [...keyColumns(key).map(column => ({ where: 'key', column, optional: false })), ...saleMentions(sales)],
  );
}

function withoutShape(row: MappedRow, geometry: Geometry | null): MappedRow {
  if (!isUnreadable(geometry)) return row;
  const { reason, message } = prepareBoundary(geometry) as Fault;
  return {
    ...row,
    dropped: [...(row.dropped ?? []), { field: 'geometry', reason: `geometry_${reason}`, message }],
  };
}

/** By its code, or else by its name. A town in Connecticut shows its planning region. */
function countyOf(values: readonly FieldValue[]): number | null {
  const text = (field: 'county' | 'city' | 'state') => (values[AT[field]] ?? '') as string;
  const [lon, lat] = [values[AT.longitude], values[AT.latitude]];
  const point = typeof lon === 'number' && typeof lat === 'number' ? ([lon, lat] as const) : null;
  const state = text('state');
  const value = values[AT.fips];
  const code =
    typeof value === 'number'
      ? value
      : (countyByName(text('county'), state) ?? formerCounty(text('county'), state));
  return code !== null && isFormerCounty(code) ? planningRegion(code, text('city'), point) : code;
}
