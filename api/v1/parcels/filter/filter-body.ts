import { z } from 'zod';
import { filterSchema, SCOPES } from '../../../../shared/parcels/filter/filter-schema.ts';
import { FILTER_EXAMPLE } from '../../examples/examples.ts';

export const filterBody = filterSchema.meta({
  id: 'ParcelFilter',
  example: FILTER_EXAMPLE.request,
  description: `Parcels must match every filter. At least one of ${SCOPES.join(', ')} is required. \`GET filters/\` lists all filters with their units and allowed values.`,
});

/** Validated like the body of filter/, but stored as sent. Code that uses the body later parses it again. */
export const sentFilter = z
  .record(z.string(), z.unknown(), 'must be an object with the fields of properties/filter/')
  .superRefine((sent, context) => {
    const { error } = filterSchema.safeParse(sent, { reportInput: true });
    for (const issue of error?.issues ?? []) context.issues.push({ ...issue, input: sent } as never);
  })
  .meta({ override: { $ref: '#/components/schemas/ParcelFilter' } as never });
