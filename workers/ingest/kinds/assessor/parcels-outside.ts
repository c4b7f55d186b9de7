import { type BoxColumns, boxOfColumns } from '../../../../shared/geo/box.ts';
import type { Box } from '../../../../shared/geo/geometry-types.ts';
import type { Db } from '../../../../shared/platform/db.ts';
import { fiveDigits } from '../../../../shared/regions/counties.ts';
import { countyBox, sidesOf } from '../../layers/gate-place.ts';

export type OutsideParcels = { points: number; outside: number; where: string };

export type PlacedPoints = { fips: number; points: number; outside: number; extent: Box };

export async function countParcelsOutside(db: Db, fips: number[]): Promise<OutsideParcels> {
  const boxes = fips.flatMap(code => {
    const box = countyBox(code);
    return box ? [{ code, box }] : [];
  });
  const rows = await db.run<Omit<PlacedPoints, 'extent'> & BoxColumns>('feeds/measure_extent', {
    fips: boxes.map(({ code }) => code),
    ...sidesOf(boxes.map(({ box }) => box)),
  });
  return sumOutside(rows.map(row => ({ ...row, extent: boxOfColumns(row) })));
}

export function sumOutside(rows: readonly PlacedPoints[]): OutsideParcels {
  const where = rows
    .filter(row => row.outside > 0)
    .map(
      ({ fips, extent: [west, south, east, north] }) =>
        `${fiveDigits(fips)}: longitudes ${west} to ${east}, latitudes ${south} to ${north}`,
    )
    .slice(0, 3)
    .join('; ');
  const sum = (field: 'points' | 'outside') => rows.reduce((total, row) => total + row[field], 0);
  return { points: sum('points'), outside: sum('outside'), where };
}
