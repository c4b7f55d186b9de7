import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { createLogger } from '../../../shared/log.ts';
import { parseFeed } from '../../../workers/feeds/load.ts';
import { runFeed } from '../../../workers/ingest/run.ts';
import { listingsFeed, rollFeed } from '../../bench/generate/feed-files.ts';
import { writeListings } from '../../bench/generate/listings.ts';
import { mutateRoll } from '../../bench/generate/mutate.ts';
import { writeRoll } from '../../bench/generate/roll.ts';
import { createTestDatabase } from '../../support/database.ts';

const db = await createTestDatabase();
const regional = await createTestDatabase({}, { regions: true });
const folder = mkdtempSync(join(tmpdir(), 'plat-ingested-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function ingest(feed: object, { pool } = db) {
  const deps = {
    ...{ pool, log: createLogger(db.config, 'test'), signal: new AbortController().signal },
    ...{ env: {}, progress() {} },
  };
  const options = { jobId: null, requestedBy: 'test', force: false, sources: {} };
  return runFeed(deps, { feed: parseFeed(stringify(feed), join(folder, 'feed.yaml')), ...options });
}

test('a generated roll is ingested whole, without a reject or a repair, and so is the next year as it was changed', async () => {
  await writeRoll(join(folder, 'roll.ndgeojson'), 'ndgeojson', { parcels: 1_000, seed: 3 });
  const first = await ingest(rollFeed('generated', 'roll.ndgeojson'));
  expect(first).toMatchObject({ status: 'merged', blocked: [] });
  expect(first.counts).toMatchObject({
    new: 1_000,
    rejected: {},
    dropped: {},
    repaired: {},
    without_geometry: 0,
  });

  const shares = { seed: 4, changedShare: 0.06, removedShare: 0.03, addedShare: 0.02 };
  const year = await mutateRoll(join(folder, 'roll.ndgeojson'), join(folder, 'next.ndgeojson'), shares);
  const second = await ingest(rollFeed('generated', 'next.ndgeojson'));
  expect(second).toMatchObject({ status: 'merged', blocked: [] });
  expect(second.counts).toMatchObject({
    ...{ new: year.added, changed: year.changed, unchanged: year.unchanged, retired: year.removed },
    ...{ rejected: {}, repaired: {} },
  });
});

test('generated listings are ingested whole, each in its county', async () => {
  await writeListings(join(folder, 'listings.csv'), 'csv', { count: 1_000, seed: 3, asOf: '2025-09-28' });
  const run = await ingest(listingsFeed('generated-listings', 'listings.csv', 'csv'), regional);
  expect(run).toMatchObject({ status: 'merged', blocked: [] });
  expect(run.counts).toMatchObject({ new: 1_000, rejected: {}, dropped: {} });
  const { rows } = await regional.pool.query<{ placed: number }>(
    'select count(*)::int as placed from listings where fips is not null',
  );
  expect(rows[0]!.placed).toBe(1_000);
});
