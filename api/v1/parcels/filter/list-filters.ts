import { z } from 'zod';
import { FILTERS } from '../../../../shared/parcels/filter/filters.ts';
import { defineEndpoint } from '../../common/endpoint-resources.ts';

const filterList = z
  .object({
    filters: z.array(
      z
        .object({
          name: z.string().describe('The field in the body of properties/filter/.'),
          type: z.enum(['number', 'integer', 'string', 'boolean', 'date', 'list of strings', 'geometry']),
          unit: z.string().nullable().describe('Of numbers that have one.'),
          description: z.string(),
          values: z
            .array(z.union([z.string(), z.number()]))
            .nullable()
            .describe('The only values that are taken; null where others are, too.'),
          default: z
            .union([z.string(), z.boolean()])
            .nullable()
            .describe('What an absent field means; null where it means no filter.'),
          scope: z.boolean().describe('At least one of these is required.'),
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
  description: 'Name, type, unit and allowed values of every field that a filter body may have.',
  response: {
    description: 'The filters, in the order of the documentation.',
    schema: filterList,
    examples: {
      excerpt: {
        summary: 'Two of the filters',
        // Two with a default: linters read `type` beside `default: null` as a schema, and complain.
        value: {
          filters: LIST.filters.filter(({ name }) => ['count_local_frontage', 'order'].includes(name)),
        },
      },
    },
  },
  handle: async () => ({ body: LIST, tokens: 0 }),
});
