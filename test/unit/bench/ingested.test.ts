import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { createLogger } from '../../../shared/log.ts';
import { parseFeed } from '../../../workers/feeds/load.ts';
import { runFeed } from '../../../workers/ingest/run.ts';
import { rollFeed } from '../../bench/generate/feed-files.ts';
import { writeRoll } from '../../bench/generate/roll.ts';
import { createTestDatabase } from '../../support/database.ts';
import { testFolder } from '../../support/folder.ts';

const db = await createTestDatabase();
const folder = testFolder();

function ingest(feed: object, { pool } = db) {
  const deps = {
    ...{ pool, log: createLogger(db.config, 'test'), signal: new AbortController().signal },
    ...{ env: {}, progress() {} },
  };
  const options = { jobId: null, requestedBy: 'test', force: false, sources: {} };
  return runFeed(deps, { feed: parseFeed(stringify(feed), join(folder, 'feed.yaml')), ...options });
}

test('a generated roll is ingested whole, without a reject or a repair', async () => {
  await writeRoll(join(folder, 'roll.ndgeojson'), { parcels: 1_000, seed: 3 });
  const first = await ingest(rollFeed('generated', 'roll.ndgeojson'));
  expect(first).toMatchObject({ status: 'merged', blocked: [] });
  expect(first.counts).toMatchObject({
    new: 1_000,
    rejected: {},
    dropped: {},
    repaired: {},
    without_geometry: 0,
  });
});
