import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadFeed } from '../../../workers/feeds/load.ts';
import { checkFeed } from '../../../workers/ingest/check/check.ts';
import { sampleFeeds } from './support.ts';

test.each(readdirSync(sampleFeeds))('%s has no problems and gives no reason for a warning', async file => {
  const check = await checkFeed(await loadFeed(join(sampleFeeds, file)), { rows: 20_000 });
  expect(check).toMatchObject({ ok: true, problems: [], warnings: [] });
});
