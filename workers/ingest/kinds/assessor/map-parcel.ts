import type { Geometry } from 'geojson';
import { boxOfGeometry } from '../../../../shared/geo/box.ts';
import { type FieldValue, PARCEL_FIELD_NAMES } from '../../../../shared/model/parcel-fields.ts';
import { isFormerCounty, planningRegion } from '../../../../shared/regions/connecticut.ts';
import { fiveDigits } from '../../../../shared/regions/counties.ts';
import type { Sales } from '../../../feeds/feed.ts';
import { fieldTarget } from '../../../feeds/feed-columns.ts';
import { isTotal } from '../../../feeds/values/key-value.ts';
import { ambiguousRegion, isKnownCounty, noSuchCounty } from '../../../feeds/values/place-value.ts';
import { displayValue, isFailure } from '../../../feeds/values/text-value.ts';
import { MAX_IDENTIFIER } from '../../../feeds/values/value-parser.ts';
import type { SourceRow } from '../../../formats/row-batch.ts';
import { type CompiledColumn, compileColumn } from '../../engine/map-column.ts';
import {
  compileFill,
  compileKey,
  compileKeyCheck,
  type DroppedValue,
  keyColumns,
  type MappedRow,
  type Mapper,
  mapperOf,
  positionsOf,
  type RejectedRow,
  rejectRow,
  TOTAL_LINE,
} from '../../engine/map-fields.ts';
import type { Resolve } from '../../engine/source-columns.ts';
import { compileSales, type MappedSales, saleMentions } from '../listings/map-sale.ts';
import { PARCEL_ROWS, type ParcelInput } from './assessor-feed.ts';

export type MappedParcel = Omit<MappedRow, 'values'> &
  MappedSales & { key: string; fips: number; values: FieldValue[] };

/** Rows without a key or with a wrong county are rejected. Other bad values become null and are reported. */
export function compileParcelMapper(
  input: Pick<ParcelInput, 'key' | 'columns' | 'skipWhere'>,
  { fips: feedFips, sales = null }: { fips: number | null; sales?: Sales | null },
): Mapper<MappedParcel> {
  const { key, columns } = input;
  const compile = (resolve: Resolve) => {
    const fill = compileFill(PARCEL_ROWS, columns, resolve);
    const fipsTarget = fieldTarget(PARCEL_ROWS, 'fips');
    const countyOf = compileCounty(
      feedFips,
      columns.fips ? compileColumn(fipsTarget, columns.fips, resolve) : null,
    );
    const pointOf = compilePoint(columns, resolve);
    const keyOf = compileKey(key, resolve);
    const noKey = rejectRow('key', 'missing_key', `no key, because ${keyColumns(key).join(', ')} is empty`);
    const damageIn = compileKeyCheck(key, resolve);
    const longKey = rejectRow('key', 'key_too_long', `the key has more than ${MAX_IDENTIFIER} characters`);
    const salesOf = compileSales(sales, columns.last_sale_date, resolve);

    return (row: SourceRow): MappedParcel | RejectedRow => {
      const { values: source } = row;
      const identifier = keyOf(source);
      if (identifier === null) return noKey;
      if (identifier.length > MAX_IDENTIFIER) return longKey;
      if (isTotal(identifier)) return TOTAL_LINE;
      const damaged = damageIn(source, identifier);
      if (damaged) return damaged;
      const county = countyOf(source);
      if (typeof county === 'object') return county;
      const { values, dropped: faults } = fill(source) as MappedRow & { values: FieldValue[] };
      let dropped = faults;
      if (pointOf !== null && row.geometry === null) {
        const placed = pointOf(source);
        // Code downstream reads it as the row's shape.
        row.geometry = placed.point;
        if (placed.fault) dropped = [...(faults ?? []), placed.fault];
      }
      const town = values[AT.situs_city] as string | null;
      const fips = isFormerCounty(county) ? regionOf(county, feedFips, town, row.geometry) : county;
      if (typeof fips === 'object') return fips;
      const { sale, deed, prior } = salesOf(source, values[AT.last_sale_date]!, values[AT.last_sale_price]!);
      return { ok: true, key: identifier, fips, values, sale, deed, prior, dropped };
    };
  };
  return mapperOf(input, compile, [
    ...keyColumns(key).map(column => ({ where: 'key', column, optional: false })),
    ...(sales ? saleMentions(sales) : []),
  ]);
}

