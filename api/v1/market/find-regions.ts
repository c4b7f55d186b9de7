import { z } from 'zod';
import { openPage, type Page, pageOf, pageParameters, toPageResult } from '../../http/paging.ts';
import { defineEndpoint, type Resources } from '../common/endpoint-resources.ts';
import {
  line,
  REGION_EXAMPLE,
  type RegionRow,
  region,
  stateCode,
  toRegion,
} from '../common/request-schemas.ts';

const PATH = '/api/public/v1/regions/';

/** Longer than any county name. */
const MAX_QUERY = 100;

const query = z.strictObject({
  q: line(MAX_QUERY, 'must appear only once')
    .optional()
    .meta({
      description:
        "Words from a county name, a state, or the start of a ZIP or FIPS code. The leading zero of a FIPS code is optional.\n\nEach word must match the start of a word in the region's name. " +
        'Case, accents, and apostrophes are ignored. A ZIP code also matches words from the name of its county.',
      example: 'sullivan',
    }),
  type: z
    .enum(['county', 'zip'], 'must be county or zip')
    .optional()
    .describe('Return only counties, or only ZIP codes.'),
  state: stateCode.optional(),
  ...pageParameters({ usual: 25, most: 100 }),
});
type Query = z.output<typeof query>;

export const searchRegions = defineEndpoint({
  path: PATH,
  operationId: 'find_regions',
  tag: 'Regions',
  summary: 'Find counties and ZIP codes',
  description:
    'Returns counties, then ZIP codes, each sorted by name, with the `id` to use for saved markets and exports. Without parameters, returns all of them.',
  query,
  response: {
    description: 'A page of regions.',
    schema: pageOf('RegionPage', region),
    example: {
      summary: '?q=sullivan&state=NH&type=county',
      value: {
        count: 1,
        next: null,
        previous: null,
        results: [REGION_EXAMPLE],
      },
    },
  },
  handle: async ({ query: search }, resources, call) => {
    const page = await openPage(search, {
      endpoint: PATH,
      request: { q: search.q, type: search.type, state: search.state },
      call,
      secret: resources.cursorSecret,
    });
    const { count, rows } = await readPage(search, page, resources);
    const pageResult = toPageResult(page, rows, count, row => [row.type, row.name, row.code]);
    return { body: { ...pageResult, rows: undefined, results: pageResult.rows.map(toRegion) }, tokens: 0 };
  },
});

type Row = { total: number | null } & (RegionRow | { id: null });

async function readPage(
  { q = '', type, state }: Query,
  { cursorPosition, count, size, offset }: Page,
  { db }: Resources,
): Promise<{ count: number; rows: RegionRow[] }> {
  const patterns = wordPatterns(q).map((pattern, at) => [`word_${at + 1}`, pattern] as const);
  const [afterType, afterName, afterCode] = cursorPosition?.place ?? [null, null, null];
  const backwards = cursorPosition?.direction === 'previous';
  const rows = await db.run<Row>(
    'regions/search_regions',
    {
      type: type ?? null,
      state: state ?? null,
      with_total: count === undefined,
      after_type: afterType,
      after_name: afterName,
      after_code: afterCode,
      limit: size + 1,
      offset,
      ...Object.fromEntries(patterns),
    },
    {
      words: patterns.map(([name]) => `and search_words like :${name}`).join(' '),
      beyond: backwards ? '<' : '>',
      direction: backwards ? 'desc' : 'asc',
    },
  );
  return {
    count: count ?? rows[0]!.total!,
    rows: rows.filter((row): row is Row & RegionRow => row.id !== null),
  };
}

/**
 * The names of counties and county equivalents are stored without these words: `Sullivan`, not `Sullivan
 * County`.
 */
const KINDS = new Set(['county', 'parish', 'borough', 'municipality', 'municipio']);

/**
 * The words that the user typed, as LIKE patterns for `regions.search_words`. Each pattern matches the start
 * of a word there.
 */
function wordPatterns(text: string): string[] {
  const words = text
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f'’]/g, '')
    .toLowerCase()
    .split(/[\s.,/()-]+/)
    .filter(word => word !== '');
  const significant = words.filter(word => !KINDS.has(word));
  return (significant.length > 0 ? significant : words).map(
    word => `% ${word.replaceAll(/[\\%_]/g, '\\$&')}%`,
  );
}
