/** Within a county (property_id = fips * 100,000,000 + serial). */
const PER_COUNTY = 100_000_000;

export function countyOf(propertyId: number): number {
  return Math.floor(propertyId / PER_COUNTY);
}

export function propertyIdOf(fips: number, serial: number): number {
  return fips * PER_COUNTY + serial;
}
