import { shortApn, titleCase } from '../../../shared/model/roll-text.ts';
import { listResultFigures, type ResultFigures } from '../../../shared/parcels/map-statements.ts';
import type { ParcelSummary } from '../../v1/common/parcel-summary.ts';
import type { Visit } from '../frame/visit.ts';
import type { Filters } from '../parts/read-filters.ts';

export type ResultRow = ParcelSummary &
  Partial<ResultFigures> & { /** The color of the result on the map. */ swatch?: string | undefined };

/** Adds estimates, last sales, and owners' cities to results. */
export async function readRows(
  { deps }: Visit,
  results: readonly ParcelSummary[],
): Promise<readonly ResultRow[]> {
  if (results.length === 0) return [];
  const rows = await listResultFigures(deps.db, {
    property_ids: results.map(({ property_id }) => property_id),
    counties: [...new Set(results.map(({ fips }) => Number(fips)))],
  });
  const byId = new Map(rows.map(row => [row.property_id, row]));
  // Spreading this many properties would take longer than rendering the row.
  return results.map(parcel => Object.assign(parcel, byId.get(parcel.property_id)));
}

export function nameOf({ situs_address, apn, property_id }: ParcelSummary): string {
  if (situs_address) return titleCase(situs_address);
  return apn === null ? `Parcel ${property_id}` : `APN ${shortApn(apn)}`;
}

/** The city of the owner's mailing address, such as `Norwalk, CT`. */
export const mailPlaceOf = ({ mail_city, mail_state }: ResultRow): string =>
  [mail_city && titleCase(mail_city), mail_state].filter(Boolean).join(', ');

const FLAGS = [
  { field: 'vacant', words: 'Vacant', kind: '', filter: 'vacant_only' },
  { field: 'out_of_state_owner', words: 'Out of state', kind: 'info', filter: 'out_of_state_owner' },
  { field: 'corporate_owner', words: 'Company', kind: '', filter: '' },
  { field: 'waterfront', words: 'Waterfront', kind: 'info', filter: 'waterfront' },
  { field: 'landlocked', words: 'Landlocked', kind: 'warn', filter: 'only_landlocked' },
  { field: 'tax_delinquent', words: 'Tax delinquent', kind: 'bad', filter: 'tax_delinquent' },
] as const;

/** A parcel's flags, except those that the filters require of every result. */
export const flagsOf = (row: ResultRow, filters: Filters) =>
  FLAGS.filter(({ field, filter }) => row[field] === true && filters[filter] !== true);
