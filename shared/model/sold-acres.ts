/**
 * The largest difference between the acreage that was sold and the parcel's, as a share of the former, that
 * is taken for a correction: 39 acreages restated in Washington, New Hampshire, moved by 1.1 to 4.4 % (5), or
 * by 6.4 % to 5 times (34), as splits and mergers do.
 */
export const MAX_ACREAGE_CORRECTION = 0.05;
