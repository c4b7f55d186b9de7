import { z } from 'zod';
import type { QueryData } from '../../../shared/geo/intersects.ts';
import type { ShapeWork } from '../../../shared/geo/shape-work.ts';
import { type Area, areasOf, openArea } from '../../../shared/market/comps-area.ts';
import { checkComps, compsFields } from '../../../shared/market/comps-query.ts';
import { type CompsFilter, selectComps } from '../../../shared/market/select-comps.ts';
import { costOf, PRICES } from '../../../shared/model/prices.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { sql } from '../../../shared/platform/statements.ts';
import { openPage, type Page, pageOf, pageParameters, toPageResult } from '../../http/paging.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { requireKnownRegions } from '../common/known-regions.ts';
import { COMPS_EXAMPLE } from '../examples/examples.ts';
import { MIN_DISCLOSED_COUNT } from '../parcels/filter/withhold-counts.ts';
import { type CompRow, comp, toComp } from './comp-schema.ts';

const PATH = '/api/public/v1/comps/';

export const compsQuery = z
  .strictObject({ ...compsFields, ...pageParameters({ usual: 100, most: 500 }) })
  .superRefine(checkComps);

export const listComps = defineEndpoint({
  path: PATH,
  operationId: 'list_comps',
  tag: 'Comps',
  summary: 'List comparable sales and listings',
  description:
    'Returns listings and sales of land that match every parameter. At least one of `fips`, `zip`, `point`, and `polygon` is required. ' +
    "Withdrawn listings are excluded.\n\nIf a comp's value for a field is unknown, filters on that field do not match the comp.",
  query: compsQuery,
  metering: {
    key: 'public_comps',
    price: PRICES.comps,
    note: `free for an empty page. A page past the end has a null \`count\` when there are fewer than ${MIN_DISCLOSED_COUNT}`,
    atMost: ({ query }) => costOf(PRICES.comps, query.page_size),
    needs: ({ query }) => Math.min(query.page_size, MIN_DISCLOSED_COUNT),
  },
  response: {
    description: 'A page of comps.',
    schema: pageOf('CompPage', comp).extend({
      count: z
        .int()
        .min(0)
        .nullable()
        .describe(
          `Total number of comps across all pages, as counted when the first page was requested. Null past the last page when there are fewer than ${MIN_DISCLOSED_COUNT}.`,
        ),
    }),
    example: { summary: COMPS_EXAMPLE.query, value: COMPS_EXAMPLE.response },
  },
  errors: {
    unprocessable:
      'The polygon has more than 10,000 vertices or too many long edges, or its outline is near too many comps. Free.',
  },
  handle: async ({ query }, { db, cursorSecret }, call) => {
    // Read the areas before the page, so that an invalid polygon is reported on any page.
    const areas = await areasOf(query, call.work);
    await requireKnownRegions(db, [
      { field: 'fips', type: 'county', codes: query.fips === undefined ? [] : [query.fips] },
      { field: 'zip', type: 'zip', codes: query.zip === undefined ? [] : [query.zip] },
    ]);
    const { page: _number, page_size: _size, cursor: _cursor, ...request } = query;
    const page = await openPage(query, { endpoint: PATH, request, call, secret: cursorSecret });
    const hits = await findComps(query, areas, page, db, call.work);
    const { count, next, previous, rows } = toPageResult(page, hits.rows, hits.count, row => [
      row.place,
      row.id,
    ]);
    const isDisclosed = rows.length > 0 || page.number === 1 || count >= MIN_DISCLOSED_COUNT || call.user;
    return {
      body: isDisclosed
        ? { count, next, previous, results: rows.map(toComp) }
        : { count: null, next: null, previous: page.link(page.number - 1), results: [] },
      tokens: costOf(PRICES.comps, rows.length),
    };
  },
});

export type PlacedComp = CompRow & { place: number | null };

type Row = { total: number | null } & (PlacedComp | { id: null });

export type CompsResult = { count: number; rows: PlacedComp[] };

/**
 * Reads a page of comps. The rows before a cursor are in reverse order.
 * @param areas one or two areas. A comp must be in each of them
 */
export async function findComps(
  query: CompsFilter,
  areas: readonly QueryData[],
  page: Page,
  db: Db,
  work: ShapeWork,
): Promise<CompsResult> {
  const opened = await Promise.all(areas.map(area => openArea(area, db, work)));
  const rows = await readPage(query, page, opened, db);
  const shown = rows.filter((row): row is Row & PlacedComp => row.id !== null);
  return { count: page.count ?? rows[0]!.total!, rows: shown };
}

function readPage(
  query: CompsFilter,
  { cursorPosition, count, size, offset, asOf }: Page,
  areas: readonly Area[],
  db: Db,
): Promise<Row[]> {
  const backwards = cursorPosition?.direction === 'previous';
  const sign = backwards ? '<' : '>';
  const [place, id] = cursorPosition?.place ?? [null, null];
  const isNarrow = areas.length > 0 || [query.fips, query.zip, query.id].some(value => value !== undefined);
  const selection = selectComps(query, areas, asOf);
  return db.run<Row>(
    'market/list_comps',
    {
      ...selection.values,
      with_total: count === undefined,
      ...(query.order !== undefined && { after_place: place ?? 'Infinity' }),
      after_id: id,
      limit: size + 1,
      offset,
    },
    {
      figures: sql('market/comp_figures'),
      where: selection.where,
      place: selection.place,
      beyond:
        query.order === undefined
          ? `id ${sign} :after_id::uuid`
          : `(place, id) ${sign} (:after_place::float8, :after_id)`,
      hits: isNarrow || count === undefined ? 'materialized' : 'not materialized',
      direction: backwards ? 'desc' : 'asc',
    },
  );
}
