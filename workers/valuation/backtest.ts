import { type Pool, transaction } from '../../shared/db.ts';
import { type Backtest, type BacktestOptions, backtest } from '../../shared/kernels/valuation/backtest.ts';
import { landOf } from '../../shared/kernels/valuation/land.ts';
import { type Comps, SOLD } from '../../shared/kernels/valuation/types.ts';
import { readComps } from './comps.ts';

/**
 * Values past sales of the database as of the day before each, in this process. Listings that are for sale now take no
 * part: the history tells what was for sale on an earlier day only as far as runs go back.
 */
export async function backtestValuations(pool: Pool, options: BacktestOptions): Promise<Backtest> {
  return backtest(salesOf(await transaction(pool, readComps)), options);
}

function salesOf(comps: Comps): Comps {
  const sold = Array.from({ length: comps.count }, (_, i) => i).filter(i => comps.status[i] === SOLD);
  const floats = (column: Float64Array) => Float64Array.from(sold, i => column[i]!);
  const whole = (column: Int32Array) => Int32Array.from(sold, i => column[i]!);
  return {
    count: sold.length,
    lon: floats(comps.lon),
    lat: floats(comps.lat),
    acres: floats(comps.acres),
    price: floats(comps.price),
    status: new Uint8Array(sold.length).fill(SOLD),
    soldDay: whole(comps.soldDay),
    listedDay: whole(comps.listedDay),
    county: whole(comps.county),
    land: landOf(comps.land, sold),
    feed: comps.feed && whole(comps.feed),
    ofRoll: comps.ofRoll && Uint8Array.from(sold, i => comps.ofRoll![i]!),
  };
}
