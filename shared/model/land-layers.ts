/** Land layers: the ones that Plat measures, the classes that count in each, and the relevant distances. */

export const LAYER_KINDS = ['elevation', 'roads', 'wetlands', 'flood', 'water', 'overlay'] as const;
export type LayerKind = (typeof LAYER_KINDS)[number];

export const isMeasured = (kind: string): kind is LayerKind =>
  (LAYER_KINDS as readonly string[]).includes(kind);

/** Bit flags of `attributes_dirty.layers`. */
export const LAYER_BITS: Record<LayerKind, number> = {
  elevation: 1,
  roads: 2,
  wetlands: 4,
  flood: 8,
  water: 16,
  overlay: 32,
};
export const ALL_LAYERS = 63;

/** The layers that buildable land depends on. If one changes, all of them are measured again. */
export const BUILDABLE_LAYERS =
  LAYER_BITS.elevation | LAYER_BITS.wetlands | LAYER_BITS.flood | LAYER_BITS.water;

/**
 * Grade in percent for each slope_area_index. `steeper_percent` has the share of the area that is steeper
 * than each grade.
 */
export const SLOPE_GRADES = [0.5, 2.5, 5, 7.5, 10, 15, 20, 25, 30, 40, 50] as const;

/** Ground steeper than this, in percent, doesn't count as buildable. One of SLOPE_GRADES. */
export const STEEP_PERCENT = 15;

/** The road classes that count as frontage. Filters call `normal` a road. */
export const FRONTAGE_CLASSES = ['highway', 'normal', 'local'] as const;

/** The road classes for cars. `private` gives access to a parcel, but no frontage. */
export const ROAD_CLASSES = [...FRONTAGE_CLASSES, 'private'] as const;
export type RoadClass = (typeof ROAD_CLASSES)[number];

/**
 * Distance from the centerline, in meters, within which a boundary can face a road: half of a wide
 * right-of-way.
 */
export type RoadReach = Record<RoadClass, number>;
export const ROAD_REACH_M: RoadReach = { highway: 60, normal: 30, local: 25, private: 25 };

/**
 * TIGER feature class codes (MTFCC) for roads open to cars. Trails and other classes don't count.
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

/**
 * How a parcel can be reached. `unmapped`: no mapped road, but a house on the parcel or a corridor between
 * parcels implies a way. `none`: landlocked.
 */
export const ROAD_ACCESS = ['public_road', 'private_road', 'unmapped', 'none', 'unknown'] as const;
export type RoadAccess = (typeof ROAD_ACCESS)[number];

export const ACCESS_LABELS: Record<RoadAccess, string> = {
  public_road: 'Public road',
  private_road: 'Private road',
  unmapped: 'No mapped road',
  none: 'Landlocked',
  unknown: 'Unknown',
};

export const WATER_CLASSES = ['lake', 'river', 'sea'] as const;
export type WaterClass = (typeof WATER_CLASSES)[number];

/**
 * TIGER feature class codes (MTFCC) for water areas. Maps show swamps (H2025) and glaciers (H2081) as land.
 */
export const MTFCC_WATER: Readonly<Record<string, WaterClass>> = {
  H2030: 'lake',
  H2040: 'lake',
  H2041: 'lake',
  H2060: 'lake',
  H2051: 'sea',
  H2053: 'sea',
  H3010: 'river',
  H3013: 'river',
  H3020: 'river',
};

/** Classes of the Geographic Names Information System for water, and for other landforms. */
const OF_WATER =
  'Bay Bend Canal Channel Falls Glacier Gulf Gut Harbor Lake Rapids Reservoir Sea Spring Stream Swamp';
const OF_LAND =
  'Arch Area Arroyo Bar Basin Beach Bench Cape Cliff Crater Flat Forest Gap Island Isthmus Lava Levee Park Pillar Plain Range Reserve Ridge Slope Summit Valley Woods';

export type PlaceGroup = 'town' | 'water' | 'land';

/** The classes that maps label, by type. */
export const PLACE_GROUPS: ReadonlyMap<string, PlaceGroup> = new Map([
  ['Populated Place', 'town'],
  ...OF_WATER.split(' ').map((name): [string, PlaceGroup] => [name, 'water']),
  ...OF_LAND.split(' ').map((name): [string, PlaceGroup] => [name, 'land']),
]);
