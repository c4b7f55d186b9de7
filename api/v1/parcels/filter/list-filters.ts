import { z } from 'zod';
import { FILTERS } from '../../../../shared/parcels/filter/filters.ts';
import { defineEndpoint } from '../../common/endpoint-resources.ts';

const filterList = z
  .object({
    filters: z.array(
      z
        .object({
          name: z.string().describe('Name of the field in the request body of `properties/filter/`.'),
          type: z.enum([
            ...(['number', 'integer', 'string', 'boolean', 'date'] as const),
            ...(['list of strings', 'list of objects', 'geometry'] as const),
          ]),
          unit: z.string().nullable().describe('Unit of the number. Null if it has none.'),
          description: z.string().describe('What the filter matches.'),
          values: z
            .array(z.union([z.string(), z.number()]))
            .nullable()
            .describe('All allowed values. Null if any value of the type is allowed.'),
          default: z
            .union([z.string(), z.boolean()])
            .nullable()
            .describe('Value used when the field is absent. Null if an absent field means no filter.'),
          scope: z
            .boolean()
            .describe(
              'Whether this field limits the search to an area or a set of parcels, as `county` and `list_id` do. Every filter needs at least one such field.',
            ),
        })
        .meta({ id: 'FilterDescription' }),
    ),
  })
  .meta({ id: 'FilterList' });

export type FilterDescription = z.output<typeof filterList>['filters'][number];

const LIST = {
  filters: FILTERS.map(({ name, type, unit, description, values, default: fallback, scope }) => ({
    name,
    type,
    unit: unit ?? null,
    description,
    values: values === undefined ? null : [...values],
    default: fallback ?? null,
    scope: scope ?? false,
  })),
};

export const listFilters = defineEndpoint({
  path: '/api/public/v1/filters/',
  operationId: 'list_filters',
  tag: 'Parcels',
  summary: 'List parcel filters',
  description: 'Returns the name, type, unit, and allowed values of every filter.',
  response: {
    description: 'The filters, in documentation order.',
    schema: filterList,
    examples: {
      excerpt: {
        summary: 'Two of the filters',
        // Two filters that have a default, because linters mistake `type` and `default: null` for a schema.
        value: {
          filters: LIST.filters.filter(({ name }) => ['count_local_frontage', 'order'].includes(name)),
        },
      },
    },
  },
  handle: async () => ({ body: LIST, tokens: 0 }),
});
