import type { CopiedColumns } from '../../shared/copy-binary.ts';
import type { Box } from '../../shared/geo/types.ts';
import { LAND_COLUMNS } from './land-columns.ts';

/** The columns of copy_parcels.sql. */
export const PARCEL_COLUMNS = {
  id: { type: 'int8', null: Number.NaN },
  lon: { type: 'float8', null: Number.NaN },
  lat: { type: 'float8', null: Number.NaN },
  acres: { type: 'float8', null: Number.NaN },
  ...LAND_COLUMNS,
} as const;

/** Parcels of one county in columns; places in integers of 1e-7 degree. */
export type Parcels = CopiedColumns<typeof PARCEL_COLUMNS>;
export type Parcel = { [Column in keyof typeof PARCEL_COLUMNS]: number | null };

/** West, south, east, north. */
export function extentOf({ lon, lat }: Pick<Parcels, 'lon' | 'lat'>): Box {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < lon.length; i++) {
    west = Math.min(west, lon[i]!);
    east = Math.max(east, lon[i]!);
    south = Math.min(south, lat[i]!);
    north = Math.max(north, lat[i]!);
  }
  return [west, south, east, north];
}

export function inColumns(rows: readonly Parcel[]): Parcels {
  const names = Object.keys(PARCEL_COLUMNS) as (keyof Parcels)[];
  return Object.fromEntries(
    names.map(name => [name, Float64Array.from(rows, row => row[name] ?? Number.NaN)]),
  ) as Parcels;
}
