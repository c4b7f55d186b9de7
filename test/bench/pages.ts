import { renderToString } from 'preact-render-to-string';
import { Document } from '../../api/pages/frame/document.tsx';
import type { Visit } from '../../api/pages/frame/visit.ts';
import { dataPage } from '../../api/pages/map/map-page.tsx';
import { parcelTile } from '../../api/pages/map/map-tiles.ts';
import { SESSION_SETTINGS } from '../../api/start-api.ts';
import { makeParcelTile } from '../../api/tiles/parcel-tiles.ts';
import type { Tile } from '../../api/tiles/tile-geometry.ts';
import { openResources } from '../../api/v1/common/endpoint-resources.ts';
import { filterParcels } from '../../api/v1/parcels/filter/filter-parcels.ts';
import { createAccount } from '../../shared/accounts/accounts.ts';
import { COMPUTE_HERE } from '../../shared/geo/shape-work.ts';
import { loadConfig } from '../../shared/platform/config.ts';
import { countyAt } from '../../shared/regions/county-polygons.ts';
import { openTestDb, type TestDb } from '../support/test-db.ts';
import { type BenchOptions, type BenchResult, judged, median, timed, withBenchDatabase } from './bench.ts';
import { seedCounties } from './filter-county.ts';
import { compareIdle } from './pages-idle.ts';
import { openPostgis, tilesAround } from './postgis-tiles.ts';

const PARCELS = 200_000;
const MAX_RATIO = 1.5;
const CACHED_MS = 5;
const WEST = -936_000_000;

/**
 * Measures a map tile at zoom 14 in a county of 200,000 parcels, both freshly rendered and from the cache.
 * Also measures a page with a table of 500 parcels, compared with the endpoint it reads, and the map in a
 * browser (pages-idle.ts). The tile's reference is ST_AsMVT on the server at POSTGIS_URL with the same tiles
 * and columns. Without that server, the tile is measured alone.
 */
export async function bench(options: BenchOptions): Promise<BenchResult[]> {
  const served = await withBenchDatabase(options, async (url, pool) => {
    const parcels = options.quick ? 2_000 : PARCELS;
    // The county of 200,000 lots is 0.31 degrees wide and tall. Smaller counties are narrower.
    const half = 0.155 * Math.sqrt(parcels / PARCELS);
    const middle = [WEST / 1e7 + half, 41.5 + half] as const;
    const fips = countyAt(...middle)!;
    options.note(`  writing a county of ${parcels} parcels`);
    await seedCounties(pool, [{ fips, parcels, west: WEST }]);
    await seedValues(pool, fips);
    const rounds = options.quick ? 2 : 20;
    const config = loadConfig({ DATABASE_URL: url, LOG_LEVEL: 'warn' });
    const asServed = openTestDb(config, {
      applicationName: 'plat bench',
      settings: SESSION_SETTINGS,
    });
    try {
      return [
        ...(await compareTiles(options, asServed, tilesAround(middle), rounds)),
        await comparePage(asServed, fips, rounds),
      ];
    } finally {
      await asServed.end();
    }
  });
  return [...served, ...(await compareIdle(options))];
}

/** Estimates for every parcel, which color the map and the rows of a table. */
async function seedValues(pool: TestDb, fips: number): Promise<void> {
  await pool.query(
    `insert into valuations (
       fips, property_id, mean_price, mean_ppa, mean_adjusted_price, mean_adjusted_ppa, gini_index,
       confidence_score, low_price, high_price, out_of_support, comps, as_of, model_version
     )
     select fips, property_id, ppa * 5, ppa, ppa * 5, ppa, 20, 50, ppa * 4, ppa * 6, false, '', '2026-01-01', 'bench'
     from parcel_filters
     cross join lateral (select 1000 + (property_id * 7919) % 100003 as ppa) value
     where fips = $1`,
    [fips],
  );
  await pool.query(
    `insert into valuation_counties (fips, ppa_breaks, ppa_counts)
     select fips, '{20000,40000,60000,80000}', array[count(*) / 5, count(*) / 5, count(*) / 5, count(*) / 5, count(*) / 5]
     from parcel_filters
     group by fips`,
  );
  await pool.query('vacuum analyze valuations');
}

