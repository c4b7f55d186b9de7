import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { LAYER_BITS } from '../../shared/model/land-layers.ts';
import { createTestDatabase } from '../support/database.ts';
import { all, ingest, ingestRoll, lot } from '../support/ingest.ts';
import { marks, road, roadFeed, storedFeatures, writeRoads } from '../support/layers.ts';
import { runCommand } from '../support/plat.ts';

const db = await createTestDatabase();
const { folder, pool } = db;

const plat = (...argv: string[]) =>
  runCommand({ REDIS_URL: '', DATABASE_URL: db.url, PLAT_DIR: folder, FEEDS_DIR: folder }, argv);

test('plat feed remove: the layer is deleted, its runs stay, and the parcels that it covered are marked', async () => {
  const near = { properties: { PIN: 'P0' }, geometry: lot(0) };
  const far = { properties: { PIN: 'P1' }, geometry: lot(2000) };
  await ingestRoll(pool, folder, 'lots', [near, far]);
  writeRoads(folder, 'roads', [road(0), road(1)]);
  const feed = roadFeed(folder, 'roads');
  const file = join(folder, 'roads.yaml');
  writeFileSync(file, stringify(feed.definition));
  await ingest(pool, feed);
  await pool.query('delete from attributes_dirty; delete from jobs');

  const removed = await plat('feed', 'remove', 'roads', '--json');
  const [planned] = await all<{ id: string }>(pool, "select id from jobs where name = 'attributes.plan'");
  expect({ code: removed.code, value: JSON.parse(removed.out) }).toEqual({
    code: 0,
    value: { feed: 'roads', kind: 'roads', features: 2, tiles: 0, parcels: 1, job: planned!.id, file },
  });
  expect(await storedFeatures(pool, 'roads')).toEqual([]);
  expect(await all(pool, 'select from land_layers')).toEqual([]);
  expect([...(await marks(pool)).values()]).toEqual([LAYER_BITS.roads]);
  const runs = () =>
    all(pool, "select status from runs join feeds f on f.id = feed_id where f.name = 'roads'");
  expect(await runs()).toEqual([{ status: 'merged' }]);

  expect(await plat('feed', 'remove', 'roads')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/layer.*\broads\b/),
  });

  // As if for the first time: no gate compares it with what was removed.
  writeRoads(folder, 'roads', [road(40)]);
  expect(await ingest(pool, feed)).toMatchObject({ status: 'merged', counts: { new: 1 } });
  const { out } = await plat('feed', 'remove', 'roads');
  expect(out).toMatch(/^roads \(roads\): removed 1 features?[;.]/);
  expect(out).toContain(file);
  expect(await runs()).toHaveLength(2);
});

test('parcels are retired by their roll', async () => {
  const { code, err } = await plat('feed', 'remove', 'lots');
  expect(code).toBe(1);
  expect(err).toMatch(/\blots\b.*parcels.*land layer/);
  expect(await all(pool, 'select from parcels')).toHaveLength(2);
});
