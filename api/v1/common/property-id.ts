import { z } from 'zod';

/** Within a county (property_id = fips * 100,000,000 + serial). */
const PER_COUNTY = 100_000_000;

/** The parameter {property_id} of a path. */
export const propertyId = z
  .string()
  .regex(/^[1-9][0-9]{0,15}$/, 'must be the property_id of a parcel: a whole number')
  .transform(Number)
  .refine(Number.isSafeInteger, 'is larger than any property_id')
  .meta({
    description: 'Stable numeric identifier of the parcel.',
    example: 3301900001047,
    override: {
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      pattern: undefined,
    },
  });

export function countyOf(propertyId: number): number {
  return Math.floor(propertyId / PER_COUNTY);
}

export function propertyIdOf(fips: number, serial: number): number {
  return fips * PER_COUNTY + serial;
}

export function serialOf(propertyId: number): number {
  return propertyId % PER_COUNTY;
}
