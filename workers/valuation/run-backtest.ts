import {
  type Backtest,
  type BacktestOptions,
  backtest,
  backtestByCounty,
  type CountyBacktest,
} from '../../shared/kernels/valuation/backtest.ts';
import { type Comps, pickComps, SOLD } from '../../shared/kernels/valuation/valuation-types.ts';
import type { Db } from '../../shared/platform/db.ts';
import { readOpinions } from './assessed-land.ts';
import { assessSales, readComps } from './valuation-comps.ts';

/**
 * Values each past sale as of the day before it. Listings that were for sale on earlier dates aren't known
 * well enough to include.
 */
export const backtestValuations = async (db: Db, options: BacktestOptions): Promise<Backtest> =>
  backtest(await readSales(db), options);

export const backtestCounties = async (db: Db, options: BacktestOptions): Promise<CountyBacktest[]> =>
  backtestByCounty(await readSales(db), options);

async function readSales(db: Db): Promise<Comps> {
  const comps = await db.transaction(async tx => {
    const all = await readComps(tx);
    for (const fips of new Set(all.county))
      if (fips >= 0) assessSales(all, fips, await readOpinions(tx, fips));
    return all;
  });
  const sold = Array.from({ length: comps.count }, (_, i) => i).filter(i => comps.status[i] === SOLD);
  // Don't use asking prices, because the backtest has no listings.
  return { ...pickComps(comps, sold), asked: undefined };
}
