import pg from 'pg';
import type { Tile } from '../../api/tiles/tile-geometry.ts';
import { decodeBoundary } from '../../shared/geo/geometry-codec.ts';
import type { TestDb } from '../support/test-db.ts';

const ZOOM = 14;
const TILES = 5;

/** Tiles in a row, going east from a place. */
export function tilesAround([lon, lat]: readonly [number, number]): Tile[] {
  const n = 2 ** ZOOM;
  const sine = Math.sin((lat * Math.PI) / 180);
  const x = Math.floor((lon / 360 + 0.5) * n);
  const y = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * n);
  return Array.from({ length: TILES }, (_, i) => ({ z: ZOOM, x: x + i, y }));
}

/**
 * The same parcels as geometries with an index, and the tile query as PostGIS users would write it.
 * @param columns of the tile besides the id: SQL expressions on `worth`, in US dollars per acre
 */
export async function openPostgis(url: string, pool: TestDb, columns: readonly string[] = []) {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`create extension if not exists postgis;
    drop table if exists plat_bench_lots;
    create table plat_bench_lots (property_id bigint primary key, worth float8, geom geometry(MultiPolygon, 4326))`);
  for (let after = 0; ; ) {
    const { rows } = await pool.query<{ property_id: number; worth: number | null; boundary: Buffer }>(
      `select property_id, v.mean_adjusted_ppa as worth, boundary
       from parcels left join valuations v using (fips, property_id)
       where property_id > $1 order by property_id limit 20000`,
      [after],
    );
    if (rows.length === 0) break;
    after = rows.at(-1)!.property_id;
    const shapes = rows.map(({ boundary }) =>
      JSON.stringify({ type: 'MultiPolygon', coordinates: decodeBoundary(boundary) }),
    );
    await client.query(
      `insert into plat_bench_lots select id, worth, st_setsrid(st_geomfromgeojson(shape), 4326)
       from unnest($1::bigint[], $2::float8[], $3::text[]) as t (id, worth, shape)`,
      [rows.map(row => row.property_id), rows.map(row => row.worth), shapes],
    );
  }
  await client.query('create index on plat_bench_lots using gist (geom)');
  await client.query('vacuum analyze plat_bench_lots');
  const text = `select st_asmvt(t, 'parcels', 4096, 'shape', 'property_id') from (
      select ${['property_id', ...columns].join(', ')},
        st_asmvtgeom(st_transform(geom, 3857), st_tileenvelope($1, $2, $3), 4096, 64) as shape
      from plat_bench_lots
      where geom && st_transform(st_expand(st_tileenvelope($1, $2, $3), 40), 4326)
    ) t`;
  return {
    tile: ({ z, x, y }: Tile) => client.query({ name: 'tile', text, values: [z, x, y] }),
    async close() {
      await client.query('drop table plat_bench_lots');
      await client.end();
    },
  };
}
