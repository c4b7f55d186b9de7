/**
 * Acres are stored and shown with five decimals (0.4 square feet). Any further decimals only come from unit
 * conversion.
 */
const PER_ACRE = 1e5;

/** Half of the last decimal, for comparisons with rows that an earlier release stored unrounded. */
export const ACRES_SLACK = 0.5 / PER_ACRE;

export const roundAcres = (acres: number): number => Math.round(acres * PER_ACRE) / PER_ACRE;

export const acresOf = (acres: number | null) => (acres === null ? null : roundAcres(acres));
