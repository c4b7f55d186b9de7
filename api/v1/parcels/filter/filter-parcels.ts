import { z } from 'zod';
import { PRICES } from '../../../../shared/model/prices.ts';
import type { Order } from '../../../../shared/parcels/filter/filters.ts';
import { selectParcels } from '../../../../shared/parcels/filter/select-parcels.ts';
import { openPage, pageOf, pageParameters, toPageResult } from '../../../http/paging.ts';
import { defineEndpoint } from '../../common/endpoint-resources.ts';
import { parcelSummary, readSummaries, toSummary } from '../../common/parcel-summary.ts';
import { FILTER_EXAMPLE } from '../../examples/examples.ts';
import { filterBody } from './filter-body.ts';
import { findHits, type OrderedHit } from './filter-hits.ts';
import { PAGE_SIZES } from './filter-prices.ts';
import { requireFilterRegions } from './filter-regions.ts';

export const filterParcels = defineEndpoint({
  method: 'post',
  path: '/api/public/v1/properties/filter/',
  operationId: 'filter_properties',
  reads: true,
  tag: 'Parcels',
  summary: 'Filter parcels',
  description: `Finds the parcels on the roll that match every filter. If a parcel's value for a field is unknown, filters on that field do not match the parcel, but filters
that exclude parcels keep it. Bounds are inclusive. A list matches any of its values. Every page
costs the same, whatever its \`page_size\`. To read all matches, follow \`next\`.`,
  query: z.strictObject(pageParameters(PAGE_SIZES)),
  body: filterBody,
  metering: {
    key: 'public_parcel_filter',
    price: PRICES.filterPage,
    note: 'free when nothing matches. A page past the end costs the same, because it returns the count',
  },
  response: {
    description: `A page of the matching parcels. Send the same body to \`next\` and \`previous\`. They contain a cursor, so no parcel is skipped or
repeated if the roll changes in between. There is one exception: with an \`order\` other than \`property_id\`, a parcel whose sort value changes
between two pages can be skipped or repeated. Estimates change daily. If you send a \`page\` number without a cursor, pages are counted from the start, so
parcels can also be skipped or repeated. \`count\` is calculated on the first page.`,
    schema: pageOf(
      'FilterPage',
      parcelSummary,
      ' POST the same body to it, because the URL does not contain the filters.',
    ),
    example: {
      summary: 'Matches for the example request in the sample data',
      value: FILTER_EXAMPLE.response,
    },
  },
  errors: {
    unprocessable:
      'The geometry has more than 10,000 vertices or too many long edges, or its outline crosses too many parcels. Free.',
  },
  handle: async ({ body, query }, { db, cursorSecret }, call) => {
    await requireFilterRegions(db, body);
    const page = await openPage(query, {
      endpoint: 'properties/filter',
      request: body,
      call,
      secret: cursorSecret,
    });
    const order = (body.order ?? 'property_id') as Order;
    const companyId = body.list_id === undefined ? null : call.account.companyId;
    const selection = await selectParcels(body, { asOf: page.asOf, companyId, work: call.work }, db);
    const { count, hits } = await findHits(db, selection, page, order);
    const { next, previous, rows } = toPageResult<OrderedHit>(page, hits, count, hit =>
      order === 'property_id' ? [hit.property_id] : [hit.figure, hit.property_id],
    );
    const ids = rows.map(hit => hit.property_id);
    const results = (await readSummaries(db, ids)).map(row => toSummary(row, call.appUrl));
    // A page past the end costs the same, because it returns the count.
    return { body: { count, next, previous, results }, tokens: count === 0 ? 0 : PRICES.filterPage.tokens };
  },
});
