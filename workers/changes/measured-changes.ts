import type { ChangedFields } from '../../shared/model/changes.ts';
import type { Db } from '../../shared/platform/db.ts';
import { drawVersion } from './record-changes.ts';

export type ShownLand = {
  property_id: number;
  created_run: number;
  row_version: number;
} & Record<string, unknown>;

/** For this many days after a county is loaded, first-time land figures are part of the load, not changes. */
const LOADING_DAYS = 7;

/**
 * Records the parcels whose visible land figures changed, and increases their `row_version`. Call this after
 * openChanges, in the transaction that stored the figures, while no merge can write the county.
 */
export async function stageMeasuredLand(
  db: Db,
  fips: number,
  before: readonly ShownLand[],
  after: readonly ShownLand[],
): Promise<void> {
  const was = new Map(before.map(parcel => [parcel.property_id, parcel]));
  const measured = after.flatMap(is => {
    const fields = differingFields(was.get(is.property_id)!, is);
    return Object.keys(fields).length > 0 ? [{ ...is, fields }] : [];
  });
  if (measured.length === 0) return;
  // Runs that recently loaded the county's first parcels.
  const runs = [...new Set(measured.map(parcel => parcel.created_run))];
  const rows = await db.run<{ run_id: number }>('changes/list_loading_runs', {
    fips,
    runs,
    days: LOADING_DAYS,
  });
  const loading = new Set(rows.map(row => row.run_id));
  const changed = measured.filter(
    ({ created_run, fields }) =>
      !loading.has(created_run) ||
      Object.values(fields).some(([value]) => value !== null && value !== 'unknown'),
  );
  if (changed.length === 0) return;
  const version = await drawVersion(db);
  const property_ids = changed.map(parcel => parcel.property_id);
  const fields = changed.map(({ fields, row_version }) =>
    JSON.stringify({ ...fields, row_version: [row_version, version] }),
  );
  await db.run('changes/stage_measured_land', { fips, version, property_ids, fields });
  for (const table of ['parcels', 'parcel_filters'])
    await db.run('changes/set_row_version', { fips, version, property_ids }, { table });
}

function differingFields(
  { property_id: _id, created_run: _run, row_version: _version, ...was }: ShownLand,
  is: ShownLand,
): ChangedFields {
  return Object.fromEntries(
    Object.entries(was)
      .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(is[name]))
      .map(([name, value]) => [name, [value, is[name]]]),
  );
}
