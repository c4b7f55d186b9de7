import { z } from 'zod';
import { NO_COMPS_REASONS, noComps } from '../../../shared/feeds/no-comps.ts';
import { LAND_KINDS } from '../../../shared/model/feed-kinds.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { allCounties, fiveDigits } from '../../../shared/regions/counties.ts';
import { STATES } from '../../../shared/regions/states.ts';
import { notFound } from '../../http/error-responses.ts';
import { defineEndpoint, type Resources } from '../common/endpoint-resources.ts';
import { fips } from '../common/request-schemas.ts';
import { COVERAGE_EXAMPLE } from '../examples/examples.ts';

const count = (description: string) => z.int().min(0).describe(description);
const day = (description: string) => z.iso.date().nullable().describe(description);

export const sourceKind = z.enum(['assessor', 'listings', ...LAND_KINDS]);

const source = z
  .object({
    kind: sourceKind,
    feed: z.string(),
    title: z.string().nullable(),
    attribution: z.string().nullable().describe('Who is to be credited, and how.'),
    licence: z.string().nullable().describe('Terms on which the data may be used.'),
    edition: day('The day that the source says it is of.'),
    merged_at: z.iso.datetime({ offset: true }).nullable().describe('When it was last taken in.'),
    changed: day('The day that the source, when it was taken in, said it was last changed.').optional(),
    source_url: z
      .string()
      .nullable()
      .optional()
      .describe('Where its publisher has it; null for a file of the operator.'),
  })
  .meta({ id: 'CoverageSource' });

const offer = z
  .object({
    fips,
    name: z.string(),
    state: z.string(),
    statewide: z.boolean().describe('Whether it is a part of a file of the whole state.'),
    source_url: z.string().describe('Where the parcels are published.'),
    website: z.string().nullable().describe('What the publisher says of them.'),
    licence: z.string().nullable().describe('Terms, as far as the catalogue notes them.'),
    year: z.string().nullable().describe('The year of the file, where it has one.'),
  })
  .meta({ id: 'CoverageOffer' });

export type Offer = z.output<typeof offer>;

export const noCompsNotice = z
  .object({
    reason: z.enum(NO_COMPS_REASONS),
    message: z.string().describe('The reason, and what helps.'),
  })
  .optional()
  .describe('Only where no sale is known: why, and what helps.');

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
    no_comps: noCompsNotice,
    sources: z.array(source).describe('The rolls of the county and the land layers over it.'),
  })
  .meta({ id: 'CountyCoverage' });

export type Coverage = z.output<typeof county>;

const common = { tag: 'Coverage', withoutContract: true } as const;

export const listCoverage = defineEndpoint({
  ...common,
  query: z.strictObject({
    offered: z
      .string()
      .transform(text => text.toUpperCase())
      .refine(code => STATES.some(state => state.code === code), { error: 'must be a state, such as WI' })
      .optional()
      .meta({
        description:
          'A state, such as WI: its counties that nothing is known of and whose parcels are published come in `offered`.',
        example: 'WI',
      }),
  }),
  path: '/api/public/v1/coverage/',
  operationId: 'get_coverage',
  summary: 'List counties with data',
  description:
    'Every county with parcels or listings: how much is known of them, of which day, and from whom.',
  response: {
    description: 'By state, then by name. Counties that nothing is known of are left out.',
    schema: z.object({
      counties: z.array(county),
      offered: z
        .array(offer)
        .optional()
        .describe('Only where it is asked for: what the operator could load.'),
    }),
    example: { summary: 'One county', value: { counties: [COVERAGE_EXAMPLE] } },
  },
  handle: async ({ query }, { db, sourcesOfCounty }) => {
    const counties = await readCoverage(db, null);
    const offered = query.offered && { offered: offersOf(query.offered, counties, sourcesOfCounty) };
    return { body: { counties, ...offered }, tokens: 0 };
  },
});

export const countyCoverage = defineEndpoint({
  ...common,
  path: '/api/public/v1/coverage/{fips}/',
  operationId: 'get_county_coverage',
  summary: 'Get the coverage of a county',
  description: 'As in the list of all counties.',
  params: z.object({ fips }),
  response: {
    description: 'The county.',
    schema: county,
    example: { summary: 'A county', value: COVERAGE_EXAMPLE },
  },
  errors: { not_found: 'Nothing is known of this county. Costs nothing.' },
  handle: async ({ params }, { db, sourcesOfCounty }) => {
    const [coverage] = await readCoverage(db, Number(params.fips));
    if (coverage === undefined) {
      const [source] = sourcesOfCounty(params.fips);
      const published = source ? ` Its parcels are published at ${source.address}.` : '';
      throw notFound(`Nothing is known of county ${params.fips}.${published}`);
    }
    return { body: coverage, tokens: 0 };
  },
});

export async function readCoverage(db: Db, code: number | null): Promise<Coverage[]> {
  const rows = await db.run<Coverage & { reads_sales: boolean }>('feeds/list_coverage', {
    fips: code,
  });
  return rows.map(({ reads_sales: readsSales, sources, ...known }) => ({
    ...known,
    ...(known.sold === 0 && { no_comps: noComps(known.state, readsSales) }),
    sources,
  }));
}

/** What the catalogue has of a state's counties without parcels. */
export function offersOf(
  state: string,
  known: readonly Coverage[],
  sourcesOfCounty: Resources['sourcesOfCounty'],
): Offer[] {
  const loaded = new Set(known.filter(({ parcels }) => parcels > 0).map(({ fips: code }) => code));
  return allCounties().flatMap(({ fips: code, name, state: of }): Offer[] => {
    const [source] = of === state && !loaded.has(fiveDigits(code)) ? sourcesOfCounty(fiveDigits(code)) : [];
    if (source === undefined) return [];
    const { place, address, website = null, terms = null, year = null } = source;
    const facts = { fips: fiveDigits(code), name, state, statewide: place.length === 2 };
    return [{ ...facts, source_url: address, website, licence: terms, year }];
  });
}
