import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InputSpec } from '../../workers/formats/format-input.ts';
import type { ArcgisSpec } from '../../workers/formats/input-settings.ts';
import { readInput } from '../../workers/formats/read-format.ts';
import type { ReadContext, RowBatch } from '../../workers/formats/row-batch.ts';
import { serve } from './http-server.ts';

/*
 * A small ArcGIS server: one layer at PATH that can be queried by offset, by a range of object ids, or by a
 * list of object ids.
 */

export const PATH = '/arcgis/rest/services/Land/Parcels/MapServer/0';

export type EsriFeature = { attributes: Record<string, unknown>; geometry?: { rings: unknown[][] } };

export type Answer = {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  hang?: true;
  cut?: true;
};

export type FakeLayer = {
  features: EsriFeature[];
  metadata?: Record<string, unknown>;
  /** Maximum features per response. */
  most?: number;
  /**
   * Returns a faulty response instead of the layer's own, or undefined. `asked` contains the object ids in
   * the query.
   */
  fault?: (query: URLSearchParams, count: number, asked: number[]) => Answer | undefined;
};

/** Lots of 0.001 degrees, with clockwise shells, as in Esri JSON. Ids start at 1. */
export function lots(n: number, at: readonly [number, number] = [-72.15, 43.2]): EsriFeature[] {
  return Array.from({ length: n }, (_, i) => {
    const [w, s] = [at[0] + 0.0015 * (i % 50), at[1] + 0.0015 * Math.floor(i / 50)];
    const rings = [
      [
        [w, s],
        [w, s + 0.001],
        [w + 0.001, s + 0.001],
        [w + 0.001, s],
        [w, s],
      ],
    ];
    return {
      attributes: { OBJECTID: i + 1, PIN: `P${i + 1}`, OWNER: `Owner ${i + 1}` },
      geometry: { rings },
    };
  });
}

export const METADATA = {
  currentVersion: 11.1,
  id: 0,
  name: 'Parcels',
  type: 'Feature Layer',
  geometryType: 'esriGeometryPolygon',
  capabilities: 'Map,Query,Data',
  maxRecordCount: 1000,
  supportedQueryFormats: 'JSON, geoJSON',
  advancedQueryCapabilities: { supportsPagination: true, supportsOrderBy: true, supportsStatistics: true },
  extent: { spatialReference: { wkid: 102100, latestWkid: 3857 } },
  fields: [
    { name: 'OBJECTID', type: 'esriFieldTypeOID', alias: 'OBJECTID' },
    { name: 'PIN', type: 'esriFieldTypeString', alias: 'Parcel number', length: 20 },
    { name: 'OWNER', type: 'esriFieldTypeString', alias: 'OWNER', length: 60 },
  ],
};

/** Metadata of a layer that does not support paging by offset. */
export const UNPAGED = { advancedQueryCapabilities: { supportsPagination: false } };

/** @returns the server and the queries that it received */
export async function serveLayer(layer: FakeLayer) {
  const queries: URLSearchParams[] = [];
  let [running, most] = [0, 0];
  const server = await serve(async (request, response, count) => {
    most = Math.max(most, ++running);
    const query = await paramsOf(request);
    // Long enough for a second request to arrive while the first one is handled.
    await sleep(3);
    const isQuery = request.url!.split('?')[0] === `${PATH}/query`;
    if (isQuery) queries.push(query);
    const { status = 200, headers = {}, body, hang, cut } = answerOf(layer, query, isQuery, count);
    running--;
    if (hang) return;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    if (!cut) return response.end(text);
    response.write(text.slice(0, text.length / 2));
    setTimeout(() => response.destroy(), 20);
  });
  return { ...server, queries, source: `${server.origin}${PATH}`, most: () => most };
}

async function paramsOf(request: IncomingMessage): Promise<URLSearchParams> {
  if (request.method !== 'POST') return new URL(request.url!, 'http://x').searchParams;
  let body = '';
  for await (const chunk of request) body += chunk;
  return new URLSearchParams(body);
}

