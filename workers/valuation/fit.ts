import { type Client, type Pool, type Queryable, sql, transaction } from '../../shared/db.ts';
import { enqueue } from '../../shared/jobs.ts';
import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import { fitModel } from '../../shared/kernels/valuation/model.ts';
import { readComps } from './comps.ts';
import { type FitPayload, valuationCounty } from './jobs.ts';
import { linkComps } from './link-comps.ts';
import { lockModel, storeModel } from './model-store.ts';

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
    // Before the comps are read: a mark that comes later stays for the next fit.
    const some = Array.isArray(counties);
    if (!some) await client.query(sql('valuation/take_marks'));
    const day = asOf ?? (await defaultDay(client));
    const all = await listFips(client, 'valuation/list_counties');
    for (const fips of all) await linkComps(client, fips);
    const comps = await readComps(client);
    const fitted = fitModel(comps, dayOf(day));
    await storeModel(client, day, fitted, comps);
    if (counties !== 'marked') await client.query(sql('valuation/mark_counties'), [counties ?? all, true]);
    const due = some ? counties : await listFips(client, 'valuation/list_due_counties');
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

/** The day as of which parcels are valued when nobody names one: 'YYYY-MM-DD'. */
export async function defaultDay(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ day: string }>(sql('valuation/get_as_of'));
  return rows[0]!.day;
}

async function listFips(client: Client, statement: string): Promise<number[]> {
  return (await client.query<{ fips: number }>(sql(statement))).rows.map(({ fips }) => fips);
}
