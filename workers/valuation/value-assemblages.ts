import { setImmediate as turn } from 'node:timers/promises';
import type { Subject, Valuation } from '../../shared/kernels/valuation/valuation-types.ts';
import type { Db } from '../../shared/platform/db.ts';
import { literal } from '../../shared/platform/statements.ts';

type Assemblage = { assemblage_id: number; property_id: number; acres: number };

/** Assemblages per statement and turn of the event loop. */
const BATCH = 500;

/**
 * Stores what the model says about a parcel with all acres of an assemblage, at its largest parcel. Features
 * of the land are those of this parcel.
 * @param subjectOf the subject of a parcel, or undefined if it can't be valued
 */
export async function valueAssemblages(
  db: Db,
  fips: number,
  value: (subject: Subject) => Valuation | null,
  subjectOf: (propertyId: number) => Subject | undefined,
): Promise<void> {
  const all = await db.run<Assemblage>('valuation/list_assemblages', { fips });
  for (let from = 0; from < all.length; from += BATCH) {
    const rows = all.slice(from, from + BATCH).flatMap(({ assemblage_id, property_id, acres }) => {
      const parcel = subjectOf(property_id);
      const estimate = parcel === undefined ? null : value({ ...parcel, acres });
      if (estimate === null) return [];
      const { low, high, outOfSupport, meanAdjustedPrice: price } = estimate;
      return [
        {
          fips,
          assemblage_id,
          acres,
          price,
          low_price: low,
          high_price: high,
          out_of_support: outOfSupport,
        },
      ];
    });
    await db.run('valuation/store_assemblage_values', {}, { rows: literal(JSON.stringify(rows)) });
    await turn();
  }
}
