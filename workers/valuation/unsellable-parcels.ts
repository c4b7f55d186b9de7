import { isTooSmall, reasonByUse } from '../../shared/model/unsellable-land.ts';
import type { Db } from '../../shared/platform/db.ts';

export type IsUnsellable = (propertyId: number, acres: number) => boolean;

/** Returns a test for parcels that can't be sold as lots, so that no comp supports their estimates. */
export async function readUnsellable(db: Db, fips: number): Promise<IsUnsellable> {
  const uses = await db.run<{ code: string }>('valuation/list_land_uses', { fips });
  const codes = uses.flatMap(({ code }) =>
    reasonByUse({ fips, land_use_code: code }) === null ? [] : [code],
  );
  const rows =
    codes.length === 0 ? [] : await db.run<{ id: number }>('valuation/list_used_as', { fips, codes });
  const ids = new Set(rows.map(({ id }) => id));
  return (propertyId, acres) => ids.has(propertyId) || isTooSmall(acres);
}
