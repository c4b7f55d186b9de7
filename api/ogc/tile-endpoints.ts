import { z } from 'zod';
import { PRICES } from '../../shared/model/prices.ts';
import { readMapCoverage } from '../../shared/parcels/map-statements.ts';
import type { Db } from '../../shared/platform/db.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { notFound } from '../http/error-responses.ts';
import { FACT_ZOOMS, makeFactTile } from '../tiles/parcel-tiles.ts';
import { cachedTile, VECTOR_TILE } from '../tiles/tile-cache.ts';
import { defineEndpoint } from '../v1/common/endpoint-resources.ts';
import { mapStyle } from './map-style-document.ts';
import { tileJson } from './tile-documents.ts';

/** How long clients can use a tile before they check for a newer one, in seconds. Rolls are loaded rarely. */
const MAX_AGE_S = 3_600;

const index = z
  .string()
  .regex(/^\d{1,7}$/, 'is not a number of a tile')
  .transform(Number);

const query = z.strictObject({ token: z.string().optional() });

const forMaps = { tag: 'Parcels', query, rate: 'tiles', forMaps: true } as const;

export const readTile = defineEndpoint({
  ...forMaps,
  path: '/ogc/collections/parcels/tiles/WebMercatorQuad/{tileMatrix}/{tileRow}/{tileCol}',
  operationId: 'get_tile',
  summary: 'Get a vector tile of parcels',
  description: 'Boundaries of parcels with their ids, parcel numbers, and acres.',
  params: z.object({ tileMatrix: index, tileRow: index, tileCol: index }),
  metering: {
    key: 'public_tiles',
    price: PRICES.tiles,
    perCalls: PRICES.tiles.each,
    note: 'counted in a billing period. Tiles without parcels and 304 responses are free',
    needs: (_input, { tilesPaid }) => (tilesPaid > 0 ? 0 : 1),
  },
  response: { description: 'A vector tile.', etag: true, also: { 204: 'There are no parcels in the tile.' } },
  errors: { not_found: 'There are no tiles here.' },
  handle: async ({ params: { tileMatrix: z, tileRow: y, tileCol: x } }, resources) => {
    const { min, max } = FACT_ZOOMS;
    if (z < min || z > max || x >= 2 ** z || y >= 2 ** z)
      throw notFound(`There is no such tile. Zoom levels are ${min} to ${max}.`);
    const tile = await cachedTile(resources, `facts/${z}/${x}/${y}`, async () => ({
      bytes: (await makeFactTile(resources.db, { z, x, y })) ?? NOTHING,
      type: VECTOR_TILE,
    }));
    if (tile!.bytes.length === 0) return { body: null, status: 204, tokens: 0 };
    const { bytes, ...more } = tile!;
    return { body: bytes, ...more, maxAge: MAX_AGE_S, tokens: PRICES.tiles.tokens };
  },
});

const NOTHING = Buffer.alloc(0);

const describeTiles = async (token: string | undefined, db: Db, apiUrl: string) =>
  tileJson(apiUrl, token === undefined ? '' : `?token=${token}`, await readMapCoverage(db));

export const readTileJson = defineEndpoint({
  ...forMaps,
  path: '/tiles.json',
  operationId: 'get_tile_json',
  summary: 'Describe the vector tiles of parcels as TileJSON',
  description: 'TileJSON 3.0, with the map key of the request in the URLs.',
  response: { description: 'TileJSON.' },
  handle: async ({ query: { token } }, { db }, { apiUrl }) => ({
    body: await describeTiles(token, db, apiUrl),
    tokens: 0,
  }),
});

export const readMapStyle = defineEndpoint({
  ...forMaps,
  path: '/ogc/style.json',
  operationId: 'get_map_style',
  summary: 'Get a map style for the vector tiles of parcels',
  description: 'A style for MapLibre and QGIS, with the map key of the request in the URLs.',
  response: { description: 'A MapLibre style.' },
  handle: async ({ query: { token } }, { db }, { apiUrl }) => ({
    body: mapStyle(await describeTiles(token, db, apiUrl)),
    tokens: 0,
  }),
});

export const tileEndpoints: readonly Endpoint[] = [readTile, readTileJson, readMapStyle];
