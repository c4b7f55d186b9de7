import { COMPUTE_HERE } from '../geo/shape-work.ts';
import type { FilterBody } from '../parcels/filter/declare-filter.ts';
import { type Among, selectParcels } from '../parcels/filter/select-parcels.ts';
import type { Db } from '../platform/db.ts';

/** Maximum number of ids per statement. */
const IDS_AT_ONCE = 10_000;

/** The parcels in a county that a filter matches. @param ids limits the search to these */
export async function findMembers(
  db: Db,
  filter: FilterBody,
  asOf: Date,
  fips: number,
  ids?: readonly number[],
): Promise<Set<number>> {
  const found = new Set<number>();
  const find = async (among: Among) => {
    const { from, where, values } = await selectParcels(filter, { asOf, work: COMPUTE_HERE }, db, among);
    const rows = await db.run<{ property_id: number }>('searches/find_members', values, { from, where });
    for (const { property_id } of rows) found.add(property_id);
  };
  if (ids === undefined) await find({ fips });
  else
    for (let from = 0; from < ids.length; from += IDS_AT_ONCE)
      await find({ fips, ids: ids.slice(from, from + IDS_AT_ONCE) });
  return found;
}
