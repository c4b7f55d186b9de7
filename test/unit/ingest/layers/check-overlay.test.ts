import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { renderCheck } from '../../../../cli/feed-check-report.ts';
import { checkFeed } from '../../../../workers/ingest/check-feed.ts';
import { parseFeed } from '../../../../workers/ingest/load-feeds.ts';
import { testFolder } from '../../../support/folder.ts';
import { ring } from '../../../support/soil-survey.ts';

const folder = testFolder();

const area = { type: 'Polygon', coordinates: [ring(-72, 43)] };
const line = {
  type: 'LineString',
  coordinates: [
    [-72, 43],
    [-71.99, 43],
  ],
};

/** Checks a zoning feed of these features. */
function check(features: readonly (readonly [properties: object, geometry: object])[], feed: object = {}) {
  const file = {
    features: features.map(([properties, geometry]) => ({ type: 'Feature', properties, geometry })),
  };
  writeFileSync(join(folder, 'z.geojson'), JSON.stringify({ type: 'FeatureCollection', ...file }));
  const text = stringify({
    name: 'z',
    kind: 'overlay',
    layer: {
      source: 'z.geojson',
      format: 'geojson',
      columns: {
        zoning: { column: 'ZONE', contains: { 'R-': 'house', BUS: 'shop' } },
        height_ft: 'MAX_HEIGHT',
      },
    },
    overlays: {
      zoning: {
        label: 'Zoning',
        distance_ft: 500,
        classes: { house: {}, shop: {} },
        numbers: { height_ft: { label: 'Height limit', unit: 'ft' } },
      },
    },
    ...feed,
  });
  return checkFeed(parseFeed(text, join(folder, 'z.yaml')));
}

test('counts the features by class, and shows the numbers', async () => {
  const found = await check([
    [{ ZONE: 'R-1', MAX_HEIGHT: 35 }, area],
    [{ ZONE: 'R-2', MAX_HEIGHT: 'tall' }, area],
    [{ ZONE: 'BUS' }, line],
  ]);
  expect(found).toMatchObject({ ok: true, kind: 'overlay', problems: [], extent: [-72, 43, -71.99, 43.01] });
  const [part] = found.parts;
  expect(part).toMatchObject({
    rows: 3,
    withGeometry: 3,
    classes: { counting: { house: 2, shop: 1 }, notCounting: {} },
    rejected: [],
    dropped: [{ field: 'height_ft', count: 1, rowNo: 2 }],
  });
  expect(part!.columns).toMatchObject([
    {
      target: 'zoning',
      from: ['ZONE'],
      filled: 3,
      samples: expect.arrayContaining([{ in: 'BUS', out: 'shop' }]),
    },
    { target: 'height_ft', from: ['MAX_HEIGHT'], filled: 1, samples: [{ in: '35', out: '35' }] },
  ]);
  expect(renderCheck(found)).toContain(': house 2, shop 1');
});

test('reports features without a class that the overlay declares', async () => {
  const found = await check([
    [{ ZONE: 'R-1', MAX_HEIGHT: 35 }, area],
    [{ ZONE: 'AGR' }, area],
    [{ ZONE: null }, area],
  ]);
  expect(found.ok).toBe(false);
  expect(found.parts[0]).toMatchObject({
    classes: { counting: { house: 1 } },
    rejected: [
      {
        field: 'zoning',
        reason: 'unknown_class',
        count: 1,
        rowNo: 2,
        message: expect.stringMatching(/'AGR'.*overlays\.zoning\.classes/),
      },
      {
        field: 'zoning',
        reason: 'missing_class',
        count: 1,
        rowNo: 3,
        message: expect.stringMatching(/^zoning is\b/),
      },
    ],
  });
  expect(found.problems).toEqual([expect.stringMatching(/^layer: 2 of 3 rows .*\b66\.7%.*[^.]\.$/)]);
});

test('names the columns that the source lacks', async () => {
  const { ok, problems } = await check([[{ ZONING: 'R-1' }, area]]);
  expect(ok).toBe(false);
  expect(problems).toEqual([
    expect.stringMatching(/columns\.zoning: .*ZONE.*ZONING/),
    expect.stringMatching(/columns\.height_ft: .*MAX_HEIGHT/),
  ]);
});
