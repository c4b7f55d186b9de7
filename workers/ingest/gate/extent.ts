import { type Client, sql } from '../../../shared/db.ts';
import { padBox } from '../../../shared/geo/box.ts';
import type { Box } from '../../../shared/geo/types.ts';
import { fiveDigits } from '../../../shared/regions/counties.ts';
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

/** The points of a county's parcels, how many of them lie outside its box, and the box around them. */
export type PlacedPoints = { fips: number; points: number; outside: number; extent: Box };

/** The box in which a county's parcels lie, or null where it is not known. */
export function countyBox(fips: number): Box | null {
  const box = countyExtent(fips);
  return box ? padBox(box, MARGIN_DEG) : null;
}

/** How many of a run's parcels lie outside their counties; counties whose box is not known are left out. */
export async function extentFigures(client: Client, fips: number[]): Promise<GateFigures['outside']> {
  const boxes = fips.flatMap(code => {
    const box = countyBox(code);
    return box ? [{ code, box }] : [];
  });
  const { rows } = await client.query<Row>(sql('roll/measure_extent'), [
    boxes.map(({ code }) => code),
    ...[0, 1, 2, 3].map(side => boxes.map(({ box }) => box[side])),
  ]);
  return summedUp(
    rows.map(({ fips: code, points, outside, min_lon, min_lat, max_lon, max_lat }) => ({
      ...{ fips: code, points, outside },
      extent: [min_lon, min_lat, max_lon, max_lat],
    })),
  );
}

/** The figures of the gate. */
export function summedUp(rows: readonly PlacedPoints[]): GateFigures['outside'] {
  const where = rows
    .filter(row => row.outside > 0)
    .map(
      ({ fips, extent: [west, south, east, north] }) =>
        `${fiveDigits(fips)}: longitudes ${west} to ${east}, latitudes ${south} to ${north}`,
    )
    .slice(0, 3)
    .join('; ');
  return { points: sum(rows, 'points'), outside: sum(rows, 'outside'), where };
}

function sum(rows: readonly PlacedPoints[], field: 'points' | 'outside'): number {
  return rows.reduce((total, row) => total + row[field], 0);
}
