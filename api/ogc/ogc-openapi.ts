import { PRICES, priceText } from '../../shared/model/prices.ts';
import { version } from '../../shared/platform/root.ts';
import type { Collections } from './collections.ts';
import { SUPPORTED } from './cql-text.ts';
import { CRS_NAMES, CRS84 } from './crs.ts';
import { LIMITS } from './items-query.ts';
import { GEOJSON, JSON_SCHEMA, OPENAPI } from './media-types.ts';
import { TILE_PARAMETERS, TILE_PATHS } from './tiles-openapi.ts';

type Schema = Record<string, unknown>;

const error = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/exception' } } },
});

const ERRORS = {
  '400': error('A parameter is unknown or invalid.'),
  '401': error('The key is missing, unknown, revoked, or expired.'),
  '402': error('The account has no tokens left, or no active subscription.'),
  '403': error('The key lacks the scope api:direct.'),
  '404': error('There is no such collection or feature.'),
  '422': error('The bbox is too complex for the data in it.'),
  '429': error('Too many calls.'),
  '500': error('Something went wrong.'),
  '503': error('The service is busy. Try again shortly.'),
};

const query = (name: string, description: string, schema: Schema, more: Schema = {}) => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
  ...more,
});

const LIST = { style: 'form', explode: false };

const PARAMETERS: Record<string, Schema> = {
  collectionId: {
    name: 'collectionId',
    in: 'path',
    required: true,
    description: 'Name of a collection.',
    schema: { type: 'string' },
  },
  featureId: {
    name: 'featureId',
    in: 'path',
    required: true,
    description: 'Id of a feature.',
    schema: { type: 'string' },
  },
  limit: query(
    'limit',
    `Number of features per page. A larger number counts as ${LIMITS.most}.`,
    { type: 'integer', minimum: 1, maximum: LIMITS.most, default: LIMITS.usual },
    LIST,
  ),
  bbox: query(
    'bbox',
    'Only features that share a point with this box: west, south, east, north, in the order of the axes of `bbox-crs`.',
    {
      type: 'array',
      minItems: 4,
      maxItems: 6,
      oneOf: [
        { minItems: 4, maxItems: 4 },
        { minItems: 6, maxItems: 6 },
      ],
      items: { type: 'number' },
    },
    LIST,
  ),
  datetime: query(
    'datetime',
    'A date, a date and time, or an interval such as 2025-01-01/.. Only comps have a time: the day of the sale.',
    { type: 'string' },
    LIST,
  ),
  crs: query('crs', 'Reference system of the coordinates in the response.', crsSchema()),
  'bbox-crs': query('bbox-crs', 'Reference system of `bbox`.', crsSchema()),
  'filter-crs': query('filter-crs', 'Accepted, but filters have no coordinates.', crsSchema()),
  filter: query(
    'filter',
    `CQL2 text with the properties in \`queryables\`: ${SUPPORTED}. For example, \`county = '33019' AND acres BETWEEN 5 AND 20\`.`,
    { type: 'string' },
  ),
  'filter-lang': query('filter-lang', 'Language of the filter.', { type: 'string', enum: ['cql2-text'] }),
  cursor: query('cursor', 'Opaque. Part of the URL of the next page.', { type: 'string' }),
  f: query('f', 'Format of the response.', { type: 'string', enum: ['json'] }),
  ...TILE_PARAMETERS,
};

function crsSchema(): Schema {
  return { type: 'string', format: 'uri', enum: CRS_NAMES, default: CRS84 };
}

const parameters = (...names: string[]) => names.map(name => ({ $ref: `#/components/parameters/${name}` }));

const page = (operationId: string, summary: string, type: string, schema: string, names: string[] = []) => ({
  get: {
    operationId,
    summary,
    security: [],
    parameters: parameters(...names, 'f'),
    responses: {
      '200': {
        description: summary,
        content: { [type]: { schema: { $ref: `#/components/schemas/${schema}` } } },
      },
      '400': ERRORS['400'],
      ...(names.length > 0 && { '404': ERRORS['404'] }),
      '500': ERRORS['500'],
    },
  },
});

const features = (operationId: string, summary: string, schema: string, names: string[]) => ({
  get: {
    operationId,
    summary,
    description: `Price: ${priceText(PRICES.ogcItems)}.`,
    parameters: parameters(...names),
    responses: {
      '200': {
        description: summary,
        headers: {
          'Content-Crs': { description: 'Reference system of the coordinates.', schema: { type: 'string' } },
          ETag: { description: 'Version of the response.', schema: { type: 'string' } },
          'X-Tokens-Used': { description: 'Cost of the call in tokens.', schema: { type: 'integer' } },
        },
        content: { [GEOJSON]: { schema: { $ref: `#/components/schemas/${schema}` } } },
      },
      '304': { description: 'Unchanged. Free.' },
      ...ERRORS,
    },
  },
});

