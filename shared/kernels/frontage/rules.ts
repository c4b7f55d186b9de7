/** Constants from the definition of frontage (docs/land.md), in meters of the local plane. */

export type RoadClass = 'highway' | 'normal' | 'local' | 'private';

/** Highest class first. At the same distance, the higher class wins. */
export const CLASSES_BY_RANK: readonly RoadClass[] = ['highway', 'normal', 'local', 'private'];

export type RoadReach = Readonly<Record<RoadClass, number>>;

/**
 * Boundaries and centerlines are measured in equal pieces of up to this length. The result for the middle of
 * a piece applies to the whole piece.
 */
export const PIECE_M = 0.5;

/**
 * Half of two rods (33 feet), the narrowest common right-of-way. Land this close to a centerline counts as
 * public way. This covers lots drawn to the middle of the road, and lines mapped a few meters off (half of
 * TIGER's are off by more than 3 m).
 */
export const HALF_RIGHT_OF_WAY_M = 5.0292;

/**
 * Cosine of the widest angle between a boundary's outer normal and the direction to the road. It is 52.5
 * degrees, halfway between the 45 degrees of a cut corner, which faces both streets, and the 60 degrees of a
 * side line that leans by 30.
 */
export const FACING_COS = Math.cos((52.5 * Math.PI) / 180);

/** A boundary this close to a centerline was drawn on it, apart from rounding (1e-6 degrees is 0.11 m). */
export const CONTACT_M = 0.06;

/** Tolerated overlap of neighbors along a shared line. Neighbors are often digitized separately. */
export const OVERLAP_M = 0.25;

/**
 * Additional reach at a dead end: 60 feet, a common cul-de-sac radius. Many centerlines end at the center of
 * the cul-de-sac.
 */
export const BULB_M = 18.288;

/**
 * Half of 50 feet, the usual right-of-way of a local street. A boundary across a dead end faces the street
 * for up to this distance on either side.
 */
export const HALF_STREET_M = 7.62;

/** A road that ends this close to another meets it, even if they share no corner. */
export const MEETING_M = 1;

/**
 * Minimum ratio of length to width for a parcel to count as public way. Subdivision law limits the ratio for
 * lots to three or four (MCL 560.109).
 */
export const MIN_WAY_ELONGATION = 4;

/**
 * Minimum length of a road along a public way, as a multiple of the way's width. For a road that crosses the
 * way at 45 degrees, it is 1.41.
 */
export const MIN_WAY_RUN = 1.5;

/** Half of 10 feet, the usual minimum width of a driveway. Gaps from inaccurate boundaries are narrower. */
export const HALF_CORRIDOR_M = 1.524;

/** 100 feet, a wide right-of-way. If land without parcels is wider, it is water or its roll isn't loaded. */
export const MAX_CORRIDOR_M = 30.48;

/** 150 feet, the depth of a lot: how far from a parcel a corridor may lead. */
export const CORRIDOR_M = 45.72;

/** Maximum width of a strip: 66 feet or four rods, the right-of-way of a section line road. */
export const MAX_STRIP_M = 20.1168;

/** Minimum ratio of length to width of a strip: twice that of any lot (MIN_WAY_ELONGATION). */
export const MIN_STRIP_ELONGATION = 8;

/** Cosine of 30 degrees. Two lines of the same road differ by less, and crossing roads differ by more. */
export const PARALLEL_COS = Math.cos(Math.PI / 6);

/** Tolerance for floating-point rounding in positions and summed lengths. */
export const TOLERANCE_M = 1e-6;

/** Number of equal pieces to divide a line of this length into. */
export const piecesOf = (lengthM: number): number => Math.ceil(lengthM / PIECE_M);
