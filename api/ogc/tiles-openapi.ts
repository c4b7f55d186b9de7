import { PRICES, priceText } from '../../shared/model/prices.ts';
import { FACT_ZOOMS } from '../tiles/parcel-tiles.ts';
import { VECTOR_TILE } from '../tiles/tile-cache.ts';

const inPath = (name: string, description: string, schema: object) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
});

const index = { type: 'integer', minimum: 0, maximum: 2 ** FACT_ZOOMS.max - 1 };

export const TILE_PARAMETERS = {
  tileMatrix: inPath('tileMatrix', 'Zoom level.', {
    type: 'integer',
    minimum: FACT_ZOOMS.min,
    maximum: FACT_ZOOMS.max,
  }),
  tileRow: inPath('tileRow', 'Row of the tile, counted from the north.', index),
  tileCol: inPath('tileCol', 'Column of the tile, counted from the west.', index),
};

const KEYS = [{ bearer: [] }, { basic: [] }, { mapKey: [] }];

const refusal = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/exception' } } },
});

const ERRORS = {
  '401': refusal('The key is missing, unknown, revoked, or expired.'),
  '402': refusal('The account has no tokens left, or no active subscription.'),
  '403': refusal('The key lacks the scope, or the map key does not allow the website.'),
  '429': refusal('Too many tiles.'),
  '500': refusal('Something went wrong.'),
  '503': refusal('The service is busy. Try again shortly.'),
};

const free = (operationId: string, summary: string) => ({
  get: {
    operationId,
    summary,
    description: 'Free. With a map key in the URL, the tile URLs in the response have it too.',
    security: KEYS,
    responses: {
      '200': {
        description: summary,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/document' } } },
      },
      ...ERRORS,
    },
  },
});

/** Relative to `/ogc`. TileJSON is one level up. */
export const TILE_PATHS = {
  '/collections/parcels/tiles/WebMercatorQuad/{tileMatrix}/{tileRow}/{tileCol}': {
    get: {
      operationId: 'get_tile',
      summary: 'A vector tile of parcels',
      description: `Price: ${priceText(PRICES.tiles)}, counted in a billing period. Tiles without parcels and 304 responses are free.`,
      security: KEYS,
      parameters: Object.keys(TILE_PARAMETERS).map(name => ({ $ref: `#/components/parameters/${name}` })),
      responses: {
        '200': {
          description: 'A vector tile with the layer `parcels`.',
          headers: {
            ETag: { description: 'Version of the tile.', schema: { type: 'string' } },
            'X-Tokens-Used': { description: 'Cost of the call in tokens.', schema: { type: 'integer' } },
          },
          content: { [VECTOR_TILE]: { schema: { type: 'string', format: 'binary' } } },
        },
        '204': { description: 'There are no parcels in the tile. Free.' },
        '304': { description: 'Unchanged. Free.' },
        '404': refusal('There is no such tile.'),
        ...ERRORS,
      },
    },
  },
  '/style.json': free('get_map_style', 'A MapLibre style of the tiles'),
};
