/**
 * If a parcel's acreage differs from the sold acreage by up to this share of it, the difference counts as a
 * correction. Of 39 restated acreages in Washington, New Hampshire, 5 changed by 1.1% to 4.4%. The other 34
 * changed by 6.4% or more, up to a factor of 5, as in splits and mergers.
 */
export const MAX_ACREAGE_CORRECTION = 0.05;
