import { shortApn, titleCase } from '../../../shared/model/roll-text.ts';
import { listResultFigures, type ResultFigures } from '../../../shared/parcels/map-statements.ts';
import type { ParcelSummary } from '../../v1/common/parcel-summary.ts';
import type { Visit } from '../frame/visit.ts';
import type { Filters } from '../parts/read-filters.ts';

export type ResultRow = ParcelSummary &
  Partial<ResultFigures> & { /** Its color on the map. */ swatch?: string | undefined };

/** Adds what parcels are worth, when they were sold and where their owners live. */
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
  // No spread: of that many properties it takes longer than the row's markup.
  return results.map(parcel => Object.assign(parcel, byId.get(parcel.property_id)));
}

export function nameOf({ situs_address, apn, property_id }: ParcelSummary): string {
  if (situs_address) return titleCase(situs_address);
  return apn === null ? `Parcel ${property_id}` : `APN ${shortApn(apn)}`;
}

/** Where the owner gets mail: `Norwalk, CT`. */
export const mailPlaceOf = ({ mail_city, mail_state }: ResultRow): string =>
  [mail_city && titleCase(mail_city), mail_state].filter(Boolean).join(', ');

const FLAGS = [
  { field: 'vacant', words: 'Vacant', kind: '', asked: 'vacant_only' },
  { field: 'out_of_state_owner', words: 'Out of state', kind: 'info', asked: 'out_of_state_owner' },
  { field: 'corporate_owner', words: 'Company', kind: '', asked: '' },
  { field: 'landlocked', words: 'No road', kind: 'warn', asked: 'only_landlocked' },
  { field: 'tax_delinquent', words: 'Tax delinquent', kind: 'bad', asked: 'tax_delinquent' },
] as const;

/** What is so of a parcel, but for what was asked and so is of all. */
export const flagsOf = (row: ResultRow, filters: Filters) =>
  FLAGS.filter(({ field, asked }) => row[field] === true && filters[asked] !== true);
