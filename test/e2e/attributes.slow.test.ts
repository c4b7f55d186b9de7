import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { stringify } from 'yaml';
import { deliverJobs } from '../../cli/common/cli-session.ts';
import { ingestJob } from '../../shared/feeds/ingest-runs.ts';
import { createLogger } from '../../shared/platform/log.ts';
import { enqueue, waitForJob } from '../../shared/platform/queue/jobs.ts';
import { sql } from '../../shared/platform/statements.ts';
import { allJobs } from '../../workers/all-jobs.ts';
import { removeLayer } from '../../workers/ingest/layers/layer-editions.ts';
import { type RunningWorker, startWorker } from '../../workers/start-worker.ts';
import { newCaller, posting, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { geographicKeys, writeTiff } from '../support/geotiff.ts';
import { journey } from '../support/journey.ts';

// A place drawn in meters, brought by feeds through a worker, and asked of the API's filters. North is up:
//
//   ═══════ highway, y = 400 ═══════
//               [E]
//   [B]                                      [F] a kilometer away, where no layer covers it
//   [A]   [C]   [D]
//               [S]  a strip in front of D
//   ─────── local road, y = -8 ────────
const FEEDS = mkdtempSync(join(tmpdir(), 'plat-land-'));
const db = await createTestDatabase({ FEEDS_DIR: FEEDS });
const api = await startTestApi(db);
const { key } = await newCaller(db);
const log = createLogger(db.config, 'test');
let worker: RunningWorker;
afterAll(async () => {
  await worker?.stop();
  rmSync(FEEDS, { recursive: true });
});

const [LON, LAT] = [-72.15, 43.2];
/** Meters of a degree there, on the WGS84 ellipsoid. */
const [ACROSS_M, UP_M] = [81_268, 111_096];
const at = (x: number, y: number) => [LON + x / ACROSS_M, LAT + y / UP_M];
const line = (...points: [number, number][]) => ({
  type: 'LineString',
  coordinates: points.map(([x, y]) => at(x, y)),
});
const rectangle = (west: number, south: number, east: number, north: number) => ({
  type: 'Polygon',
  coordinates: [[at(west, south), at(east, south), at(east, north), at(west, north), at(west, south)]],
});
const COVERAGE = [...at(-100, -100), ...at(600, 600)];

const LOTS: Record<string, object> = {
  A: rectangle(0, 0, 60, 80),
  B: rectangle(0, 80, 60, 160),
  C: rectangle(70, 0, 130, 80),
  D: rectangle(140, 6, 200, 80),
  E: rectangle(70, 300, 130, 380),
  F: rectangle(1000, 0, 1060, 80),
  S: rectangle(138, 0, 202, 6),
};
const LOCAL = { MTFCC: 'S1400', geometry: line([-50, -8], [350, -8]) };
const HIGHWAY = { MTFCC: 'S1100', geometry: line([-50, 400], [350, 400]) };

type FeatureRow = { geometry: object } & Record<string, unknown>;

function writeFeed(name: string, definition: object, features: FeatureRow[]): void {
  writeFileSync(join(FEEDS, `${name}.yaml`), stringify({ name, ...definition }));
  const lines = features.map(({ geometry, ...properties }) =>
    JSON.stringify({ type: 'Feature', properties, geometry }),
  );
  writeFileSync(join(FEEDS, `${name}.ndgeojson`), lines.join('\n'));
}

function writeRoll(lots: Record<string, object>, owner: (pin: string) => string = () => 'SOMEONE'): void {
  const roll = {
    source: 'roll.ndgeojson',
    format: 'ndgeojson',
    key: 'PIN',
    columns: { apn: 'PIN', owner_name: 'OWNER' },
  };
  writeFeed(
    'roll',
    { kind: 'assessor', fips: '33019', roll },
    Object.entries(lots).map(([PIN, geometry]) => ({ PIN, OWNER: owner(PIN), geometry })),
  );
}

function writeLayer(kind: string, features: FeatureRow[]): void {
  const layer = { source: `${kind}.ndgeojson`, format: 'ndgeojson' };
  writeFeed(kind, { kind, layer, coverage: COVERAGE }, features);
}

/** Flat up to x = 65, from there a slope of 20 % to the east. */
function writeHeights(): void {
  const [originX, originY] = at(-100, 600) as [number, number];
  writeTiff(join(FEEDS, 'heights.tif'), {
    width: 140,
    height: 140,
    at: column => 100 + Math.max(0, 5 * (column + 0.5) - 100 - 65) * 0.2,
    tile: 64,
    deflate: true,
    grid: { originX, originY, stepX: 5 / ACROSS_M, stepY: -5 / UP_M },
    keys: geographicKeys(4326),
  });
  const definition = { name: 'heights', kind: 'elevation', elevation: { source: 'heights.tif' } };
  writeFileSync(join(FEEDS, 'heights.yaml'), stringify(definition));
}

/**
 * Has the worker ingest feeds one after the other, and waits until it has computed what that put out of date.
 */
async function bring(...feeds: string[]): Promise<void> {
  for (const feed of feeds) {
    const { id } = await enqueue(db.pool, ingestJob, ingestJob.payload.parse({ feed, force: true }));
    await deliverJobs({ config: { ...db.config, DATABASE_URL: db.url }, db: db.pool, log }, [id]);
    const { status, result, error } = await waitForJob(db.pool, id);
    expect({ feed, status, result, error }).toMatchObject({ status: 'done', result: { status: 'merged' } });
  }
  await settled();
}

/** Waits until no job of land attributes is left to be done. */
async function settled(): Promise<void> {
  for (let open = true; open; await sleep(50)) {
    const { rows } = await db.pool.query<{ open: boolean; waiting: number }>(sql('land/get_dirty_state'));
    open = rows[0]!.open;
    if (!open) expect(rows[0]!.waiting).toBe(0);
  }
}

beforeAll(async () => {
  writeRoll(LOTS);
  writeLayer('roads', [LOCAL, HIGHWAY, { MTFCC: 'S1820', geometry: line([-8, 70], [-8, 170]) }]);
  writeLayer('wetlands', [
    {
      ATTRIBUTE: 'PFO1E',
      WETLAND_TYPE: 'Freshwater Forested/Shrub Wetland',
      geometry: rectangle(50, -10, 100, 90),
    },
  ]);
  writeLayer('flood', [
    { FLD_ZONE: 'AE', SFHA_TF: 'T', geometry: rectangle(65, -10, 135, 90) },
    { FLD_ZONE: 'X', SFHA_TF: 'F', geometry: rectangle(135, -10, 210, 90) },
  ]);
  writeHeights();
  worker = await startWorker(db.config, log, allJobs);
  await bring('roads', 'wetlands', 'flood', 'heights', 'roll');
});

/** The lots that a filter finds, by their letters. */
async function found(filter: object): Promise<string> {
  const { status, json, text } = await api.call(
    '/api/public/v1/properties/filter/',
    posting(key, JSON.stringify({ county: '33019', ...filter })),
  );
  if (status !== 200) throw new Error(text);
  return (json as { results: { apn: string }[] }).results
    .map(({ apn }) => apn)
    .sort()
    .join('');
}

async function detail(apn: string): Promise<Record<string, unknown>> {
  const { rows } = await db.pool.query<{ property_id: number }>(
    'select property_id from parcels where apn = $1',
    [apn],
  );
  return (await api.call(`/api/public/v1/properties/${rows[0]!.property_id}/`, { key })).json as Record<
    string,
    unknown
  >;
}

const FT = 1 / 0.3048;

journey('filters and parcels follow what feeds bring', step => {
  step('filters answer with what the layers tell', async () => {
    expect(await found({})).toBe('ABCDEFS');
    // The gap between C and D leads to the street. B touches a street only at a corner.
    expect(await found({ access: ['unmapped'] })).toBe('D');
    expect(await found({ access: ['public_road', 'none'] })).toBe('ABCES');
    expect(await found({ access: ['unknown'] })).toBe('F');
    expect(await found({ only_landlocked: true })).toBe('B');
    expect(await found({ exclude_landlocked: true })).toBe('ACDEFS');
    expect(await found({ wetlands_percent_max: 20 })).toBe('ABDES');
    expect(await found({ wetlands_percent_max: 55 })).toBe('ABCDES');
    expect(await found({ flood_zone_percent_max: 99 })).toBe('ABDES');
    expect(await found({ slope_area_index: 4, slope_area_percent: 20 })).toBe('AB');
    expect(await found({ slope_area_index: 7, slope_area_percent: 20 })).toBe('ABCDES');
    expect(await found({ road_frontage_min: 150 })).toBe('ACES');
    expect(await found({ road_frontage_min: 150, count_highway_frontage: false })).toBe('ACS');
    expect(await found({ road_frontage_max: 10 })).toBe('BD');
  });

  step('a parcel tells its figures', async () => {
    expect(await detail('A')).toMatchObject({
      access: 'public_road',
      landlocked: false,
      highway_frontage_ft: 0,
      road_frontage_ft: 0,
      // Its front, and of its sides the first meters at most.
      local_frontage_ft: expect.closeTo(60 * FT, -1),
      wetlands_percent: expect.closeTo(100 / 6, 1),
      flood_zone_percent: 0,
      mean_slope_percent: expect.closeTo(0, 1),
      min_elevation_m: 100,
      max_elevation_m: 100,
    });
    expect(await detail('C')).toMatchObject({
      wetlands_percent: expect.closeTo(50, 1),
      flood_zone_percent: expect.closeTo(100, 3),
      mean_slope_percent: expect.closeTo(20, 1),
      mean_elevation_m: expect.closeTo(107, 0),
    });
    expect(await detail('F')).toMatchObject({
      landlocked: null,
      local_frontage_ft: null,
      wetlands_percent: null,
      flood_zone_percent: null,
      steeper_percent: null,
      mean_elevation_m: null,
    });
  });

  step(
    'a new version of a layer: what it tells, and the version, of the parcels that it covers',
    async () => {
      const versions = () =>
        db.pool.query<{ apn: string; roads: string[] | null; flood: string[] | null }>(
          'select apn, roads_runs as roads, flood_runs as flood from parcel_attributes join parcels using (fips, property_id) order by apn',
        );
      const before = (await versions()).rows;
      writeLayer('roads', [LOCAL, HIGHWAY, { MTFCC: 'S1200', geometry: line([-8, 70], [-8, 170]) }]);
      await bring('roads');
      expect(await found({ access: ['unmapped'] })).toBe('D');
      expect((await detail('B')).road_frontage_ft).toBeCloseTo(80 * FT, -1);
      const after = (await versions()).rows;
      for (const [i, { apn, roads, flood }] of before.entries()) {
        expect(after[i]!.flood).toEqual(flood);
        if (apn === 'F') expect(after[i]!.roads).toBeNull();
        else expect(after[i]!.roads).not.toEqual(roads);
      }
    },
  );

  step('what only the roll says of a parcel moves none of its figures, not even for a moment', async () => {
    const before = await detail('A');
    writeRoll(LOTS, pin => (pin === 'A' ? 'ANOTHER' : 'SOMEONE'));
    await bring('roll');
    const after = await detail('A');
    expect(after.row_version).toBeGreaterThan(Number(before.row_version));
    expect(after).toEqual({ ...before, row_version: after.row_version, owner_name: 'ANOTHER' });
    const { rows } = await db.pool.query(
      "select from jobs where name = 'attributes.chunk' and queued_at > $1",
      [
        (
          await db.pool.query<{ at: Date }>(
            "select max(finished_at) as at from jobs where name = 'ingest.run'",
          )
        ).rows[0]!.at,
      ],
    );
    expect(rows).toEqual([]);
  });

  step('a strip that leaves the roll gives the parcel behind it its frontage', async () => {
    const { S: _strip, ...rest } = LOTS;
    writeRoll(rest, pin => (pin === 'A' ? 'ANOTHER' : 'SOMEONE'));
    await bring('roll');
    expect(await found({ access: ['unmapped'] })).toBe('');
    expect((await detail('D')).local_frontage_ft).toBeCloseTo(60 * FT, -1);
    expect(await detail('S')).toMatchObject({ access: 'unknown', landlocked: null, min_elevation_m: null });
  });

  step('a layer that is removed: filters answer as before it came, and its runs stay', async () => {
    expect(await found({ only_landlocked: true })).toBe('');
    expect(await found({ wetlands_percent_max: 20 })).toBe('ABDE');
    const { job, ...removed } = await removeLayer(db.pool, 'wetlands', new AbortController().signal);
    // All but F, a kilometer away.
    expect(removed).toEqual({ kind: 'wetlands', features: 1, tiles: 0, parcels: 5 });
    await deliverJobs({ config: { ...db.config, DATABASE_URL: db.url }, db: db.pool, log }, [job!]);
    await settled();
    expect(await found({ wetlands_percent_max: 20 })).toBe('');
    expect(await detail('C')).toMatchObject({
      wetlands_percent: null,
      flood_zone_percent: expect.any(Number),
    });
    const { rows } = await db.pool.query(
      "select status from runs join feeds f on f.id = feed_id where f.name = 'wetlands'",
    );
    expect(rows).toEqual([{ status: 'merged' }]);

    await removeLayer(db.pool, 'heights', new AbortController().signal);
    await bring('wetlands');
    expect(await found({ wetlands_percent_max: 20 })).toBe('ABDE');
    expect(await found({ slope_area_index: 4, slope_area_percent: 20 })).toBe('');
    expect((await db.pool.query('select from elevation_tiles')).rowCount).toBe(0);
  });
});
