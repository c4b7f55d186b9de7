import { z } from 'zod';
import { LAND_KINDS } from '../../shared/domain/land.ts';
import type { Database } from '../http/database.ts';
import { notFound } from '../http/errors.ts';
import { defineEndpoint } from './common/resources.ts';
import { fips } from './common/schemas.ts';

const count = (description: string) => z.int().min(0).meta({ description });
const day = (description: string) => z.iso.date().nullable().meta({ description });

const source = z
  .object({
    kind: z.enum(['assessor', 'listings', ...LAND_KINDS]),
    feed: z.string(),
    title: z.string().nullable(),
    attribution: z.string().nullable().meta({ description: 'Who is to be credited, and how.' }),
    licence: z.string().nullable().meta({ description: 'Terms on which the data may be used.' }),
    edition: day('The day that the source says it is of.'),
    merged_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .meta({ description: 'When it was last taken in.' }),
  })
  .meta({ id: 'CoverageSource' });

const county = z
  .object({
    fips,
    name: z.string(),
    state: z.string(),
    parcels: count('Parcels on the roll.'),
    with_boundary: count('Of them with a boundary.'),
    with_owner: count('With an owner.'),
    with_acres: count('With acreage, stated or measured.'),
    with_values: count('With an assessed or market value.'),
    with_sale: count('With the day of the last sale.'),
    active: count('Listings on the market.'),
    pending: count('Listings under contract.'),
    sold: count('Closed sales.'),
    stats_as_of: day('The day of the market statistics.'),
    valuations_as_of: day('The day for which parcels are valued; null where none is.'),
    sources: z.array(source).meta({ description: 'The rolls of the county and the land layers over it.' }),
  })
  .meta({ id: 'CountyCoverage' });

export type Coverage = z.output<typeof county>;

const EXAMPLE: Coverage = {
  fips: '33019',
  name: 'Sullivan',
  state: 'NH',
  parcels: 2_017,
  with_boundary: 1_992,
  with_owner: 2_017,
  with_acres: 2_017,
  with_values: 2_017,
  with_sale: 1_702,
  active: 48,
  pending: 12,
  sold: 94,
  stats_as_of: '2025-09-28',
  valuations_as_of: '2025-09-28',
  sources: [
    {
      kind: 'assessor',
      feed: 'washington-nh',
      title: "Washington, New Hampshire: assessor's roll and parcel map",
      attribution: null,
      licence: null,
      edition: '2025-09-28',
      merged_at: '2026-11-22T10:00:00.000Z',
    },
  ],
};

const common = {
  method: 'get',
  tag: 'Coverage',
  withoutContract: true,
} as const;

export const listCoverage = defineEndpoint({
  ...common,
  path: '/api/public/v1/coverage/',
  operationId: 'get_coverage',
  summary: 'What is known of which counties',
  description:
    'Every county with parcels or listings: how much is known of them, of which day, and from whom.',
  response: {
    status: 200,
    description: 'By state, then by name. Counties that nothing is known of are left out.',
    schema: z.object({ counties: z.array(county) }),
    example: { summary: 'One county', value: { counties: [EXAMPLE] } },
  },
  handle: async (_input, { database }) => ({
    body: { counties: await readCoverage(database, null) },
    tokens: 0,
  }),
});

export const countyCoverage = defineEndpoint({
  ...common,
  path: '/api/public/v1/coverage/{fips}/',
  operationId: 'get_county_coverage',
  summary: 'What is known of a county',
  description: 'As in the list of all counties.',
  params: z.object({ fips }),
  response: {
    status: 200,
    description: 'The county.',
    schema: county,
    example: { summary: 'A county', value: EXAMPLE },
  },
  errors: { not_found: 'Nothing is known of this county. Costs nothing.' },
  handle: async ({ params }, { database }) => {
    const [found] = await readCoverage(database, Number(params.fips));
    if (found === undefined) throw notFound(`Nothing is known of county ${params.fips}.`);
    return { body: found, tokens: 0 };
  },
});

/** What is known of a county, or of all. */
export function readCoverage(database: Database, code: number | null): Promise<Coverage[]> {
  return database.run<Coverage>('coverage/list_coverage', [code]);
}
