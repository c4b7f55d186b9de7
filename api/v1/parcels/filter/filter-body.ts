import { z } from 'zod';
import { filterSchema, SCOPES } from '../../../../shared/parcels/filter/filter-schema.ts';
import { FILTER_EXAMPLE } from '../../examples/examples.ts';

export const filterBody = filterSchema.meta({
  id: 'ParcelFilter',
  example: FILTER_EXAMPLE.request,
  description: `All filters are AND-ed. One of ${SCOPES.join(', ')} is required. GET filters/ lists them with units and values.`,
});

/** Checked as the body of filter/, and kept as it was sent: who uses it later reads it again. */
export const sentFilter = z
  .record(z.string(), z.unknown(), 'must be an object: a body of properties/filter/')
  .superRefine((sent, context) => {
    const { error } = filterSchema.safeParse(sent, { reportInput: true });
    for (const issue of error?.issues ?? []) context.issues.push({ ...issue, input: sent } as never);
  })
  .meta({ override: { $ref: '#/components/schemas/ParcelFilter' } as never });
