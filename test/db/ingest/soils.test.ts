import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LAND_KERNELS } from '../../../shared/land/compute-land.ts';
import type { Overlay } from '../../../shared/model/overlays.ts';
import { createTestDatabase } from '../../support/database.ts';
import { all, feedOf, ingest, ingestRoll, square } from '../../support/ingest.ts';
import { type MapUnit, ring, surveyZip } from '../../support/soil-survey.ts';
import { settle } from '../attributes-support.ts';

const { folder, pool } = await createTestDatabase();

const UNITS: MapUnit[] = [
  {
    mukey: '1',
    septic: 'Very limited',
    farmland: 'Prime farmland if drained',
    drainage: 'Poorly drained',
    hydric: 95,
    waterCm: 15,
  },
  { mukey: '2', septic: 'Not limited', farmland: 'All areas are prime farmland', hydric: 0, bedrockCm: 100 },
  { mukey: '3', symbol: 'W', septic: 'Not rated', farmland: 'Not prime farmland', hydric: 0 },
  { mukey: '4', farmland: 'Farmland of statewide importance, if drained', hydric: 33, tables: ['mapunit'] },
  { mukey: '5', symbol: 'NOTCOM', tables: [] },
];

const polygons = UNITS.map(({ mukey }, i) => ({ mukey, ring: ring(-91.4 + 0.02 * i, 33.3) }));

const soils = (source: string | string[], more: Record<string, unknown> = {}) =>
  feedOf(folder, {
    name: 'soils',
    kind: 'overlay',
    preset: 'soils',
    fips: '05017',
    layer: { source, format: 'ssurgo', ...more },
  });

test('a survey area fills all soil overlays; unrated units are kept, and unsurveyed land is skipped', async () => {
  writeFileSync(join(folder, 'ar017.zip'), surveyZip('AR017', UNITS, polygons));
  const { status, counts } = await ingest(pool, soils('ar017.zip', { within: 'county' }));
  expect([status, counts]).toMatchObject([
    'merged',
    { read: { layer: 5 }, skipped: 1, rows: 4, rejected: {} },
  ]);
  expect(counts.dropped).toEqual({ row: 1 });
  const rows = await all(pool, 'select overlays from layer_features');
  expect(rows.map(({ overlays }) => overlays)).toEqual(
    expect.arrayContaining([
      {
        soil_septic: 'very_limited',
        soil_farmland: 'prime_if',
        soil_drainage: 'poor',
        soil_hydric: 'mostly_hydric',
        depth_to_water_in: expect.closeTo(5.9, 1),
      },
      {
        soil_septic: 'not_limited',
        soil_farmland: 'prime',
        soil_drainage: 'not_rated',
        soil_hydric: 'not_hydric',
        depth_to_bedrock_in: expect.closeTo(39.4, 1),
      },
      {
        soil_septic: 'not_rated',
        soil_farmland: 'not_prime',
        soil_drainage: 'not_rated',
        soil_hydric: 'not_hydric',
      },
      {
        soil_septic: 'not_rated',
        soil_farmland: 'statewide',
        soil_drainage: 'not_rated',
        soil_hydric: 'not_rated',
      },
    ]),
  );
});

test('a county with several survey areas has the soils of all of them, each with its own tables', async () => {
  const areas = ['AR017', 'AR041'].map((area, i) => {
    writeFileSync(
      join(folder, `${area}.zip`),
      surveyZip(
        area,
        [{ mukey: '9', septic: i === 0 ? 'Not limited' : 'Very limited' }],
        [{ mukey: '9', ring: ring(-91.4 + 0.02 * i, 33.4) }],
      ),
    );
    return `${area}.zip`;
  });
  const { status, counts } = await ingest(pool, soils(areas), { force: true });
  expect([status, counts]).toMatchObject(['merged', { read: { layer: 2 }, rows: 2 }]);
  const [layer] = await all<{ overlays: Overlay[] }>(pool, 'select overlays from land_layers');
  const septic = layer!.overlays.find(({ name }) => name === 'soil_septic')!;
  expect(Object.fromEntries(septic.classes.map(each => [each.class, each.features]))).toMatchObject({
    not_limited: 1,
    very_limited: 1,
    somewhat_limited: 0,
  });
  expect(septic).toMatchObject({ note: expect.any(String), numbers: [{ unit: 'in' }, { unit: 'in' }] });
  expect(layer!.overlays.find(({ name }) => name === 'soil_drainage')).not.toHaveProperty('note');
});

