/**
 * The numbers of the definition of frontage, in meters of the local plane. See frontage.ts for how
 * they work together.
 */

export type RoadClass = 'highway' | 'normal' | 'local' | 'private';

/** In this order a road goes before another that is as near. */
export const CLASSES_BY_RANK: readonly RoadClass[] = ['highway', 'normal', 'local', 'private'];

export type RoadReach = Readonly<Record<RoadClass, number>>;

/**
 * Boundaries and centerlines are measured in equal pieces of at most this length; the middle of a
 * piece speaks for it.
 */
export const PIECE_M = 0.5;

/**
 * Half of two rods (33 feet), the narrowest way that was commonly laid out: ground this near to a centerline
 * is public way, whatever the parcel map says.
 * It takes in lots drawn to the middle of the road and lines that were mapped some meters off, as half of
 * TIGER's are by more than 3 m.
 */
export const HALF_WAY_M = 5.0292;

/**
 * Cosine of the widest angle between a boundary's outer normal and the way to the road: 52.5 degrees lie
 * between the 45 of a corner that is cut off (it faces both streets) and the 60 of a side line that leans by
 * 30 from a right angle.
 */
export const FACING_COS = Math.cos((52.5 * Math.PI) / 180);

/**
 * A boundary this near to a centerline is drawn along it, if only to the digits of its coordinates (1e-6
 * degrees are 0.11 m).
 */
export const CONTACT_M = 0.06;

/**
 * Neighbors that were drawn apart overlap by this much at a shared line without standing
 * in each other's way.
 */
export const OVERLAP_M = 0.25;

/**
 * 60 feet more to a dead end, a usual radius of the bulb of a cul-de-sac, at which many a centerline ends.
 */
export const BULB_M = 18.288;

/**
 * Half of 50 feet, the usual way of a local street: as wide to either side a boundary that lies across a
 * dead end faces it.
 */
export const HALF_STREET_M = 7.62;

/** A road that ends this near to another meets it, with a common corner or without. */
export const MEETING_M = 1;

/**
 * A parcel that is public way is at least this many times as long as wide; subdivision law keeps lots to
 * three or four times (MCL 560.109).
 */
export const WAY_SHAPE = 4;

/**
 * A road runs along a way for at least this many times its width: one that crosses it at 45 degrees is in it
 * for 1.41 of them.
 */
export const WAY_ALONG = 1.5;

/** Cosine of 30 degrees: two lines of one road differ by less, roads that cross by more. */
export const PARALLEL_COS = Math.cos(Math.PI / 6);

/**
 * Room for the rounding of doubles: what is decided for many pieces at once keeps this far from the
 * limits of the rules.
 */
export const SLACK_M = 1e-6;

/** How many equal pieces a line of this length is cut into. */
export const piecesOf = (lengthM: number): number => Math.ceil(lengthM / PIECE_M);
