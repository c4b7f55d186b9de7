import { type Client, type Pool, sql, transaction } from '../../shared/db.ts';
import { enqueue } from '../../shared/jobs.ts';
import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import { fitModel } from '../../shared/kernels/valuation/model.ts';
import { defaultDay } from './default-day.ts';
import { type FitPayload, valuationCounty } from './jobs.ts';
import { linkComps } from './link-comps.ts';
import { lockModel, storeModel } from './model-store.ts';
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
 * Learns from every comp what the market tells, stores it, and marks and enqueues the counties to be valued with it in
 * the same transaction.
 */
export function fitMarket(pool: Pool, { counties, asOf }: FitPayload): Promise<FitResult> {
  return transaction(pool, async client => {
    await lockModel(client);
    // Before the comps are read: a mark that comes later stays.
    if (counties === undefined) await client.query(sql('valuation/clear_market_marks'));
    const day = asOf ?? (await defaultDay(client));
    await linkComps(client, {});
    const comps = await readComps(client);
    const fitted = fitModel(comps, dayOf(day));
    await storeModel(client, day, fitted, comps);
    const due = counties ?? (await listCounties(client));
    await client.query(sql('valuation/mark_counties'), [due]);
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

async function listCounties(client: Client): Promise<number[]> {
  const { rows } = await client.query<{ fips: number }>(sql('valuation/list_counties'));
  return rows.map(({ fips }) => fips);
}
