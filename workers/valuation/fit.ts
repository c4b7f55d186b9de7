import { type Pool, sql, transaction } from '../../shared/db.ts';
import { enqueue } from '../../shared/jobs.ts';
import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import { fitModel } from '../../shared/kernels/valuation/model.ts';
import { type FitPayload, valuationCounty } from './jobs.ts';
import { storeModel } from './model-store.ts';
import { readComps } from './read-comps.ts';

export type FitResult = {
  /** 'YYYY-MM-DD' */
  asOf: string;
  sales: number;
  outliers: number;
  counties: number;
  /** Jobs that value them. */
  jobs: string[];
};

/**
 * Learns from every comp what the market tells, stores it, and enqueues the counties to be valued with it in the same
 * transaction.
 */
export async function fitMarket(pool: Pool, { counties, asOf }: FitPayload): Promise<FitResult> {
  const day = asOf ?? (await defaultDay(pool));
  const comps = await transaction(pool, client => readComps(client, null));
  const fitted = fitModel(comps, dayOf(day));
  return transaction(pool, async client => {
    await storeModel(client, day, fitted, comps);
    const due =
      counties ??
      (await client.query<{ fips: number }>(sql('valuation/list_counties'))).rows.map(row => row.fips);
    const jobs: string[] = [];
    for (const fips of due) jobs.push((await enqueue(client, valuationCounty, { fips })).id);
    return {
      asOf: day,
      sales: fitted.model.sales.source.length,
      outliers: fitted.outliers.size,
      counties: due.length,
      jobs,
    };
  });
}

async function defaultDay(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ day: string }>(sql('valuation/get_as_of'));
  return rows[0]!.day;
}
