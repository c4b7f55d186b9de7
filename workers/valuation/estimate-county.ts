import { emptyBox } from '../../shared/geo/box.ts';
import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import { fitCounty, MODEL_VERSION } from '../../shared/kernels/valuation/model.ts';
import type { Db } from '../../shared/platform/db.ts';
import { defaultValuationDay, linkCompsToParcels, lockCounty, readMarket } from './value-county.ts';

/**
 * Stores a county's estimates from its own sales, and marks its market, because statistics include the price
 * index.
 */
export function estimateCounty(db: Db, fips: number, day: string): Promise<void> {
  return db.transaction(async tx => {
    await lockCounty(tx, fips);
    await linkCompsToParcels(tx, fips);
    const { comps } = await readMarket(tx, fips, emptyBox(), dayOf(day));
    const { estimates, priceIndex } = fitCounty(comps, fips, dayOf(day), new Map());
    const values = {
      fips,
      estimates: JSON.stringify(estimates),
      price_index: JSON.stringify(priceIndex()),
      model_version: MODEL_VERSION,
    };
    await tx.run('valuation/store_estimates', values);
    await tx.run('market/mark_county', { fips });
  });
}

/** Estimates a county that was added since all counties were last estimated. @returns whether it was new */
export async function estimateNewCounty(db: Db, fips: number, asOf: string | undefined): Promise<boolean> {
  const values = { fips, model_version: MODEL_VERSION };
  if ((await db.rowCount('valuation/has_estimates', values)) > 0) return false;
  await estimateCounty(db, fips, asOf ?? (await defaultValuationDay(db)));
  return true;
}
