import { filterSchema, SCOPES } from '../../../../shared/parcels/filter/filter-schema.ts';
import { FILTER_EXAMPLE } from '../../examples/examples.ts';

/** The request body. */
export const filterBody = filterSchema.meta({
  id: 'ParcelFilter',
  example: FILTER_EXAMPLE.request,
  description: `All filters are AND-ed. One of ${SCOPES.join(', ')} is required. GET filters/ lists them with units and values.`,
});
