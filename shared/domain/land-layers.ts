/** The vocabulary of the land layers: what kinds there are, what counts in each, and by how much. */

export const LAYER_KINDS = ['elevation', 'roads', 'wetlands', 'flood'] as const;
export type LayerKind = (typeof LAYER_KINDS)[number];

/** All kinds of layers: those that parcels are measured on, and those that are only looked at. */
export const LAND_KINDS = [...LAYER_KINDS, 'zips', 'imagery'] as const;
export type LandKind = (typeof LAND_KINDS)[number];
export const isMeasured = (kind: LandKind): kind is LayerKind => kind !== 'zips' && kind !== 'imagery';

/** How `attributes_dirty.layers` names a set of kinds: the sum of these. */
export const LAYER_BITS: Record<LayerKind, number> = { elevation: 1, roads: 2, wetlands: 4, flood: 8 };
export const ALL_LAYERS = 15;

/** Grade of each slope_area_index in percent; `steeper_percent` has a share of the area for each. */
export const SLOPE_GRADES = [0.5, 2.5, 5, 7.5, 10, 15, 20, 25, 30, 40, 50] as const;

/** The classes of road on which frontage counts. `normal` is what filters call a road. */
export const FRONTAGE_CLASSES = ['highway', 'normal', 'local'] as const;

/** The classes of road that cars use. `private` gives access to a parcel, and no frontage. */
export const ROAD_CLASSES = [...FRONTAGE_CLASSES, 'private'] as const;
export type RoadClass = (typeof ROAD_CLASSES)[number];

/**
 * Distance from the centerline, in meters, within which a boundary can face a road: half of a
 * wide right of way.
 */
export type RoadReach = Record<RoadClass, number>;
export const ROAD_REACH_M: RoadReach = { highway: 60, normal: 30, local: 25, private: 25 };

/**
 * TIGER's feature class codes of roads for cars; trails and the others do not count.
 * https://www2.census.gov/geo/pdfs/reference/mtfccs2022.pdf
 */
export const MTFCC_CLASSES: Readonly<Record<string, RoadClass>> = {
  S1100: 'highway',
  S1200: 'normal',
  S1400: 'local',
  S1630: 'private',
  S1640: 'private',
  S1730: 'private',
  S1740: 'private',
  S1780: 'private',
};
