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
    kind: sourceKind.describe('Type of the source.'),
    feed: z.string().describe('Name of the feed.'),
    title: z.string().nullable().describe('Title of the source. Null if the feed has none.'),
    attribution: z.string().nullable().describe('Required credit. Null if the feed has none.'),
    licence: z.string().nullable().describe('License terms of the data. Null if the feed has none.'),
    edition: day('Date of the data according to the source. Null if it does not say.'),
    merged_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .describe('Time of the last merge. Null if it was never merged.'),
    changed: day('Date of the last change according to the source, at the time of the merge.').optional(),
    source_url: z
      .string()
      .nullable()
      .optional()
      .describe("URL of the publisher's data. Null for the operator's own file."),
  })
  .meta({ id: 'CoverageSource' });

const offer = z
  .object({
    fips,
    name: z.string().describe('County name.'),
    state: z.string().describe('Two-letter state code.'),
    statewide: z.boolean().describe('Whether the county is part of a statewide file.'),
    source_url: z.string().describe('URL of the parcel data.'),
    website: z.string().nullable().describe("URL of the publisher's website. Null if unknown."),
    licence: z.string().nullable().describe('License terms. Null if unknown.'),
    year: z.string().nullable().describe('Year of the file. Null if unknown.'),
  })
  .meta({ id: 'CoverageOffer' });

export type Offer = z.output<typeof offer>;

export const noCompsNotice = z
  .object({
    reason: z.enum(NO_COMPS_REASONS).describe('Reason code.'),
    message: z.string().describe('The reason, and what to do about it.'),
  })
  .optional()
  .describe('Present only if the county has no sales. Explains why, and what to do about it.');

const county = z
  .object({
    fips,
    name: z.string().describe('County name.'),
    state: z.string().describe('Two-letter state code.'),
    parcels: count('Number of parcels on the roll.'),
    with_boundary: count('Number of parcels with a boundary.'),
    with_owner: count('Number of parcels with an owner.'),
    with_acres: count('Number of parcels with stated or measured acreage.'),
    with_values: count('Number of parcels with an assessed or market value.'),
    with_sale: count('Number of parcels with a last sale date.'),
    active: count('Number of active listings.'),
    pending: count('Number of listings under contract.'),
    sold: count('Number of closed sales.'),
    stats_as_of: day('Date of the market statistics. Null if there are none.'),
    valuations_as_of: day('Date of the valuations. Null if no parcel is valued.'),
    no_comps: noCompsNotice,
    sources: z.array(source).describe('Rolls, listings, and land layers for the county.'),
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
      .refine(code => STATES.some(state => state.code === code), {
        error: 'must be a two-letter state code, such as WI',
      })
      .optional()
      .meta({
        description:
          "A two-letter state code, such as WI. Adds `offered`, which lists the state's counties that have no data but whose parcels are published.",
        example: 'WI',
      }),
  }),
  path: '/api/public/v1/coverage/',
  operationId: 'get_coverage',
  summary: 'List counties with data',
  description:
    'Returns every county with parcels or listings: what data it has, how recent it is, and where it comes from.',
  response: {
    description: 'Counties with data, sorted by state, then by name.',
    schema: z.object({
      counties: z.array(county),
      offered: z
        .array(offer)
        .optional()
        .describe('Present only with `offered`: counties that the operator can load.'),
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
  description: 'Returns what data a county has, how recent it is, and where it comes from.',
  params: z.object({ fips }),
  response: {
    description: 'The county.',
    schema: county,
    example: { summary: 'A county', value: COVERAGE_EXAMPLE },
  },
  errors: { not_found: 'Plat has no data for this county. Free.' },
  handle: async ({ params }, { db, sourcesOfCounty }) => {
    const [coverage] = await readCoverage(db, Number(params.fips));
    if (coverage === undefined) {
      const [source] = sourcesOfCounty(params.fips);
      const published = source ? ` Its parcels are published at ${source.address}.` : '';
      throw notFound(`Plat has no data for county ${params.fips}.${published}`);
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

/** Catalog entries for a state's counties that have no parcels. */
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
