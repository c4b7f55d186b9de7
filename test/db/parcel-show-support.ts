import { join } from 'node:path';
import type { MultiPolygon, Position, Ring } from '../../shared/geo/geometry-types.ts';
import { LAND_KERNELS } from '../../shared/land/compute-land.ts';
import { geographicKeys, writeTiff } from '../support/geotiff.ts';
import { markParcels, putLayer, putTile } from '../support/land.ts';
import { insertParcels, retireParcels } from '../support/parcels.ts';
import type { TestDb } from '../support/test-db.ts';
import { byId, elementsOf, type Xml } from '../support/xml.ts';
import { COUNTY, EVERYWHERE, LAT, LON, settle } from './attributes-support.ts';

// Drawn in meters, north up:
//
//  [  B, with a hole H ]  ══ highway, y = 200, through B ══    [B's second part]
//  │ road, x = -10
//  │ [A][N]
//  ───── local road, y = -8 ─────
const [ACROSS_M, UP_M] = [81_268, 111_096];
export const FT = 1 / 0.3048;
const at = (x: number, y: number): Position => [LON + x / ACROSS_M, LAT + y / UP_M];
const ring = (west: number, south: number, east: number, north: number): Ring => [
  at(west, south),
  at(east, south),
  at(east, north),
  at(west, north),
  at(west, south),
];
export const [A, B, N, SHAPELESS, RETIRED, LARGE, UNKNOWN] = [
  COUNTY + 1,
  COUNTY + 2,
  COUNTY + 3,
  COUNTY + 4,
  COUNTY + 5,
  COUNTY + 6,
  COUNTY + 7,
];
export const NASTY = `<script>"O'Brien" & Söhne</script>`;
const SHAPES: Record<number, MultiPolygon> = {
  [A]: [[ring(0, 0, 60, 80)]],
  [B]: [[ring(-200, 140, 200, 320), ring(-150, 220, -100, 260).toReversed()], [ring(300, 120, 350, 170)]],
  [N]: [[ring(60, 0, 120, 80)]],
  // 340 by 330 cells of the grid.
  [LARGE]: [[ring(-850, -2000, 850, -350)]],
  [RETIRED]: [[ring(400, 0, 450, 50)]],
};
export const LOCAL = { class: 'local', line: [at(-300, -8), at(500, -8)] } as const;
const ROAD = { class: 'normal', line: [at(-10, -300), at(-10, 80)] } as const;
export const HIGHWAY = { class: 'highway', line: [at(-400, 200), at(600, 200)] } as const;
export const putRoads = (pool: TestDb, ...features: (typeof LOCAL | typeof ROAD | typeof HIGHWAY)[]) =>
  putLayer(pool, 'roads', {
    coverage: EVERYWHERE,
    features: features.map(({ class: name, line }) => ({ class: name, line: [...line] })),
  });

/** Flat up to x = 30, from there a slope of 20 % to the east. */
async function putHeights(pool: TestDb, folder: string): Promise<void> {
  const source = join(folder, 'heights.tif');
  const [originX, originY] = at(-900, 400);
  writeTiff(source, {
    width: 370,
    height: 490,
    at: column => 100 + Math.max(0, 5 * (column + 0.5) - 900 - 30) * 0.2,
    grid: { originX, originY, stepX: 5 / ACROSS_M, stepY: -5 / UP_M },
    keys: geographicKeys(4326),
  });
  await putTile(pool, source, EVERYWHERE);
}

/** The lots of the picture and their layers, with the attributes computed; files go to `folder`. */
export async function fillGround(pool: TestDb, folder: string): Promise<void> {
  await pool.query(`insert into feeds (name, kind, definition) values ('lots', 'assessor', '{}')`);
  await pool.query("insert into runs (feed_id, requested_by, status) values (1, 'test', 'merged')");
  await pool.query(
    `insert into regions (id, type, code, name, state, county_name, fips)
     values (gen_random_uuid(), 'county', '33019', 'Sullivan', 'NH', 'Sullivan', 33019)`,
  );
  await insertParcels(pool, [
    ...[A, B, N, LARGE, RETIRED].map(id => ({
      property_id: id,
      boundary: SHAPES[id]!,
      shape_hash: String(id % 1e8).padStart(32, '0'),
      apn: id === N ? `N<&">` : `14-${id % 1e8}`,
      owner_name: NASTY,
      acres: 1.2,
      situs_address: '1 A & B ST',
    })),
    { property_id: SHAPELESS, apn: 'no map' },
  ]);
  await retireParcels(pool, [RETIRED]);
  await putHeights(pool, folder);
  await putRoads(pool, LOCAL, ROAD, HIGHWAY);
  await putLayer(pool, 'wetlands', {
    coverage: EVERYWHERE,
    features: [{ class: 'PFO1<E>', shape: [[ring(45, -100, 1000, 1000)]] }],
  });
  await putLayer(pool, 'flood', {
    coverage: EVERYWHERE,
    features: [{ class: 'AE', shape: [[ring(-100, -100, 100, 20)]] }],
  });
  await markParcels(pool, ['elevation', 'roads', 'wetlands', 'flood']);
  await settle(pool, LAND_KERNELS);
}

export const shapesIn = (xml: Xml) => elementsOf(xml).filter(({ name }) => name === 'path');

/**
 * Lengths of the highlighted stretches in feet, by class: as they say, and as they are drawn, to the
 * scale of the drawing.
 */
export function frontageDrawn(svg: Xml) {
  const metersPerPx = Number(svg.attributes['data-metres-per-px']);
  const sums: Record<string, { said: number; drawn: number }> = {};
  for (const { attributes } of shapesIn(byId(svg, 'frontage'))) {
    const points = [...attributes.d!.matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map(
      ([, x, y]) => [+x!, +y!] as const,
    );
    const px = points
      .slice(1)
      .reduce((sum, [x, y], i) => sum + Math.hypot(x - points[i]![0], y - points[i]![1]), 0);
    const name = attributes['data-class']!;
    const sum = sums[name] ?? { said: 0, drawn: 0 };
    sums[name] = sum;
    sum.said += Number(attributes['data-ft']);
    sum.drawn += Number(attributes['data-sides']) * px * metersPerPx * FT;
  }
  return sums;
}

/** The frontage that the printed table states. */
export function frontageStated(out: string): Record<string, number> {
  const [, highway, normal, local] =
    /frontage\s+highway ([\d.]+) ft, road ([\d.]+) ft, local road ([\d.]+) ft/.exec(out)!;
  return { highway: Number(highway), normal: Number(normal), local: Number(local) };
}
