import { emptyBox } from '../../shared/geo/box.ts';
import type { Box } from '../../shared/geo/geometry-types.ts';
import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import { fitCounty } from '../../shared/kernels/valuation/model.ts';
import type { Db } from '../../shared/platform/db.ts';
import { defaultValuationDay, readMarket, readOtherCounties } from '../valuation/value-county.ts';
import { type Market, type SnapshotRequest, snapshotOf } from './report-snapshot.ts';

const REPORTS_AT_ONCE = 20;

/** Prepares a county's pending reports with a single fit of its market. Safe to kill and rerun. */
export async function prepareCounty(db: Db, fips: number, signal: AbortSignal): Promise<number> {
  let market: Market | undefined;
  for (let prepared = 0; ; ) {
    const rows = await db.run<SnapshotRequest>('comping/list_wanted', { fips, limit: REPORTS_AT_ONCE });
    if (rows.length === 0) return prepared;
    for (const wanted of rows) {
      signal.throwIfAborted();
      const fault = faultOf(wanted);
      if (fault === null) market ??= await db.snapshot(tx => fitMarket(tx, fips));
      const made = fault === null ? await snapshotOf(db, fips, market!, wanted) : null;
      const label = wanted.address || (wanted.apn && `APN ${wanted.apn}`);
      await db.transaction(async tx => {
        await tx.run('comping/store_prepared', {
          id: wanted.id,
          wanted_at: wanted.wanted,
          snapshot: made && JSON.stringify(made),
          label,
          fault,
        });
        // A new report starts with the comps that Plat uses.
        const used = wanted.is_new ? (made?.candidates.filter(comp => comp.used) ?? []) : [];
        const values = { report_id: wanted.id, comp_ids: used.map(({ id }) => id) };
        if (used.length > 0) await tx.run('comping/choose_comps', values);
      });
      prepared++;
    }
  }
}

function faultOf({ on_roll, x, acres }: SnapshotRequest): string | null {
  if (!on_roll) return 'This parcel is no longer on the roll.';
  if (x === null) return 'This parcel has no location, because its roll has no boundary and no point for it.';
  return acres !== null && acres > 0 ? null : "This parcel has no acreage, so comps can't be adjusted to it.";
}

/** The fit that the county's parcels were valued with, unless its comps have changed since. */
async function fitMarket(db: Db, fips: number): Promise<Market> {
  const rows = await db.run<
    { as_of: string | null } & Record<'west' | 'south' | 'east' | 'north', number | null>
  >('comping/read_terms', { fips });
  const { as_of, west, south, east, north } = rows[0]!;
  const asOf = as_of ?? (await defaultValuationDay(db));
  const extent: Box = west === null ? emptyBox() : [west, south!, east!, north!];
  const { comps, opinion } = await readMarket(db, fips, extent, dayOf(asOf));
  const { model } = fitCounty(comps, fips, dayOf(asOf), await readOtherCounties(db, fips));
  return { asOf, comps, model, opinion };
}
