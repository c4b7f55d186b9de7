import { type Client, sql } from '../../../shared/db.ts';
import { countyExtent } from '../../../shared/regions/county-polygons.ts';
import type { GateFigures } from './gate.ts';

/**
 * How far, in degrees, a parcel may lie beyond its county's box: the county polygons are generalised for maps of
 * the whole country, by up to a kilometre, and coastal parcels reach into the water.
 */
const MARGIN_DEG = 0.05;

type Row = {
  fips: number;
  points: number;
  outside: number;
  min_lon: number;
  min_lat: number;
  max_lon: number;
  max_lat: number;
};

/** How many of a run's parcels lie outside their counties; counties whose box is not known are left out. */
export async function extentFigures(client: Client, fips: number[]): Promise<GateFigures['outside']> {
  const boxes = fips.flatMap(code => {
    const box = countyExtent(code);
    return box ? [{ code, box }] : [];
  });
  const { rows } = await client.query<Row>(sql('ingest/measure_extent'), [
    boxes.map(({ code }) => code),
    boxes.map(({ box }) => box[0] - MARGIN_DEG),
    boxes.map(({ box }) => box[1] - MARGIN_DEG),
    boxes.map(({ box }) => box[2] + MARGIN_DEG),
    boxes.map(({ box }) => box[3] + MARGIN_DEG),
  ]);
  const where = rows
    .filter(row => row.outside > 0)
    .map(
      row =>
        `${String(row.fips).padStart(5, '0')}: longitudes ${row.min_lon} to ${row.max_lon}, latitudes ${row.min_lat} to ${row.max_lat}`,
    )
    .slice(0, 3)
    .join('; ');
  return { points: sum(rows, 'points'), outside: sum(rows, 'outside'), where };
}

function sum(rows: Row[], field: 'points' | 'outside'): number {
  return rows.reduce((total, row) => total + row[field], 0);
}
