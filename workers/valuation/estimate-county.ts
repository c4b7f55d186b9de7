import { emptyBox } from '../../shared/geo/box.ts';
import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import { fitCounty, MODEL_VERSION } from '../../shared/kernels/valuation/model.ts';
import { type Pool, statement, transaction } from '../../shared/platform/db.ts';
import { defaultValuationDay, linkCompsToParcels, lockCounty, readMarket } from './value-county.ts';

/**
 * Stores a county's estimates from its own sales, and marks its market, because statistics include the price
 * index.
 */
export function estimateCounty(pool: Pool, fips: number, day: string): Promise<void> {
  return transaction(pool, async client => {
    await lockCounty(client, fips);
    await linkCompsToParcels(client, fips);
    const { comps } = await readMarket(client, fips, emptyBox(), dayOf(day));
    const { estimates, priceIndex } = fitCounty(comps, fips, dayOf(day), new Map());
    const values = {
      fips,
      estimates: JSON.stringify(estimates),
      price_index: JSON.stringify(priceIndex()),
      model_version: MODEL_VERSION,
    };
    await client.query(statement('valuation/store_estimates', values));
    await client.query(statement('market/mark_county', { fips }));
  });
}

/** A county that was added after all were last estimated. @returns whether it was one */
export async function estimateNewCounty(
  pool: Pool,
  fips: number,
  asOf: string | undefined,
): Promise<boolean> {
  const known = statement('valuation/has_estimates', { fips, model_version: MODEL_VERSION });
  if ((await pool.query(known)).rowCount) return false;
  await estimateCounty(pool, fips, asOf ?? (await defaultValuationDay(pool)));
  return true;
}
