import { z } from 'zod';
import { PRICES } from '../../../shared/model/prices.ts';
import { link } from '../../http/endpoint.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { parcelParams } from '../common/property-id-parameter.ts';
import { EXAMPLE_ID } from '../examples/examples.ts';

const parcelImage = z
  .object({
    property_id: z.int().describe('Id of the parcel.'),
    image_url: link.describe(
      'URL of the picture. Requires no API key and works until `expires_at`. Every call returns a new one.',
    ),
    mime_type: z.literal('image/jpeg'),
    expires_at: z.iso.datetime().describe('Time when the URL expires.'),
    imagery: z
      .enum(['aerial', 'relief'])
      .describe('Background behind the boundary: aerial imagery, or a relief map drawn from land data.'),
    attribution: z.string().describe('Credit for the imagery.'),
    captured: z.iso.date().nullable().describe('Date of the imagery. Null if the source does not state it.'),
  })
  .meta({ id: 'ParcelImage' });

export const getParcelImage = defineEndpoint({
  ...parcelParams,
  path: '/api/public/v1/properties/{property_id}/parcel-image/',
  operationId: 'get_parcel_image',
  summary: 'Get a picture of a parcel',
  description:
    'Returns the URL of a 1024 x 768 JPEG of the parcel on aerial imagery, north up in Web Mercator. The whole boundary is outlined in blue, with a margin.\n\nReturns 404 when no imagery covers the parcel, and 503 with `Retry-After` when the imagery source is down. Both are free.',
  metering: {
    key: 'public_parcel_image',
    price: PRICES.picture,
    note: 'free when `imagery` is `relief`, and on 404, 422, and 503',
    mayBeFree: true,
  },
  response: {
    description: 'The URL of the picture.',
    schema: parcelImage,
    example: {
      summary: `Parcel ${EXAMPLE_ID} in the sample data`,
      value: {
        property_id: EXAMPLE_ID,
        image_url: 'http://127.0.0.1:3000/images/q8Yw3tqzG1aWlpZkC0b9eHsicCI6MzMwMTkwMDAwMTA0N30.jpg',
        mime_type: 'image/jpeg',
        expires_at: '2026-07-01T12:15:00.000Z',
        imagery: 'relief',
        attribution: 'relief drawn from roads and parcels; no elevation data here',
        captured: null,
      },
    },
  },
  errors: {
    not_found: 'No parcel has this id, the parcel has no boundary, or no imagery covers it. Free.',
    unprocessable: 'The boundary has more than 50,000 vertices or 1,000 parts. Free.',
  },
  handle: async ({ params: { property_id } }, { images }, call) => {
    const { key, picture } = await images.pictures.ofParcel(property_id);
    const { path, expiresAt } = await images.addressOf(property_id, key, call.now);
    const { imagery, attribution, captured } = picture;
    const body = {
      property_id,
      image_url: call.apiUrl + path,
      mime_type: 'image/jpeg',
      expires_at: expiresAt.toISOString(),
      imagery,
      attribution,
      captured,
    };
    return { body, image: picture.bytes, tokens: imagery === 'relief' ? 0 : PRICES.picture.tokens };
  },
});
