import { expect, test } from 'vitest';
import { LAND_KERNELS } from '../../shared/land/compute-land.ts';
import { ALL_LAYERS } from '../../shared/model/land-layers.ts';
import { createTestDatabase } from '../support/database.ts';
import { all, type Feature, ingest, ingestRoll, ORIGIN } from '../support/ingest.ts';
import { roadFeed, writeRoads } from '../support/layers.ts';
import { settle } from './attributes-support.ts';

// A county line runs between two lots. The northern one is 33 m from a highway, whose reach is 60 m; the
// southern one of the next county fills the ground between.
const { folder, pool } = await createTestDatabase();

const [HOME, NEXT] = ['33019', '33013'];
const [WEST, SOUTH] = ORIGIN;
const WIDTH = 0.001;
/** The lot's front in feet: 0.001 degrees of longitude at 43.2 N are 81.27 m. */
const FRONT_FT = 81.27 / 0.3048;

function lot(pin: string, south: number, north: number, west: number = WEST): Feature {
  const [w, s, e, n] = [west, SOUTH + south, west + WIDTH, SOUTH + north];
  const ring = [
    [w, s],
    [e, s],
    [e, n],
    [w, n],
    [w, s],
  ];
  return { properties: { PIN: pin }, geometry: { type: 'Polygon', coordinates: [ring] } };
}
const NORTHERN = lot('NORTHERN', 0.0002, 0.0007);
const SOUTHERN = lot('SOUTHERN', 0, 0.0002);
/** Beyond the reach of everything here. */
const FAR = lot('FAR', 0.01, 0.011);

/** All of it lies in the one county: the gate would ask whether the roll is another's. */
async function bringRoll(fips: string, lots: Feature[]): Promise<void> {
  const { status } = await ingestRoll(pool, folder, `roll-${fips}`, lots, { fips, force: true });
  expect(status).toBe('merged');
}

/** Roads of a county, which cover it and nothing else. @returns the layer's version */
async function bringRoads(fips: string, lines: Feature[]): Promise<number> {
  writeRoads(folder, `roads-${fips}`, lines);
  const { status, runId } = await ingest(pool, roadFeed(folder, `roads-${fips}`, { fips }), {
    force: true,
  });
  expect(status).toBe('merged');
  return runId;
}

function line(mtfcc: string, south: number): Feature {
  const coordinates = [WEST - 0.001, WEST + 2 * WIDTH].map(lon => [lon, SOUTH + south]);
  return { properties: { MTFCC: mtfcc }, geometry: { type: 'LineString', coordinates } };
}
const HIGHWAY = line('S1100', -0.0001);
const ELSEWHERE = line('S1400', 0.02);

async function land(pin: string) {
  const rows = await all<{ landlocked: boolean; feet: number; runs: number[] }>(
    pool,
    `select a.landlocked, a.highway_frontage_ft as feet, array_to_json(a.roads_runs) as runs
     from parcel_attributes a join parcels p using (fips, property_id) where p.source_key = $1`,
    [pin],
  );
  return rows[0];
}

async function marks(): Promise<Record<string, number>> {
  const rows = await all<{ key: string; layers: number }>(
    pool,
    'select source_key as key, layers from attributes_dirty join parcels using (fips, property_id) order by 1',
  );
  return Object.fromEntries(rows.map(({ key, layers }) => [key, layers]));
}

test('land across the county line blocks once it is loaded, and changes there mark the neighbors here', async () => {
  const here = await bringRoads(HOME, [ELSEWHERE]);
  const there = await bringRoads(NEXT, [HIGHWAY]);
  await bringRoll(HOME, [NORTHERN, FAR]);
  await settle(pool, LAND_KERNELS);
  // Where the next county is not loaded nothing is in the way, and its road counts for the
  // lots along the line.
  expect(await land('NORTHERN')).toEqual({
    landlocked: false,
    feet: expect.closeTo(FRONT_FT, -1),
    // The version of the layer that shows the road is recorded, too.
    runs: [here, there],
  });
  expect(await land('FAR')).toEqual({ landlocked: true, feet: 0, runs: [here] });

  await bringRoll(NEXT, [SOUTHERN]);
  expect(await marks()).toEqual({ NORTHERN: 2, SOUTHERN: ALL_LAYERS });
  await settle(pool, LAND_KERNELS);
  expect(await land('NORTHERN')).toMatchObject({ landlocked: true, feet: 0 });
  expect(await land('SOUTHERN')).toEqual({
    landlocked: false,
    feet: expect.closeTo(FRONT_FT, -1),
    runs: [there],
  });

  // A version later the road is still the next county's.
  const later = await bringRoads(NEXT, [HIGHWAY, line('S1400', 0.03)]);
  await settle(pool, LAND_KERNELS);
  expect(await land('NORTHERN')).toEqual({ landlocked: true, feet: 0, runs: [here, later] });

  // It gives its eastern half away.
  const half = { ...SOUTHERN, geometry: lot('', 0, 0.0002, WEST - WIDTH / 2).geometry };
  await bringRoll(NEXT, [half]);
  expect(await marks()).toEqual({ NORTHERN: 2, SOUTHERN: ALL_LAYERS });
  await settle(pool, LAND_KERNELS);
  expect(await land('NORTHERN')).toMatchObject({
    landlocked: false,
    feet: expect.closeTo(FRONT_FT / 2, -1.5),
  });

  await bringRoll(NEXT, [lot('ANOTHER', 0.02, 0.021)]);
  expect(await marks()).toMatchObject({ NORTHERN: 2 });
  await settle(pool, LAND_KERNELS);
  expect(await land('NORTHERN')).toMatchObject({ landlocked: false, feet: expect.closeTo(FRONT_FT, -1) });

  // A parcel that is a point has no ground that could be in the way.
  const coordinates = [WEST + WIDTH / 2, SOUTH + 0.0001];
  await bringRoll(NEXT, [{ ...SOUTHERN, geometry: { type: 'Point', coordinates } }]);
  expect(await marks()).toMatchObject({ NORTHERN: 2 });
  await settle(pool, LAND_KERNELS);
  expect(await marks()).toEqual({});
  expect(await land('NORTHERN')).toMatchObject({ landlocked: false, feet: expect.closeTo(FRONT_FT, -1) });
});