async function compareTiles(
  { note }: BenchOptions,
  pool: TestDb,
  tiles: Tile[],
  rounds: number,
): Promise<BenchResult[]> {
  const resources = openResources(pool.forApi(), undefined, undefined as never, undefined as never);
  const reference = process.env.POSTGIS_URL ? await openPostgis(process.env.POSTGIS_URL, pool) : undefined;
  const ours: number[] = [];
  const theirs: number[] = [];
  const cached: number[] = [];
  let bytes = 0;
  for (let round = 0; round <= rounds; round++) {
    for (const tile of tiles) {
      const made = await timed(async () => {
        bytes = (await makeParcelTile(resources.db, tile)).length;
      });
      const there = reference ? await timed(() => reference.tile(tile)) : 0;
      await parcelTile(resources, tile);
      const again = await timed(() => parcelTile(resources, tile));
      // The first round warms up both sides.
      if (round === 0) continue;
      ours.push(made);
      theirs.push(there);
      cached.push(again);
    }
  }
  await reference?.close();
  const details = { tiles: ours.length, 'ms a tile': median(ours).toFixed(1), 'bytes a tile': bytes };
  const fromCache = judged(
    { name: 'pages: parcel tile from the cache', reference: '', value: median(cached), unit: 'ms', details },
    { most: CACHED_MS },
  );
  if (reference === undefined) {
    note('  POSTGIS_URL is not set: the tile has no reference');
    return [fromCache];
  }
  const cold = judged(
    {
      name: 'pages: parcel tile at zoom 14, made anew',
      reference: 'ST_AsMVT of the same tile and columns',
      value: median(ours) / median(theirs),
      unit: 'x',
      details: { ...details, 'ms of ST_AsMVT': median(theirs).toFixed(1) },
    },
    { most: MAX_RATIO },
  );
  return [cold, fromCache];
}

async function comparePage(pool: TestDb, fips: number, rounds: number): Promise<BenchResult> {
  const { id } = await createAccount(pool, { name: 'bench', tier: 'scale' });
  const db = pool.forApi();
  const resources = openResources(db, undefined, undefined as never, undefined as never);
  const url = new URL(`http://127.0.0.1/data?county=${fips}&page_size=500&view=table`);
  const assets = { path: (name: string) => `/assets/${name}`, list: [], router: undefined as never };
  const session = { account: { id } };
  const deps = { config: {}, resources, db, assets, now: () => new Date() };
  const addresses = { url, apiUrl: url.origin, appUrl: url.origin };
  const visit = {
    ...addresses,
    session,
    deps,
    req: {},
    res: {},
    form: new URLSearchParams(),
  } as unknown as Visit;
  const context = {
    mode: 'direct' as const,
    account: { id } as never,
    ...addresses,
    now: new Date(),
    work: COMPUTE_HERE,
  };
  const input = {
    params: {},
    query: filterParcels.query.parse({ page_size: '500' }),
    body: filterParcels.body!.parse({ county: String(fips) }),
  };
  const page: number[] = [];
  const endpoint: number[] = [];
  let characters = 0;
  for (let round = 0; round <= rounds; round++) {
    const html = await timed(async () => {
      const reply = await dataPage.show!(visit, {});
      if (!('body' in reply)) throw new Error('the page is not a page');
      const session = undefined;
      const frame = Document({ ...reply, session, url, assets, theme: undefined });
      characters = renderToString(frame).length;
    });
    const json = await timed(async () =>
      JSON.stringify((await filterParcels.handle(input, resources, context)).body),
    );
    if (round === 0) continue;
    page.push(html);
    endpoint.push(json);
  }
  return judged(
    {
      name: 'pages: a table of 500 parcels',
      reference: 'the JSON endpoint',
      value: median(page) / median(endpoint),
      unit: 'x',
      details: {
        'ms of the page': median(page).toFixed(1),
        'ms of the endpoint': median(endpoint).toFixed(1),
        characters,
      },
    },
    { most: MAX_RATIO },
  );
}
