import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { lots, withLayer } from '../../support/arcgis.ts';
import { createTestDatabase } from '../../support/database.ts';
import { feedOf, ingest, insertRegions } from '../../support/ingest.ts';
import type { ChildOrder } from '../../support/ingest-child.ts';
import { startProgram } from '../../support/programs.ts';

const { folder, pool, url } = await createTestDatabase();
await insertRegions(pool, [{ type: 'county', code: '33019', state: 'NH', fips: 33019 }]);

const definition = (name: string, source: string, arcgis = {}) => ({
  name,
  kind: 'assessor',
  fips: '33019',
  roll: { source, format: 'arcgis', arcgis, key: 'PIN', columns: { apn: 'PIN', owner_name: 'OWNER' } },
});
const offsets = (queries: URLSearchParams[]) =>
  queries
    .filter(query => Number(query.get('resultRecordCount')) > 1)
    .map(query => Number(query.get('resultOffset')));

test('a worker killed in the middle: the next attempt continues after the last page received', async () => {
  await withLayer({ features: lots(700) }, async server => {
    const name = 'arcgis-killed';
    const file = join(folder, `${name}.yaml`);
    const workDir = join(folder, 'work');
    const feed = definition(name, server.source, { page_size: 100 });
    writeFileSync(file, stringify(feed));
    const order: ChildOrder = { feed: file, jobId: null, dieAtNote: 'fetched 300 of 700', workDir };
    const env = { DATABASE_URL: url, LOG_LEVEL: 'error' };
    const args = [JSON.stringify(order)];
    const child = startProgram('test/support/ingest-child.ts', env, { args, stdio: 'inherit' });
    expect((await once(child, 'exit'))[1]).toBe('SIGKILL');
    const before = offsets(server.queries);
    expect(before.slice(0, 3)).toEqual([0, 100, 200]);
    server.queries.length = 0;
    const run = await ingest(pool, feedOf(folder, feed), {}, { workDir });
    expect(run).toMatchObject({ status: 'merged', counts: { new: 700, read: { roll: 700 } } });
    expect(offsets(server.queries)).toEqual([300, 400, 500, 600]);
    expect(existsSync(workDir)).toBe(false);
  });
});
