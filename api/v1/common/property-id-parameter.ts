import { z } from 'zod';

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

export const parcelParams = {
  tag: 'Parcels',
  params: z.object({ property_id: propertyId }),
} as const;
