import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import {
  DETAIL_EXAMPLE,
  EXAMPLE_ID,
  PORTFOLIO_EXAMPLE,
  SEARCH_EXAMPLE,
} from '../../../api/v1/examples/examples.ts';
import { LAND_KERNELS } from '../../../shared/land/compute.ts';
import { rootDir } from '../../../shared/root.ts';
import { loadFeed } from '../../../workers/feeds/load.ts';
import { settle } from '../../db/attributes-support.ts';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { ingest } from '../../support/ingest.ts';

const db = await createTestDatabase();
const api = await startTestApi(db, { env: { APP_URL: 'https://app.example.org' } });
const { key } = await newCaller(db);

beforeAll(async () => {
  for (const name of ['washington-nh', 'washington-nh-roads']) {
    const feed = await loadFeed(join(rootDir, `workers/sample/feeds/${name}.yaml`));
    expect(await ingest(db.pool, feed)).toMatchObject({ status: 'merged' });
  }
  await settle(db.pool, LAND_KERNELS);
});

test.each([
  [`search/${SEARCH_EXAMPLE.query}`, SEARCH_EXAMPLE.response],
  [`${EXAMPLE_ID}/`, DETAIL_EXAMPLE],
  [`${EXAMPLE_ID}/owner-portfolio/`, PORTFOLIO_EXAMPLE],
])('the bundled sample answers to %s as the documentation says', async (path, example) => {
  const { status, json } = await api.call(`/api/public/v1/properties/${path}`, { key });
  expect(status).toBe(200);
  expect(json).toEqual(example);
});