test('a layer without features in the county is accepted only if the feed allows it', async () => {
  const far = { type: 'LineString', coordinates: ring(-121.5, 38.5) };
  const collection = {
    type: 'FeatureCollection',
    features: [
      { type: 'Feature', properties: { MTFCC: 'R1011', FULLNAME: 'Union Pacific RR' }, geometry: far },
    ],
  };
  writeFileSync(join(folder, 'rails.geojson'), JSON.stringify(collection));
  const rails = (gates: Record<string, unknown>) =>
    feedOf(folder, {
      name: 'rails',
      kind: 'overlay',
      preset: 'railroads',
      fips: '05017',
      layer: { source: 'rails.geojson', format: 'geojson', within: 'county' },
      gates,
    });
  expect(await ingest(pool, rails({}))).toMatchObject({ status: 'blocked', counts: { skipped: 1 } });
  expect(await ingest(pool, rails({ allow_empty: true }))).toMatchObject({
    status: 'merged',
    counts: { skipped: 1, rows: 0 },
  });
});

type ExpectedLot = {
  west: number;
  south: number;
  septic: Record<string, number>;
  drainage: Record<string, number>;
  depth_to_water_in: number | null;
};

test('shares and depths of real soils are those that GEOS computes', async () => {
  const fixtures = join(import.meta.dirname, '../../fixtures/soils');
  const expected = readFileSync(join(fixtures, 'expected.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as ExpectedLot);
  const lots = expected.map(({ west, south }, n) => ({
    properties: { PIN: `P${n}` },
    geometry: square(west, south, 0.002),
  }));
  expect(await ingestRoll(pool, folder, 'roll', lots, { fips: '05017' })).toMatchObject({ status: 'merged' });
  const { status, counts } = await ingest(pool, soils(join(fixtures, 'ar017_clip.zip')), { force: true });
  expect([status, counts]).toMatchObject(['merged', { rows: 34, rejected: {}, dropped: {} }]);
  await settle(pool, LAND_KERNELS);

  type Measured = {
    source_key: string;
    overlay: string;
    shares: Record<string, number>;
    water: number | null;
  };
  const measured = await all<Measured>(
    pool,
    `select p.source_key, o.overlay, (o.numbers->>'depth_to_water_in')::float8 as water,
       (select jsonb_object_agg(class, percent) from unnest(o.classes, o.percents) c (class, percent)) as shares
     from parcel_overlays o join parcels p using (fips, property_id)`,
  );
  for (const [n, lot] of expected.entries()) {
    const of = (overlay: string) =>
      measured.find(row => row.source_key === `P${n}` && row.overlay === overlay)!;
    expectShares(of('soil_septic').shares, lot.septic, SEPTIC);
    expectShares(of('soil_drainage').shares, lot.drainage, DRAINAGE);
    if (lot.depth_to_water_in === null) expect(of('soil_septic').water).toBeNull();
    else expect(of('soil_septic').water).toBeCloseTo(lot.depth_to_water_in, 1);
  }
});

const SEPTIC = {
  'Very limited': 'very_limited',
  'Somewhat limited': 'somewhat_limited',
  'Not rated': 'not_rated',
};
const DRAINAGE = {
  'Well drained': 'well',
  'Moderately well drained': 'moderately_well',
  'Somewhat poorly drained': 'somewhat_poor',
  'Poorly drained': 'poor',
  'Not rated': 'not_rated',
};

function expectShares(
  shares: Record<string, number>,
  expected: Record<string, number>,
  names: Record<string, string>,
) {
  const classes = new Set([...Object.keys(shares), ...Object.keys(expected).map(name => names[name])]);
  for (const name of classes) {
    const [key] = Object.entries(names).find(([, each]) => each === name)!;
    expect(Math.abs((shares[name!] ?? 0) - (expected[key] ?? 0))).toBeLessThan(0.02);
  }
}
