import { afterAll, expect, test } from 'vitest';
import { createRandom } from '../bench/generate/random.ts';
import { createTestDatabase } from '../support/database.ts';
import { tempFolder } from '../support/ingest.ts';
import {
  refresh,
  storedValuations,
  valuationMarks,
  valueCounties,
  valueMarket,
} from '../support/valuations.ts';
import { listingFeed } from './ingest/listing-support.ts';
import { AS_OF, clearMarket, randomComp, type SaleRow, seedParcels } from './valuations-support.ts';

const { pool } = await createTestDatabase();
const folder = tempFolder();
afterAll(folder.remove);

const PARCELS = 400;

/** A new market, fitted and valued. */
async function market(seed: number, count: number) {
  await clearMarket(pool);
  const random = createRandom(seed);
  await seedParcels(pool, random, PARCELS);
  const feed = listingFeed(pool, folder.path, { snapshot: false, asOf: AS_OF });
  const comps = new Map<string, SaleRow>();
  for (let i = 0; i < count; i++) comps.set(String(i), randomComp(random, String(i)));
  await feed.run([...comps.values()]);
  await valueMarket(pool, { asOf: AS_OF });
  return { random, comps, feed };
}

const differing = (a: ReadonlyMap<number, string>, b: ReadonlyMap<number, string>) =>
  [...new Set([...a.keys(), ...b.keys()])].filter(id => a.get(id) !== b.get(id));

test.each([
  { seed: 1, count: 400 },
  { seed: 2, count: 400 },
  { seed: 4, count: 2_500 },
  { seed: 5, count: 2_500 },
])(
  'after new, changed and withdrawn comps a refresh leaves what valuing every county anew leaves ($count comps, seed $seed)',
  async ({ seed, count }) => {
    const { random, comps, feed } = await market(seed, count);
    for (let round = 0; round < 3; round++) {
      const before = await storedValuations(pool);
      const ids = [...comps.keys()];
      const some = () => ids[Math.floor(random() * ids.length)]!;
      const fresh = randomComp(random, `new ${round}`);
      const changed = randomComp(random, some());
      const withdrawn: SaleRow = { ...comps.get(some())!, status: 'OFF_MARKET', list_price: 1 };
      for (const comp of [fresh, changed, withdrawn]) comps.set(comp.source_id, comp);
      await feed.run([fresh, changed, withdrawn]);
      const { parcels, jobs } = await refresh(pool);
      const refreshed = await storedValuations(pool);
      expect(jobs).toEqual([]);
      expect(await valuationMarks(pool)).toEqual([]);

      await valueCounties(pool);
      const anew = await storedValuations(pool);
      expect(differing(refreshed, anew)).toEqual([]);
      // It was not for nothing, and not for all.
      expect(parcels).toBeGreaterThanOrEqual(differing(before, anew).length);
    }
  },
  60_000,
);