function answerOf(
  { features, metadata, most = 1000, fault }: FakeLayer,
  query: URLSearchParams,
  isQuery: boolean,
  count: number,
): Answer {
  const range = /OBJECTID >= (\d+) AND OBJECTID <= (\d+)/.exec(query.get('where') ?? '');
  const list = query.get('objectIds')?.split(',').map(Number);
  let answered = features;
  if (range)
    answered = answered.filter(
      ({ attributes: { OBJECTID: id } }) => Number(id) >= Number(range[1]) && Number(id) <= Number(range[2]),
    );
  if (list) answered = answered.filter(({ attributes: { OBJECTID: id } }) => list.includes(Number(id)));
  const offset = Number(query.get('resultOffset') ?? 0);
  const page = answered.slice(
    offset,
    offset + Math.min(most, Number(query.get('resultRecordCount') ?? most)),
  );
  const wrong = fault?.(
    query,
    count,
    isQuery ? page.map(({ attributes }) => Number(attributes.OBJECTID)) : [],
  );
  if (wrong) return wrong;
  if (!isQuery) return { body: { ...METADATA, ...metadata } };
  if (query.get('returnCountOnly') === 'true') return { body: { count: answered.length } };
  if (query.get('returnIdsOnly') === 'true')
    return {
      body: {
        objectIdFieldName: 'OBJECTID',
        objectIds: features.map(({ attributes }) => attributes.OBJECTID).reverse(),
      },
    };
  const exceeded = offset + page.length < answered.length && { exceededTransferLimit: true };
  if (query.get('f') === 'geojson')
    return {
      body: {
        type: 'FeatureCollection',
        features: page.map(geoJson),
        ...(exceeded && { properties: exceeded }),
      },
    };
  return {
    body: { objectIdFieldName: 'OBJECTID', spatialReference: { wkid: 4326 }, features: page, ...exceeded },
  };
}

function geoJson({ attributes, geometry }: EsriFeature) {
  const rings = geometry?.rings.map(ring => ring.toReversed());
  const shape = rings ? { type: 'Polygon', coordinates: rings } : null;
  return { type: 'Feature', id: attributes.OBJECTID, properties: attributes, geometry: shape };
}

export const quick = { tries: 3, backoffMs: 2, pageMs: 3_000, retryAfterMs: 3_000 };

/** Reads a layer to the end, or until an error. */
export async function read(
  source: string,
  arcgis: ArcgisSpec = {},
  over: Partial<ReadContext & InputSpec> = {},
) {
  const { within, ...rest } = over;
  const signal = new AbortController().signal;
  const context = { baseDir: '/', tmpDir: tmpdir(), signal, env: {}, limits: quick, ...rest };
  const batches: RowBatch[] = [];
  let error: unknown = null;
  try {
    for await (const batch of readInput({ source, format: 'arcgis', arcgis, within }, context))
      batches.push(batch);
  } catch (thrown) {
    error = thrown;
  }
  const rows = batches.flatMap(batch => batch.rows);
  return { error, rows, bad: batches.flatMap(batch => batch.bad), pins: rows.map(row => row.values.PIN) };
}

export async function withLayer(
  layer: FakeLayer,
  work: (server: Awaited<ReturnType<typeof serveLayer>>) => Promise<void>,
): Promise<void> {
  const server = await serveLayer(layer);
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

type Recording = Record<string, { features?: EsriFeature[]; objectIds?: number[]; error?: unknown }>;

/** A recorded layer (test/fixtures/arcgis) that returns features by offset or object id from its one page. */
export async function replay(name: string) {
  const text = readFileSync(new URL(`../fixtures/arcgis/${name}.json`, import.meta.url), 'utf8');
  // Strings stand in for NaN while the page is built: JSON has no NaN, but a real server sent it.
  const recorded = JSON.parse(text.replaceAll(/(?<=:)NaN/g, '"NaN!"')) as Recording;
  const page = (recorded['0'] ?? recorded['page-partial'])!;
  const layer: FakeLayer = {
    features: page?.features ?? [],
    fault(query, count) {
      if (count === 1) return { body: recorded.metadata };
      if (query.has('returnCountOnly')) return { body: recorded['count-only'] };
      if (query.has('returnIdsOnly'))
        return { body: recorded['ids-only'] ?? { error: { code: 400, message: '' } } };
      if (query.has('outStatistics')) return { body: recorded.statistics ?? recorded.outStatistics };
      const offset = Number(query.get('resultOffset') ?? 0);
      const features = page.features!.slice(offset, offset + Number(query.get('resultRecordCount') ?? 1000));
      return { body: JSON.stringify({ ...page, features }).replaceAll('"NaN!"', 'NaN') };
    },
  };
  return serveLayer(layer);
}
