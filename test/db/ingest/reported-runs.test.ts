import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lots, METADATA, withLayer } from '../../support/arcgis.ts';
import { createTestDatabase } from '../../support/database.ts';
import { all, feedOf, ingest, lot, newName, writeFeatures } from '../../support/ingest.ts';

/** Whole runs of what users of other pipelines reported: what is merged, and what stops the run. */

const { folder, pool } = await createTestDatabase();

const parcelsOf = (name: string) =>
  all<{ property_id: string; source_key: string; owner_name: string }>(
    pool,
    'select property_id, source_key, owner_name from parcels p join feeds f on f.id = p.feed_id where f.name = $1 and p.retired_at is null order by 1',
    [name],
  );

test('a layer that is republished in lowercase, and then stopped, keeps its parcels and their ids', async () => {
  const features = lots(25);
  const metadata: Record<string, unknown> = { supportedQueryFormats: 'JSON' };
  let isStopped = false;
  const stopped = { body: { error: { code: 500, message: 'Service Parcels not started', details: [] } } };
  const fault = () => (isStopped ? stopped : undefined);
  await withLayer({ features, metadata, fault }, async server => {
    const name = newName();
    const roll = { source: server.source, format: 'arcgis', key: 'PIN', columns: { owner_name: 'OWNER' } };
    const feed = feedOf(folder, { name, kind: 'assessor', fips: '33019', roll });
    expect(await ingest(pool, feed)).toMatchObject({ status: 'merged', counts: { new: 25 } });
    const first = await parcelsOf(name);

    metadata.fields = METADATA.fields.map(field => ({
      ...field,
      name: field.name === 'OBJECTID' ? field.name : field.name.toLowerCase(),
    }));
    for (const feature of features) {
      const { OBJECTID, PIN, OWNER } = feature.attributes;
      // The ids of the rows have shifted, too.
      feature.attributes = { OBJECTID: Number(OBJECTID) + 100, pin: PIN, owner: OWNER };
    }
    const again = await ingest(pool, feed);
    expect(again.counts).toMatchObject({ new: 0, changed: 0, retired: 0, unchanged: 25 });
    expect(await parcelsOf(name)).toEqual(first);

    isStopped = true;
    await expect(ingest(pool, feed)).rejects.toMatchObject({
      code: 'feed_source',
      message: expect.stringContaining('Service Parcels not started'),
    });
    expect(await parcelsOf(name)).toEqual(first);
  });
});

test('a first run of two files without a common key is blocked', async () => {
  const name = newName();
  const keys = Array.from({ length: 30 }, (_, n) => 1_234_567 + n);
  const run = async (roll: (key: number) => string) => {
    writeFileSync(
      join(folder, `${name}.csv`),
      `PIN,OWNER\n${keys.map(key => `${roll(key)},SMITH\n`).join('')}`,
    );
    const { status, blocked, counts } = await ingest(
      pool,
      feedOf(folder, {
        name,
        kind: 'assessor',
        fips: '33019',
        roll: { source: `${name}.csv`, format: 'csv', key: 'PIN', columns: { owner_name: 'OWNER' } },
        shape: { source: `${name}.ndgeojson`, format: 'ndgeojson', key: 'PIN' },
      }),
    );
    return [status, blocked.map(({ gate }) => gate), counts.matched_keys];
  };
  const padded = (key: number) => String(key).padStart(10, '0');
  writeFeatures(
    join(folder, `${name}.ndgeojson`),
    keys.map((key, n) => ({ properties: { PIN: padded(key) }, geometry: lot(n) })),
  );
  expect(await run(String)).toEqual(['blocked', ['matched_keys'], 0]);
  expect(await run(key => `="${padded(key)}"`)).toEqual(['merged', [], 30]);
});
