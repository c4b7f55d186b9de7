import { z } from 'zod';
import { openPage, pageOf, turnPage } from '../../http/paging.ts';
import { defineEndpoint } from '../common/resources.ts';
import { areasOf } from './area.ts';
import { comp, toComp } from './comp.ts';
import { findComps } from './find.ts';
import { compsQuery } from './query.ts';

const PATH = '/api/public/v1/comps/';

/** What the bundled sample answers. */
const EXAMPLE_QUERY = '?point=-72.1&point=43.18&dist=1500&status=SOLD&acres_max=10&order=ppa';

const washington = {
  ...{ source: 'Washington NH assessor', status: 'SOLD', city: 'WASHINGTON', state: 'NH', zip: '03280' },
  ...{ county: 'Sullivan', days_on_market: null, sale_type: 'Vacant land, qualified', url: '', photos: [] },
} as const;

const EXAMPLE = {
  count: 2,
  next: null,
  previous: null,
  results: [
    {
      ...washington,
      id: 'c7f2de45-736e-56f1-a4b4-663ed3d7b1db',
      address: 'FAXON HILL RD',
      apn: '000011 000069 000001',
      latitude: '43.1738483',
      longitude: '-72.1041394',
      lot_size: 2.14,
      price: 65_000,
      sold_date: '2025-07-08T00:00:00Z',
    },
    {
      ...washington,
      id: 'e8351a2a-bec9-5a1e-8df7-cec23e18d26a',
      address: '143 VALLEY RD',
      apn: '000012 000181 000003',
      latitude: '43.1703298',
      longitude: '-72.0943009',
      lot_size: 3.41,
      price: 190_000,
      sold_date: '2020-12-22T00:00:00Z',
    },
  ],
};

export const listComps = defineEndpoint({
  method: 'get',
  path: PATH,
  operationId: 'listComps',
  tag: 'Comps',
  summary: 'Comparable land sales and listings',
  description:
    'Listings and sales of land in a county, a ZIP code, a circle or a polygon: at least one of `fips`, `zip`, `point` and `polygon`. ' +
    'Everything that is given must hold. Listings that their source has withdrawn are not shown. A comp for which a filtered value is ' +
    'unknown does not match that filter.',
  params: z.object({}),
  query: compsQuery,
  metering: { key: 'public_comps', price: 1, rule: '1 token per returned comp; 0 for an empty page' },
  response: {
    status: 200,
    description: 'A page of comps.',
    schema: pageOf('CompPage', comp),
    etag: false,
    examples: { sample: { summary: EXAMPLE_QUERY, value: EXAMPLE } },
  },
  errors: {
    unprocessable:
      'The polygon has more than 10,000 vertices, or its outline winds around more comps than can be looked at. Costs nothing.',
  },
  handle: async ({ query }, { database, cursorSecret }, call) => {
    // Before the page: a fault in the polygon is told whatever the page.
    const areas = areasOf(query);
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
