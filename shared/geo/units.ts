/** Mean radius of the Earth in meters (IUGG). */
export const EARTH_RADIUS_M = 6_371_008.8;

/** The international foot. */
export const M_PER_FT = 0.3048;

/**
 * The international acre: 43,560 square feet (NIST Handbook 44, appendix C). The survey acre is 4 ppm larger.
 */
export const SQ_M_PER_ACRE = 4046.8564224;
