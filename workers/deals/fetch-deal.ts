import type { Config } from '../../shared/platform/config.ts';
import type { Db } from '../../shared/platform/db.ts';
import { isRetryable, PlatError } from '../../shared/platform/errors.ts';
import { askProvider } from './listing-provider.ts';
import { type RefreshResult, refreshDeals } from './refresh-deals.ts';

/** Minimum time between provider requests for a deal, because each request costs money. */
const FETCH_EVERY_MS = 12 * 3_600_000;

export async function fetchDeal(
  db: Db,
  config: Config,
  deal: string,
  signal: AbortSignal,
): Promise<RefreshResult> {
  const rows = await db.run<{ listing_url: string | null; asked_at: Date | null; in_feeds: boolean }>(
    'deals/get_page',
    { deal_id: deal },
  );
  const { listing_url = null, asked_at = null, in_feeds } = rows[0] ?? {};
  const isFresh = asked_at !== null && Date.now() - asked_at.getTime() < FETCH_EVERY_MS;
  if (listing_url === null || in_feeds || isFresh) return refreshDeals(db, { deal });
  try {
    return await refreshDeals(db, { deal }, await askProvider(config, listing_url, signal));
  } catch (error) {
    if (!(error instanceof PlatError && error.code === 'provider')) throw error;
    const refreshed = await refreshDeals(db, { deal }, 'provider_failed');
    if (isRetryable(error)) throw error;
    return refreshed;
  }
}