type Placed = { point: Geometry | null; fault: DroppedValue | null };

/** The location in a row's longitude and latitude columns, or null if it has none. */
function compilePoint(
  columns: ParcelInput['columns'],
  resolve: Resolve,
): ((source: SourceRow['values']) => Placed) | null {
  const [longitude, latitude] = (['longitude', 'latitude'] as const).map(name => {
    const spec = columns[name];
    return spec ? compileColumn(fieldTarget(PARCEL_ROWS, name), spec, resolve) : null;
  });
  if (!longitude || !latitude) return null;
  return source => {
    const [lon, lat] = [longitude.read(source), latitude.read(source)];
    if (typeof lon === 'number' && typeof lat === 'number')
      return { point: { type: 'Point', coordinates: [lon, lat] }, fault: null };
    const [at, column] = isFailure(lon) ? [lon, longitude] : [lat, latitude];
    if (!isFailure(at)) return { point: null, fault: null };
    const message = `'${displayValue(column.raw(source))}' ${at.says}`;
    return { point: null, fault: { field: 'location', reason: at.reason, message } };
  };
}

/** Only rolls with both date and price provide sales. */
export const showsSales = ({ columns }: ParcelInput): boolean =>
  columns.last_sale_date !== undefined && columns.last_sale_price !== undefined;

const AT = positionsOf(PARCEL_FIELD_NAMES);

/**
 * The county of the feed or the row. Rejects rows whose county is missing, unknown, or different from the
 * feed's.
 */
function compileCounty(
  feedFips: number | null,
  column: CompiledColumn | null,
): (source: Record<string, unknown>) => number | RejectedRow {
  const isPlace = (fips: number) => isKnownCounty(fips) || isFormerCounty(fips);
  if (feedFips !== null && !isPlace(feedFips)) {
    const fault = rejectRow('fips', 'unknown_fips', noSuchCounty(feedFips));
    return () => fault;
  }
  const missing = rejectRow('fips', 'missing_fips', 'the row has no county');
  if (column === null) return () => feedFips ?? missing;
  return source => {
    const fips = column.read(source);
    if (fips === null) return feedFips ?? missing;
    if (isFailure(fips))
      return rejectRow('fips', 'unknown_fips', `'${displayValue(column.raw(source))}' ${fips.says}`);
    const code = Number(fips);
    if (code === feedFips) return code;
    if (feedFips !== null && !isFormerCounty(code)) return wrongCounty(code, feedFips);
    return isPlace(code) ? code : rejectRow('fips', 'unknown_fips', noSuchCounty(code));
  };
}

const wrongCounty = (fips: number, feedFips: number): RejectedRow =>
  rejectRow('fips', 'wrong_fips', `${fiveDigits(fips)} is not the feed's county ${fiveDigits(feedFips)}`);

/**
 * The planning region for a former Connecticut county, determined by the town or by the center of the
 * geometry.
 */
function regionOf(
  former: number,
  feedFips: number | null,
  town: string | null,
  geometry: Geometry | null,
): number | RejectedRow {
  const box = boxOfGeometry(geometry);
  const point = box && ([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2] as const);
  const region = planningRegion(former, town, point);
  if (region === null) return rejectRow('fips', 'former_county', ambiguousRegion(former));
  if (feedFips !== null && !isFormerCounty(feedFips) && region !== feedFips)
    return wrongCounty(region, feedFips);
  return region;
}
