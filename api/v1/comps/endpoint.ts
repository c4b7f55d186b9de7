import { z } from 'zod';
import { openPage, pageOf, turnPage } from '../../http/paging.ts';
import { requireKnown } from '../common/known-regions.ts';
import { defineEndpoint } from '../common/resources.ts';
import { COMPS_EXAMPLE } from '../examples/examples.ts';
import { areasOf } from './area.ts';
import { comp, toComp } from './comp.ts';
import { findComps } from './find.ts';
import { compsQuery } from './query.ts';

const PATH = '/api/public/v1/comps/';

export const listComps = defineEndpoint({
  method: 'get',
  path: PATH,
  operationId: 'list_comps',
  tag: 'Comps',
  summary: 'Comparable land sales and listings',
  description:
    'Listings and sales of land in a county, a ZIP code, a circle or a polygon: at least one of `fips`, `zip`, `point` and `polygon`. ' +
    'Everything that is given must hold. Listings that their source has withdrawn are not shown. A comp for which a filtered value is ' +
    'unknown does not match that filter.',
  params: z.object({}),
  query: compsQuery,
  metering: {
    key: 'public_comps',
    price: 1,
    rule: '1 token per returned comp; 0 for an empty page, also for one past the end, which tells the count all the same',
  },
  response: {
    status: 200,
    description: 'A page of comps.',
    schema: pageOf('CompPage', comp),
    etag: false,
    examples: { sample: { summary: COMPS_EXAMPLE.query, value: COMPS_EXAMPLE.response } },
  },
  errors: {
    unprocessable:
      'The polygon has more than 10,000 vertices, or its outline winds around more comps than can be looked at. Costs nothing.',
  },
  handle: async ({ query }, { database, cursorSecret }, call) => {
    // Before the page: a fault in the polygon is told whatever the page.
    const areas = areasOf(query);
    await requireKnown(database, [
      { field: 'fips', type: 'county', codes: query.fips === undefined ? [] : [query.fips] },
      { field: 'zip', type: 'zip', codes: query.zip === undefined ? [] : [query.zip] },
    ]);
    const { page: _number, page_size: _size, cursor: _cursor, ...request } = query;
    const page = await openPage(query, { endpoint: PATH, request, call, secret: cursorSecret });
    const found = await findComps(query, areas, page, database);
    const { count, next, previous, rows } = turnPage(page, found.rows, found.count, row => [
      row.place,
      row.id,
    ]);
    return { body: { count, next, previous, results: rows.map(toComp) }, tokens: rows.length };
  },
});
