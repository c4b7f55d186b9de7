import { setImmediate as turn } from 'node:timers/promises';
import { subjectTogether } from '../../shared/kernels/valuation/subject-together.ts';
import type { Subject, Valuation } from '../../shared/kernels/valuation/valuation-types.ts';
import type { Db } from '../../shared/platform/db.ts';
import { literal } from '../../shared/platform/statements.ts';

type Assemblage = { assemblage_id: number; acres: number; property_ids: number[] };

/** Assemblages per statement and turn of the event loop. */
const BATCH = 500;

/**
 * Stores what the model says about one lot made of an assemblage's lots, at the largest of them. Lots in
 * other counties only add their acres.
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
    const rows = all.slice(from, from + BATCH).flatMap(({ assemblage_id, acres, property_ids }) => {
      const [first, ...others] = property_ids.flatMap(id => subjectOf(id) ?? []);
      const estimate = first === undefined ? null : value(subjectTogether([first, ...others], acres));
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
