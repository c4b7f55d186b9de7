import type { Db } from '../platform/db.ts';

/** A comp or a market, as the version that it was read as. */
export type GivenOther = { id: string; version: string };

/** Rows of one statement: some 600 kB. */
const BATCH = 10_000;

/**
 * Marks comps or markets as given to a company, 30 days from now; to be run in the transaction that charges
 * for them. @returns those that cost something: that were not free
 */
export async function giveOthers<Other extends GivenOther>(
  db: Db,
  companyId: string,
  others: readonly Other[],
): Promise<Other[]> {
  const charged: Other[] = [];
  // In one order, so that two exports never wait for one another.
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
