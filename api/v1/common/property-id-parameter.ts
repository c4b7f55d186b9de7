import { z } from 'zod';

export const propertyId = z
  .string()
  .regex(/^[1-9][0-9]{0,15}$/, 'must be a property_id, which is a whole number')
  .transform(Number)
  .refine(Number.isSafeInteger, 'is larger than any property_id')
  .meta({
    description: 'Stable numeric id of the parcel.',
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
