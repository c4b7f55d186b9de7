import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { openApiDocument } from '../../../api/openapi.ts';
import { sampleDir } from '../../../workers/feeds/dirs.ts';
import { loadFeed } from '../../../workers/feeds/load.ts';
import { newCaller, startTestApi } from '../../support/api.ts';
import { createTestDatabase } from '../../support/database.ts';
import { ingest, insertRegions } from '../../support/ingest.ts';

const db = await createTestDatabase();
const api = await startTestApi(db);

const PATH = '/api/public/v1/comps/';
type CompPage = { count: number; results: { status: string; sold_date: string | null; source: string }[] };

let key: string;
beforeAll(async () => {
  await insertRegions(db.pool, [
    { type: 'county', code: '33019', state: 'NH', fips: 33019 },
    { type: 'zip', code: '03280', state: 'NH', fips: 33019 },
  ]);
  for (const name of ['washington-nh', 'washington-nh-listings'])
    await ingest(db.pool, await loadFeed(join(sampleDir, `${name}.yaml`)));
  ({ key } = await newCaller(db));
});

type Operation = {
  responses: Record<
    string,
    { content: Record<string, { examples: Record<string, { summary: string; value: unknown }> }> }
  >;
};

test('the example of the documentation is what the bundled sample answers', async () => {
  const { paths } = openApiDocument() as { paths: Record<string, { get: Operation }> };
  const examples = paths[PATH]!.get.responses['200']!.content['application/json']!.examples;
  expect(Object.keys(examples)).not.toEqual([]);
  for (const { summary, value } of Object.values(examples)) {
    expect((await api.call(PATH + summary, { key })).json).toEqual(value);
  }
});

test('the sales of the roll and the listings of the feed are comps of one county', async () => {
  const page = (await api.call(`${PATH}?fips=33019&page_size=500`, { key })).json as CompPage;
  const { rows } = await db.pool.query<{ count: number }>(
    "select count(*)::int as count from listings where fips = 33019 and status <> 'OFF_MARKET'",
  );
  expect(page.count).toBe(rows[0]!.count);
  expect(page.results).toHaveLength(page.count);
  for (const comp of page.results) {
    expect(comp.sold_date === null).toBe(comp.status !== 'SOLD');
    expect(comp.source).toBe(
      comp.status === 'SOLD' ? 'Washington NH assessor' : 'Generated sample (not real listings)',
    );
  }
});