const PATHS = {
  '/': page('get_landing_page', 'Landing page', 'application/json', 'page'),
  '/conformance': page('get_conformance', 'Conformance classes', 'application/json', 'confClasses'),
  '/api': page('get_api', 'This document', OPENAPI, 'document'),
  '/collections': page('get_collections', 'Collections', 'application/json', 'collections'),
  '/collections/{collectionId}': page('get_collection', 'A collection', 'application/json', 'collection', [
    'collectionId',
  ]),
  '/collections/{collectionId}/queryables': page(
    'get_queryables',
    'Properties that filters can use',
    JSON_SCHEMA,
    'document',
    ['collectionId'],
  ),
  '/collections/{collectionId}/schema': page(
    'get_schema',
    'Types of the properties of a feature',
    JSON_SCHEMA,
    'document',
    ['collectionId'],
  ),
  '/collections/{collectionId}/items': features('get_items', 'A page of features', 'featureCollection', [
    'collectionId',
    'limit',
    'bbox',
    'bbox-crs',
    'datetime',
    'filter',
    'filter-lang',
    'filter-crs',
    'crs',
    'cursor',
    'f',
  ]),
  '/collections/{collectionId}/items/{featureId}': features('get_item', 'A feature', 'feature', [
    'collectionId',
    'featureId',
    'crs',
    'f',
  ]),
  '/collections/parcels/tiles': page('get_tilesets', 'Tile sets of parcels', 'application/json', 'document'),
  '/collections/parcels/tiles/WebMercatorQuad': page(
    'get_tileset',
    'The tile set of parcels',
    'application/json',
    'document',
  ),
  '/tileMatrixSets/WebMercatorQuad': page(
    'get_tile_matrix_set',
    'The tiling scheme',
    'application/json',
    'document',
  ),
  ...TILE_PATHS,
};

const text = { type: 'string' };
const object = (required: string[], properties: Schema) => ({ type: 'object', required, properties });
const list = (schema: string) => ({ type: 'array', items: { $ref: `#/components/schemas/${schema}` } });

const FEATURE = {
  type: { type: 'string', enum: ['Feature'] },
  id: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
  geometry: { type: 'object', nullable: true },
  properties: { type: 'object', nullable: true },
  links: list('link'),
};

const SCHEMAS = {
  exception: object(['code'], {
    code: text,
    description: text,
    request_id: text,
    details: { type: 'object' },
  }),
  link: object(['href', 'rel'], { href: text, rel: text, type: text, title: text }),
  document: { type: 'object' },
  page: object(['links'], { title: text, description: text, links: list('link') }),
  confClasses: object(['conformsTo'], { conformsTo: { type: 'array', items: text } }),
  collection: object(['id', 'links'], {
    id: text,
    title: text,
    description: text,
    itemType: text,
    extent: { type: 'object' },
    crs: { type: 'array', items: text },
    storageCrs: text,
    links: list('link'),
  }),
  collections: object(['links', 'collections'], { links: list('link'), collections: list('collection') }),
  feature: object(['type', 'id', 'geometry', 'properties'], FEATURE),
  featureCollection: object(['type', 'features'], {
    type: { type: 'string', enum: ['FeatureCollection'] },
    features: list('feature'),
    numberReturned: { type: 'integer', minimum: 0 },
    links: list('link'),
  }),
};

/** The OpenAPI 3.0 document of `/ogc`. @param root URL of `/ogc`, without a trailing slash */
export const ogcOpenApi = (root: string, collections: Collections): object => ({
  openapi: '3.0.3',
  info: {
    title: 'Plat for GIS programs',
    version,
    description:
      'OGC API - Features and Tiles. Send an API key with the scope api:direct as a bearer token, or as the password of Basic authentication with any user name. Tiles also accept a map key in the URL.',
  },
  servers: [{ url: root }],
  security: [{ bearer: [] }, { basic: [] }],
  paths: PATHS,
  components: {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer' },
      basic: { type: 'http', scheme: 'basic' },
      mapKey: { type: 'apiKey', in: 'query', name: 'token' },
    },
    parameters: {
      ...PARAMETERS,
      collectionId: {
        ...PARAMETERS.collectionId,
        schema: { type: 'string', enum: Object.keys(collections) },
      },
    },
    schemas: SCHEMAS,
  },
});
