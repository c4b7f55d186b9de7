/** Number of ids per county (property_id = fips * 100,000,000 + serial). */
const PER_COUNTY = 100_000_000;

export const countyOf = (propertyId: number): number => Math.floor(propertyId / PER_COUNTY);
export const propertyIdOf = (fips: number, serial: number): number => fips * PER_COUNTY + serial;
