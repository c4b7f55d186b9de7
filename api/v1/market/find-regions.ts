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

/** No county's name is as long. */
const MAX_QUERY = 100;

const query = z.strictObject({
  q: line(MAX_QUERY, 'must be given once')
    .optional()
    .meta({
      description:
        'Words of a county name, a state, the beginning of a ZIP or of a FIPS code, with its leading zero or without. Each word must begin a word of the region. ' +
        'Case, accents and apostrophes do not matter. A ZIP has the words of its county, too.',
      example: 'sullivan',
    }),
  type: z.enum(['county', 'zip'], 'must be county or zip').optional().describe('Only these.'),
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
    'Counties and ZIP codes with the `id` that saved markets take: counties first, each by name. Without parameters, all of them.',
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
    const turned = toPageResult(page, rows, count, row => [row.type, row.name, row.code]);
    return { body: { ...turned, rows: undefined, results: turned.rows.map(toRegion) }, tokens: 0 };
  },
});

type Row = { total: number | null } & (RegionRow | { id: null });

async function readPage(
  { q = '', type, state }: Query,
  { beside, count, size, offset }: Page,
  { db }: Resources,
): Promise<{ count: number; rows: RegionRow[] }> {
  const patterns = wordPatterns(q).map((pattern, at) => [`word_${at + 1}`, pattern] as const);
  const [afterType, afterName, afterCode] = beside?.place ?? [null, null, null];
  const backwards = beside?.direction === 'previous';
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

/** Counties and their equivalents are stored without the word: `Sullivan`, not `Sullivan County`. */
const KINDS = new Set(['county', 'parish', 'borough', 'municipality', 'municipio']);

/** Typed words as LIKE patterns for `regions.search_words`: each begins a word of the region. */
function wordPatterns(text: string): string[] {
  const words = text
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f'’]/g, '')
    .toLowerCase()
    .split(/[\s.,/()-]+/)
    .filter(word => word !== '');
  const telling = words.filter(word => !KINDS.has(word));
  return (telling.length > 0 ? telling : words).map(word => `% ${word.replaceAll(/[\\%_]/g, '\\$&')}%`);
}
