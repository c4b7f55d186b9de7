import { loadConfig } from '../../shared/config.ts';
import type { Pool } from '../../shared/db.ts';
import { fetchDeal } from '../../workers/deals/handlers.ts';
import { enqueueDaily } from '../../workers/deals/jobs.ts';
import { refreshDeals } from '../../workers/deals/refresh.ts';

const { signal } = new AbortController();

/** Does the deals' jobs that wait, as a worker would. @returns their names and keys */
export async function doDealJobs(pool: Pool, env: Record<string, string> = {}): Promise<string[]> {
  const config = loadConfig({ LOG_LEVEL: 'silent', ...env });
  const { rows } = await pool.query<{
    id: string;
    name: string;
    payload: { deal?: string; fips?: number };
  }>("select id, name, payload from jobs where name like 'deal.%' and status = 'queued' order by queued_at");
  for (const { id, name, payload } of rows) {
    await pool.query("update jobs set status = 'running' where id = $1", [id]);
    if (name === 'deal.daily') await enqueueDaily(pool);
    else if (payload.fips !== undefined) await refreshDeals(pool, { fips: payload.fips });
    else await fetchDeal(pool, config, payload.deal!, signal);
    await pool.query("update jobs set status = 'done' where id = $1", [id]);
  }
  return rows.map(({ name, payload }) => `${name} ${payload.deal ?? payload.fips ?? ''}`);
}
