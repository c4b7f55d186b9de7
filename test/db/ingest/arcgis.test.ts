import { expect, test } from 'vitest';
import { checkFeed } from '../../../workers/ingest/check-feed.ts';
import { removeLayer } from '../../../workers/ingest/layers/layer-editions.ts';
import { lots, METADATA, withLayer } from '../../support/arcgis.ts';
import { createTestDatabase } from '../../support/database.ts';
import { all, feedOf, ingest, insertRegions, one } from '../../support/ingest.ts';

const { folder, pool } = await createTestDatabase();
await insertRegions(pool, [{ type: 'county', code: '33019', state: 'NH', fips: 33019 }]);

const definition = (name: string, source: string, arcgis = {}) => ({
  name,
  kind: 'assessor',
  fips: '33019',
  roll: { source, format: 'arcgis', arcgis, key: 'PIN', columns: { apn: 'PIN', owner_name: 'OWNER' } },
});

test('an unedited layer costs one request and changes nothing, unless the feed changed', async () => {
  const metadata = { ...METADATA, editingInfo: { lastEditDate: Date.UTC(2026, 9, 1) } };
  const features = lots(120);
  await withLayer({ features, metadata }, async server => {
    const feed = definition('arcgis-dated', server.source);
    const run = (force = false) => {
      server.requests.length = 0;
      return ingest(pool, feedOf(folder, feed), { force });
    };
    expect(await run()).toMatchObject({ status: 'merged', counts: { new: 120 } });
    // An edit that the layer does not tell of is not seen.
    features[0]!.attributes.OWNER = 'Somebody else';
    for (let again = 0; again < 2; again++) {
      const same = await run();
      expect(same).toMatchObject({
        status: 'unchanged',
        counts: { rows: 120, new: 0, changed: 0, unchanged: 120 },
      });
      expect(server.requests).toHaveLength(1);
    }
    const [last] = await all(pool, 'select inputs from runs order by id desc limit 1');
    expect(last).toMatchObject({
      inputs: [{ input: 'roll', bytes: 0, version: '2026-10-01T00:00:00.000Z' }],
    });
    expect(await run(true)).toMatchObject({ status: 'merged', counts: { changed: 1 } });
    metadata.editingInfo = { lastEditDate: Date.UTC(2026, 9, 2) };
    expect(await run()).toMatchObject({ status: 'unchanged', counts: { unchanged: 120 } });
    expect(server.requests.length).toBeGreaterThan(3);
    Object.assign(feed.roll.columns, { situs_address: 'OWNER' });
    expect(await run()).toMatchObject({ status: 'merged', counts: { changed: 120 } });
  });
});

test('a land layer that was removed is read again', async () => {
  const metadata = {
    geometryType: 'esriGeometryPolygon',
    editingInfo: { lastEditDate: 1 },
    fields: [...METADATA.fields, { name: 'ATTRIBUTE', type: 'esriFieldTypeString', alias: 'ATTRIBUTE' }],
  };
  const features = lots(30);
  for (const { attributes } of features) attributes.ATTRIBUTE = 'PFO1E';
  await withLayer({ features, metadata }, async server => {
    const layer = { source: server.source, format: 'arcgis', columns: { type: { value: 'Wetland' } } };
    const feed = feedOf(folder, { name: 'arcgis-wetlands', kind: 'wetlands', fips: '33019', layer });
    expect(await ingest(pool, feed)).toMatchObject({ status: 'merged' });
    expect(await ingest(pool, feed)).toMatchObject({ status: 'unchanged' });
    await removeLayer(pool, 'arcgis-wetlands', new AbortController().signal);
    expect(await ingest(pool, feed)).toMatchObject({ status: 'merged' });
    expect(await one(pool, 'select count(*)::int as n from layer_features')).toEqual({ n: 30 });
  });
});

test('a check requests no more than it looks at', async () => {
  await withLayer({ features: lots(400) }, async server => {
    const check = await checkFeed(feedOf(folder, definition('arcgis-checked', server.source)), { rows: 50 });
    expect(check).toMatchObject({
      ok: true,
      parts: [{ rows: 50, whole: false, usable: 50, withGeometry: 50 }],
    });
    expect(server.requests).toHaveLength(3);
    expect(Math.max(...server.queries.map(query => Number(query.get('resultRecordCount'))))).toBe(51);
    const small = await checkFeed(feedOf(folder, definition('arcgis-small', server.source)), { rows: 500 });
    expect(small.parts).toMatchObject([{ rows: 400, whole: true }]);
  });
});
