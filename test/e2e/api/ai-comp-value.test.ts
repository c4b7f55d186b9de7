import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { VALUE_EXAMPLE, VALUE_EXAMPLE_ID } from '../../../api/v1/properties/value-example.ts';
import { rootDir } from '../../../shared/root.ts';
import { loadFeed } from '../../../workers/feeds/load.ts';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { ingest } from '../../support/ingest.ts';
import { valueMarket } from '../../support/valuations.ts';

const db = await createTestDatabase();
const api = await startTestApi(db);
const { key } = await newCaller(db);
const path = (id: number) => `/api/public/v1/properties/${id}/ai-comp-value/`;

beforeAll(async () => {
  const feed = await loadFeed(join(rootDir, 'workers/sample/feeds/washington-nh.yaml'));
  expect(await ingest(db.pool, feed)).toMatchObject({ status: 'merged' });
  await valueMarket(db.pool);
});

test('the bundled sample answers as the documentation says, for 10 tokens', async () => {
  const { status, json, headers } = await api.call(`${path(VALUE_EXAMPLE_ID)}?explain=true`, { key });
  expect(status).toBe(200);
  expect(headers.get('x-tokens-used')).toBe('10');
  expect(json).toEqual(VALUE_EXAMPLE);
});
