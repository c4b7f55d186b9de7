import type { FigureClasses } from '../kernels/figure-classes.ts';
import type { Db } from '../platform/db.ts';

/** The version of all data that a tile can show. */
export async function readMapVersion(db: Db): Promise<number> {
  return (await db.run<{ version: number }>('parcels/read_version'))[0]?.version ?? 0;
}

/**
 * The number of parcels in a county. `lon` and `lat` are their center in degrees, or null if no location is
 * known.
 */
export type ParcelCount = {
  fips: number;
  parcels: number;
  name: string;
  lon: number | null;
  lat: number | null;
};

export const countParcels = (db: Db, fips: readonly number[]): Promise<ParcelCount[]> =>
  db.run<ParcelCount>('parcels/count_parcels', { fips });

/** The number of parcels on the roll of one county, or of all counties. */
export async function countOnRoll(db: Db, fips: number | null): Promise<number> {
  return (await db.run<{ parcels: number }>('parcels/count_on_roll', { fips }))[0]?.parcels ?? 0;
}

/** The classes of value per acre among a county's parcels. Empty if none has a value. */
export async function readValueClasses(db: Db, fips: number): Promise<FigureClasses> {
  const [known] = await db.run<FigureClasses>('parcels/read_value_classes', { fips });
  return known ?? { breaks: [], counts: [] };
}

/** A position in 1e-7 degrees. */
export type Place = { lon: number; lat: number };

export type TileParcel = Place & {
  property_id: number;
  /** The label to show at `lon` and `lat`. Null unless requested (`with_apns`). */
  apn: string | null;
  boundary: Buffer | null;
  /** Null unless requested (`with_acres`). */
  acres: number | null;
  calculated_acres: number | null;
};

/**
 * `box` is in the format of `boxSql`. `least_area` is the smallest extent that is drawn as an outline rather
 * than a dot, in square units of 1e-7 degrees.
 */
export type InTile = { fips: readonly number[]; box: string; least_area: number };

export const listTileParcels = (
  db: Db,
  inTile: InTile,
  more: { with_apns: boolean; with_acres: boolean; outlines: number; limit: number },
): Promise<TileParcel[]> => db.run<TileParcel>('parcels/list_parcels', { ...inTile, ...more });

/** One location per cell of a grid with `dots` cells across the tile. */
export const listDots = (db: Db, inTile: InTile, dots: number): Promise<Place[]> =>
  db.run<Place>('parcels/list_dots', { ...inTile, dots });

type Layer = { box: string; kind: string; limit: number };
export type LandFeature = { class: string; name: string | null; geometry: Buffer };

export const listFeatures = (db: Db, layer: Layer & { least_area: number }): Promise<LandFeature[]> =>
  db.run<LandFeature>('parcels/list_features', layer);

/** An overlay's features. Areas smaller than `least_area` are omitted. */
export const listOverlayFeatures = (
  db: Db,
  values: { name: string; box: string; least_area: number; limit: number },
): Promise<Omit<LandFeature, 'name'>[]> => db.run<LandFeature>('parcels/list_overlay_features', values);

export type ViewFeature = { geometry: Uint8Array; name: string | null };

/** The longest or largest features of a layer. */
export const listViewFeatures = (db: Db, layer: Layer): Promise<ViewFeature[]> =>
  db.run<ViewFeature>('parcels/list_view_features', layer);

export type NamedFeature = { name: string; class: string; isWater: boolean; geometry: Buffer };

export const listNamedFeatures = (
  db: Db,
  values: { box: string; least_area: number; limit: number },
): Promise<NamedFeature[]> => db.run<NamedFeature>('parcels/list_names', values);

export const listCredits = (
  db: Db,
  values: { box: string; counties: readonly number[] },
): Promise<{ kind: string; credit: string }[]> =>
  db.run<{ kind: string; credit: string }>('parcels/list_credits', values);

export type MapCoverage = {
  /** A box around all parcels: west, south, east, and north in degrees. The world if there are none. */
  bounds: [number, number, number, number];
  /** The credits of the rolls. */
  credits: string[];
};

export async function readMapCoverage(db: Db): Promise<MapCoverage> {
  const [row] = await db.run<MapCoverage>('parcels/read_coverage');
  return row!;
}

/** Data for the results in addition to their summary. */
export type ResultFigures = {
  mail_city: string | null;
  mail_state: string | null;
  last_sale_date: string | null;
  last_sale_price: number | null;
  value: number | null;
  value_per_acre: number | null;
  out_of_state_owner: boolean | null;
  corporate_owner: boolean | null;
  tax_delinquent: boolean | null;
  landlocked: boolean | null;
  waterfront: boolean | null;
  vacant: boolean | null;
};

export const listResultFigures = (
  db: Db,
  values: { property_ids: readonly number[]; counties: readonly number[] },
): Promise<(ResultFigures & { property_id: number })[]> =>
  db.run<ResultFigures & { property_id: number }>('parcels/list_result_rows', values);
