/**
 * Half of the last of the six decimals that acres are shown with; further ones come from
 * conversions of units.
 */
export const ACRES_SLACK = 5e-7;

export const acresOf = (acres: number | null) => (acres === null ? null : Math.round(acres * 1e6) / 1e6);
