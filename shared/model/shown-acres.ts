/**
 * Acres are stored and shown with five decimals (0.4 square feet). Any further decimals only come from unit
 * conversion.
 */
const PER_ACRE = 1e5;

/** Half of the last decimal, for comparisons with rows that an earlier release stored unrounded. */
export const ACRES_SLACK = 0.5 / PER_ACRE;

export const roundAcres = (acres: number): number => Math.round(acres * PER_ACRE) / PER_ACRE;

/** Rounds half up in SQL, as JavaScript does. */
export const roundedSql = (value: string, unit: number): string =>
  `floor(${value} * ${unit} + 0.5) / ${unit}`;

/** The stated and measured acreage of a row of `parcels` in SQL, as the API returns them. */
export const statedAcresSql = (row: string): string => roundedSql(`${row}.acres`, PER_ACRE);
export const measuredAcresSql = (row: string): string => roundedSql(`${row}.calculated_acres`, 100);

export const acresOf = (acres: number | null) => (acres === null ? null : roundAcres(acres));

/** The measured acreage, as the API returns it. */
export const measuredAcres = (calculated: number | null) =>
  calculated === null ? null : Math.round(calculated * 100) / 100;

/** The stated acreage, or the measured one if there is none. */
export const effectiveAcres = (acres: number | null, calculated: number | null) =>
  acresOf(acres) ?? measuredAcres(calculated);
