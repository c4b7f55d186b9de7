/**
 * The largest difference between the sold acreage and the parcel's, as a share of the former, that counts as
 * a correction. In Washington, New Hampshire, 39 restated acreages changed by 1.1 to 4.4% (5), or by 6.4% to
 * 5 times (34), as in splits and mergers.
 */
export const MAX_ACREAGE_CORRECTION = 0.05;
