import { z } from 'zod';
import { notFound } from '../http/errors.ts';
import { SUMMARY_COLUMNS } from './common/parcel-summary.ts';
import { countyOf, propertyId } from './common/property-id.ts';
import { defineEndpoint } from './common/resources.ts';
import { DETAIL_EXAMPLE, EXAMPLE_ID } from './examples/parcels.ts';
import { type DetailRow, parcelDetail, ROLL_COLUMNS, toDetail } from './properties/parcel-detail.ts';

const TOKENS = 10;

export const getProperty = defineEndpoint({
  method: 'get',
  path: '/api/public/v1/properties/{property_id}/',
  operationId: 'getProperty',
  tag: 'Parcels',
  summary: 'All that is known of a parcel',
  description:
    'The summary of a parcel, every field that filters read, and its boundary. A parcel that has left the roll keeps its id and answers as the roll last had it, with `retired_at`.',
  params: z.object({ property_id: propertyId }),
  query: z.strictObject({}),
  metering: { key: 'public_property_detail', price: TOKENS, rule: '10 tokens; 0 on 404' },
  response: {
    status: 200,
    description: 'The parcel.',
    schema: parcelDetail,
    etag: false,
    examples: { sample: { summary: `Parcel ${EXAMPLE_ID} of the sample`, value: DETAIL_EXAMPLE } },
  },
  errors: { not_found: 'No parcel has this id. Costs nothing.' },
  handle: async ({ params: { property_id } }, { database }, call) => {
    const [row] = await database.runComposed<DetailRow>(
      'properties/get_parcel',
      { summary: SUMMARY_COLUMNS, roll: ROLL_COLUMNS },
      [countyOf(property_id), property_id],
    );
    if (row === undefined) throw notFound(`There is no parcel ${property_id}.`);
    return { body: toDetail(row, call.appUrl, call.now), tokens: TOKENS };
  },
});
