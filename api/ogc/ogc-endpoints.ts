import { createHash } from 'node:crypto';
import { z } from 'zod';
import { costOf, PRICES } from '../../shared/model/prices.ts';
import type { Db } from '../../shared/platform/db.ts';
import type { CallContext, Endpoint } from '../http/endpoint.ts';
import { notFound } from '../http/error-responses.ts';
import { openPage } from '../http/paging.ts';
import { defineEndpoint } from '../v1/common/endpoint-resources.ts';
import type { Collection } from './collection-parts.ts';
import { findCollection } from './collections.ts';
import { parseCql } from './cql-text.ts';
import { GeoJsonWriter } from './geojson-writer.ts';
import { boxesOf, itemsQuery } from './items-query.ts';
import { GEOJSON } from './media-types.ts';

const collectionId = z.string();

const metering = {
  key: 'public_ogc_items',
  price: PRICES.ogcItems,
  note: 'free if there are no features, and for 304 responses',
};

export const listItems = defineEndpoint({
  path: '/ogc/collections/{collectionId}/items',
  operationId: 'list_items',
  tag: 'Parcels',
  summary: 'List features for GIS programs',
  description: 'A page of features as GeoJSON.',
  params: z.object({ collectionId }),
  query: itemsQuery,
  metering: {
    ...metering,
    atMost: ({ query }) => costOf(PRICES.ogcItems, query.limit),
    // Refusing only the charge would reveal how many features there are.
    needs: ({ query }) => costOf(PRICES.ogcItems, query.limit),
  },
  response: { description: 'A feature collection.', etag: true },
  errors: {},
  handle: async ({ params, query }, resources, call) => {
    const { limit, cursor, crs, f: _f, filter, ...request } = query;
    const conditions = filter === undefined ? [] : parseCql(filter);
    const boxes = boxesOf(query.bbox, query['bbox-crs']);
    const page = await openPage(
      { page_size: limit, cursor },
      {
        endpoint: `ogc/${params.collectionId}`,
        request: { ...request, conditions },
        call,
        secret: resources.cursorSecret,
      },
    );
    const collection = await requireCollection(resources.db, params.collectionId);
    const found = await collection.list({ boxes, days: query.datetime, conditions, page }, resources, call);
    const count = found.rows.length;
    const links = [
      { rel: 'self', type: GEOJSON, title: 'This page', href: selfUrl(call) },
      ...(found.next === null
        ? []
        : [{ rel: 'next', type: GEOJSON, title: 'Next page', href: withoutPage(found.next) }]),
    ];
    const writer = new GeoJsonWriter(crs);
    writer.text(
      `{"type":"FeatureCollection","numberReturned":${count},"links":${JSON.stringify(links)},"features":[`,
    );
    const start = writer.length;
    for (const [index, feature] of found.rows.entries())
      writer.text(index === 0 ? '{' : ',{').members(feature);
    // The next page's URL has the time of the call, so it isn't part of the tag. Without features, a tag
    // would reveal that there are none.
    const etag = count > 0 && tagOf(`${crs} ${found.next === null}`, writer.written(start));
    return {
      body: writer.text(']}').written(),
      ...(etag && { etag }),
      ...inGeoJson(crs),
      tokens: costOf(PRICES.ogcItems, count),
    };
  },
});

export const readItem = defineEndpoint({
  path: '/ogc/collections/{collectionId}/items/{featureId}',
  operationId: 'get_item',
  tag: 'Parcels',
  summary: 'Get a feature for GIS programs',
  description: 'A feature as GeoJSON.',
  params: z.object({ collectionId, featureId: z.string().max(100, 'is not an id') }),
  query: z.strictObject({ crs: itemsQuery.shape.crs, f: itemsQuery.shape.f }),
  metering: { ...metering, note: 'free on 404 and 304' },
  response: { description: 'The feature.', etag: true },
  errors: { not_found: 'No feature has this id.' },
  handle: async ({ params, query: { crs } }, resources, call) => {
    const { collectionId: name, featureId } = params;
    const collection = await requireCollection(resources.db, name);
    const feature = await collection.find(featureId, resources, call);
    if (feature === undefined) throw notFound(`The collection ${name} has no feature with this id.`);
    const links = [
      { rel: 'self', type: GEOJSON, title: 'This feature', href: selfUrl(call) },
      {
        rel: 'collection',
        type: 'application/json',
        title: collection.title,
        href: `${call.apiUrl}/ogc/collections/${name}`,
      },
    ];
    const writer = new GeoJsonWriter(crs).text(`{"links":${JSON.stringify(links)},`);
    const start = writer.length;
    writer.members(feature);
    return {
      body: writer.written(),
      etag: tagOf(crs, writer.written(start)),
      ...inGeoJson(crs),
      tokens: costOf(PRICES.ogcItems, 1),
    };
  },
});

export const ogcEndpoints: readonly Endpoint[] = [listItems, readItem];

const inGeoJson = (crs: string) => ({
  type: GEOJSON,
  headers: ['Content-Crs', `<${crs}>`],
});

const tagOf = (kind: string, content: Buffer): string =>
  `"${createHash('sha256').update(`${kind} `).update(content).digest('base64url').slice(0, 22)}"`;

async function requireCollection(db: Db, name: string): Promise<Collection> {
  const collection = await findCollection(db, name);
  if (collection === undefined) throw notFound('There is no collection with this name.');
  return collection;
}

const selfUrl = ({ apiUrl, url }: CallContext): string => apiUrl + url.pathname + url.search;

/** The cursor has the page's number. */
const withoutPage = (next: string): string => next.replace(/([?&])page=\d+(&|$)/, '$1').replace(/[?&]$/, '');
