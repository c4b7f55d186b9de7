import { join } from 'node:path';
import { LAND_KERNELS } from '../../shared/land/compute-land.ts';
import { sampleDir } from '../../workers/ingest/feed-folders.ts';
import { loadFeed } from '../../workers/ingest/load-feeds.ts';
import { computeAssemblages } from '../../workers/land/compute-assemblages.ts';
import { recomputeStats } from '../../workers/market/recompute-stats.ts';
import { restateHistory } from '../../workers/market/restate-history.ts';
import { recordCounty } from '../../workers/valuation/record-county.ts';
import { settle } from '../db/attributes-support.ts';
import { ingest } from './ingest.ts';
import type { TestDb } from './test-db.ts';
import { valueMarket } from './valuations.ts';

/** Ingests bundled feeds. */
export async function ingestSample(pool: TestDb, ...names: string[]): Promise<void> {
  for (const name of names) {
    const { status } = await ingest(pool, await loadFeed(join(sampleDir, `${name}.yaml`)));
    if (status !== 'merged') throw new Error(`${name}: ${status}`);
  }
}

/** Loads the same data for Washington, New Hampshire as a first start does. */
export async function loadSample(pool: TestDb): Promise<void> {
  await ingestSample(
    pool,
    'washington-nh',
    'washington-nh-listings',
    'washington-nh-roads',
    'washington-nh-contacts',
  );
  await settle(pool, LAND_KERNELS);
  const { signal } = new AbortController();
  await computeAssemblages(pool, 33_019, { signal });
  await valueMarket(pool);
  const { codes } = await recomputeStats(pool, { fips: 33_019 }, {});
  await restateHistory(pool, { codes });
  await recordCounty(pool, 33_019, { signal });
}
