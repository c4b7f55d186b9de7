import { z } from 'zod';
import type { Collection } from './collection-parts.ts';
import type { Collections } from './collections.ts';
import { CRS_NAMES, CRS84 } from './crs.ts';
import { GEOJSON, JSON_SCHEMA, OPENAPI } from './media-types.ts';
import { TILESETS_VECTOR } from './tile-documents.ts';

const TITLE = 'Plat';
const DESCRIPTION = 'US land parcels, land sales and listings, and land layers, for GIS programs.';

/** The classes that Plat implements. Filters are CQL2 text, but only the parts in cql-text.ts. */
const CONFORMS_TO = [
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30',
  'http://www.opengis.net/spec/ogcapi-features-2/1.0/conf/crs',
  'http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/queryables',
  'http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/filter',
  'http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/features-filter',
  'http://www.opengis.net/spec/cql2/1.0/conf/cql2-text',
  'http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/core',
  'http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/tileset',
  'http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/tilesets-list',
  'http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/geodata-tilesets',
  'http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/mvt',
];

const link = (rel: string, href: string, type: string, title: string) => ({ rel, href, type, title });

/** @param root URL of `/ogc`, without a trailing slash. Empty origins make relative links */
export function landingPage(root: string): object {
  return {
    title: TITLE,
    description: DESCRIPTION,
    links: [
      link('self', `${root}/`, 'application/json', 'This page'),
      link('service-desc', `${root}/api`, OPENAPI, 'OpenAPI definition'),
      link('conformance', `${root}/conformance`, 'application/json', 'Conformance classes'),
      link('data', `${root}/collections`, 'application/json', 'Collections'),
    ],
  };
}

export const conformance = (): object => ({ conformsTo: CONFORMS_TO });

export function collectionList(root: string, collections: Collections): object {
  return {
    crs: CRS_NAMES,
    collections: Object.entries(collections).map(([name, each]) => collectionPage(root, name, each)),
    links: [link('self', `${root}/collections`, 'application/json', 'Collections')],
  };
}

/** The United States and its territories. */
const EXTENT = {
  spatial: {
    bbox: [
      [-180, -15, -64, 72],
      [-180, -15, -64, 72],
      [144, 13, 180, 53],
    ],
    crs: CRS84,
  },
};

export function collectionPage(root: string, name: string, { title, description }: Collection): object {
  const own = `${root}/collections/${name}`;
  return {
    id: name,
    title,
    description,
    itemType: 'feature',
    extent: name === 'comps' ? { ...EXTENT, temporal: { interval: [[null, null]] } } : EXTENT,
    crs: CRS_NAMES,
    storageCrs: CRS84,
    links: [
      link('self', own, 'application/json', title),
      link('items', `${own}/items`, GEOJSON, `${title} as GeoJSON`),
      link('describedBy', `${own}/schema`, JSON_SCHEMA, 'Types of the properties'),
      link(
        'http://www.opengis.net/def/rel/ogc/1.0/queryables',
        `${own}/queryables`,
        JSON_SCHEMA,
        'Queryables',
      ),
      ...(name === 'parcels'
        ? [link(TILESETS_VECTOR, `${own}/tiles`, 'application/json', 'Vector tiles')]
        : []),
    ],
  };
}

export function queryablesPage(root: string, name: string, { title, queryables }: Collection): object {
  return {
    $schema: 'https://json-schema.org/draft/2019-09/schema',
    $id: `${root}/collections/${name}/queryables`,
    type: 'object',
    title,
    properties: queryables,
    additionalProperties: false,
  };
}

type Property = {
  type?: string | string[];
  format?: string;
  maximum?: number;
  description?: string;
  anyOf?: Property[];
};

const MAX_INTEGER = 2 ** 31 - 1;

/**
 * One type per property, because programs that create columns from it don't read alternatives. GDAL stores
 * integers in 32 bits, so an id is a number.
 */
function columnOf({ description, anyOf, ...own }: Property): Property {
  const { type: types = 'object', format, maximum = 0 } = anyOf?.find(other => other.type !== 'null') ?? own;
  const [type] = [types].flat();
  return {
    type: type === 'integer' && maximum > MAX_INTEGER ? 'number' : type,
    ...(format && { format }),
    ...(description && { description }),
  };
}

/** The schema of a feature. Without it, GDAL derives the type of a column from the first features. */
export function schemaPage(root: string, name: string, { title, properties }: Collection): object {
  const { properties: columns = {} } = z.toJSONSchema(properties);
  return {
    $schema: 'https://json-schema.org/draft/2019-09/schema',
    $id: `${root}/collections/${name}/schema`,
    type: 'object',
    title,
    required: ['type', 'geometry', 'properties'],
    properties: {
      type: { type: 'string', enum: ['Feature'] },
      geometry: { type: ['object', 'null'] },
      properties: {
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(columns).map(([column, schema]) => [column, columnOf(schema as Property)]),
        ),
      },
    },
  };
}
