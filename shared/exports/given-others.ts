import type { Db } from '../platform/db.ts';

/** A specific version of a comp or market. */
export type GivenOther = { id: string; version: string };

/** Rows per statement, about 600 kB. */
const BATCH = 10_000;

/**
 * Records that a company received comps or markets, which are then free for 30 days. Run it in the
 * transaction that charges for them. @returns the comps or markets to charge for
 */
export async function giveOthers<Other extends GivenOther>(
  db: Db,
  companyId: string,
  others: readonly Other[],
): Promise<Other[]> {
  const charged: Other[] = [];
  // Sorted so that two exports can't deadlock.
  const sorted = others.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  for (let from = 0; from < sorted.length; from += BATCH) {
    const batch = sorted.slice(from, from + BATCH);
    const rows = await db.run<{ id: string }>('exports/give_others', {
      company_id: companyId,
      ids: batch.map(({ id }) => id),
      versions: batch.map(({ version }) => version),
    });
    const fresh = new Set(rows.map(({ id }) => id));
    charged.push(...batch.filter(({ id }) => fresh.has(id)));
  }
  return charged;
}
