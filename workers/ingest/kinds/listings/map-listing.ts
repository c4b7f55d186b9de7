import { LISTING_FIELD_NAMES } from '../../../../shared/model/listing-fields.ts';
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
import { dropContradictions } from './listing-faults.ts';
import { LISTING_ROWS, type ListingInput } from './listings-feed.ts';

/** As a parcel's, or a list of texts for `photos`. */
export type ListingValue = Value;

const AT = positionsOf(LISTING_FIELD_NAMES);

/** Rejects rows without a usable source_id, status, or price of the status. Other bad values become null. */
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

function regionOf(former: number, values: readonly ListingValue[]): number | null {
  const [lon, lat] = [values[AT.longitude], values[AT.latitude]];
  const point = typeof lon === 'number' && typeof lat === 'number' ? ([lon, lat] as const) : null;
  return planningRegion(former, values[AT.city] as string | null, point);
}

/** Why a listing cannot be stored. A value that did not parse is reported rather than one that is missing. */
function unusable(
  values: readonly ListingValue[],
  dropped: readonly DroppedValue[] | null,
): RejectedRow | null {
  const price = values[AT.status] === 'SOLD' ? 'sold_price' : 'list_price';
  for (const field of ['source_id', 'status', price] as const) {
    if (values[AT[field]] !== null) continue;
    const cause = dropped?.find(value => value.field === field);
    if (cause) return rejectRow(field, cause.reason, cause.message);
    if (field !== price) return rejectRow(field, `missing_${field}`, `${field} is empty`);
  }
  return null;
}
