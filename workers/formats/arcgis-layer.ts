import { formatError, redactUrl, sourceError } from '../../shared/platform/http/download-context.ts';
import { type Body, type LayerRequest, type Params, queryLayer, RequestRefused } from './arcgis-server.ts';
import type { InputSettings } from './input-settings.ts';
import type { ReadContext } from './row-batch.ts';

export type LayerField = {
  name: string;
  /** The label, or the name if there is no label. */
  alias: string;
  /** Field type, such as esriFieldTypeString. */
  type: string;
  length: number | null;
  /** Names of the field's codes, if the server defines them. */
  domain: Record<string, string> | null;
};

export type LayerInfo = {
  url: URL;
  name: string;
  /** Geometry type, such as esriGeometryPolygon. Null for a table. */
  geometryType: string | null;
  fields: LayerField[];
  objectIdField: string | null;
  wkid: number | null;
  maxRecordCount: number | null;
  /** Whether the server supports paging by offset, ordered by object id. */
  pagination: boolean;
  geojson: boolean;
  copyrightText: string;
  description: string;
  /** Milliseconds since 1970. Null if the server doesn't say. */
  lastEditDate: number | null;
};

/**
 * Removes parts that people often copy with the URL: `/query`, `/`, `?f=json`.
 * @throws PlatError `feed_source`
 */
export function layerUrl(source: string | string[]): URL {
  if (typeof source !== 'string' || !/^https?:\/\//i.test(source))
    throw sourceError(
      `The source of an "arcgis" feed must be the http(s) URL of a layer, such as https://gis.example.gov/arcgis/rest/services/Parcels/MapServer/0, not ${source}.`,
    );
  const url = new URL(source);
  url.pathname = url.pathname.replace(/\/+(query\/*)?$/i, '');
  for (const name of ['f', 'where', 'outFields']) url.searchParams.delete(name);
  url.hash = '';
  return url;
}

/** @throws PlatError `feed_format` if it isn't a layer that can be queried; those of `queryLayer` */
export async function readLayerInfo(spec: InputSettings, context: ReadContext): Promise<LayerInfo> {
  const request = { url: layerUrl(spec.source), spec, context };
  const body = await queryLayer(request, '', { f: 'json' });
  const name = redactUrl(request.url);
  if (Array.isArray(body.layers) && !Array.isArray(body.fields)) {
    throw formatError(
      `${name} is a service. Add the number of one of its layers to the source (${listLayers(body.layers) || 'it has none'}).`,
    );
  }
  if (!Array.isArray(body.fields)) {
    const inner = Array.isArray(body.subLayers) ? listLayers(body.subLayers) : '';
    const remedy = inner
      ? `Use one of its layers instead: ${inner}`
      : 'Use a layer of a FeatureServer or MapServer';
    throw formatError(`${name} is not a feature layer${body.type ? `, but a ${body.type}` : ''}. ${remedy}.`);
  }
  if (
    typeof body.capabilities === 'string' &&
    body.capabilities !== '' &&
    !/\bQuery\b/i.test(body.capabilities)
  )
    throw formatError(`${name} can't be queried: its owner allows only ${body.capabilities}.`);
  return layerInfo(request.url, body);
}

const listLayers = (layers: readonly { id?: unknown; name?: unknown }[]): string =>
  layers
    .slice(0, 20)
    .map(({ id, name }) => `/${id} ${name}`)
    .join(', ');

function layerInfo(url: URL, body: Body): LayerInfo {
  const fields = (body.fields as Body[]).map(field => fieldOf(field, body));
  const { supportsPagination, supportsOrderBy } = (body.advancedQueryCapabilities ?? {}) as Body;
  const reference = ((body.extent as Body | undefined)?.spatialReference ??
    body.sourceSpatialReference ??
    {}) as Body;
  return {
    url,
    name: text(body.name),
    geometryType: text(body.geometryType) || null,
    fields,
    objectIdField:
      text(body.objectIdField) || (fields.find(field => field.type === 'esriFieldTypeOID')?.name ?? null),
    wkid: number(reference.latestWkid) ?? number(reference.wkid),
    maxRecordCount: number(body.maxRecordCount),
    pagination: supportsPagination === true && supportsOrderBy !== false,
    geojson: /geojson/i.test(text(body.supportedQueryFormats)),
    copyrightText: text(body.copyrightText),
    description: text(body.description),
    lastEditDate: number((body.editingInfo as Body | null | undefined)?.lastEditDate),
  };
}

function fieldOf(field: Body, { typeIdField, types }: Body): LayerField {
  const name = text(field.name);
  // Subtypes also define names for codes.
  const subtypes = name !== '' && name === typeIdField && Array.isArray(types) ? (types as Body[]) : [];
  const values = ((field.domain as Body | null | undefined)?.codedValues ?? []) as Body[];
  const codes = [
    ...subtypes.map(({ id, name }) => [id, name]),
    ...values.map(({ code, name }) => [code, name]),
  ];
  return {
    name,
    alias: text(field.alias) || name,
    type: text(field.type),
    length: number(field.length),
    domain:
      codes.length === 0
        ? null
        : Object.fromEntries(codes.map(([code, label]) => [String(code), text(label)])),
  };
}

/** When the layers were last edited. Null if a server doesn't report it for one of them. */
export async function layerVersion(spec: InputSettings, context: ReadContext): Promise<string | null> {
  const edits: number[] = [];
  for (const source of [spec.source].flat()) {
    const { lastEditDate } = await readLayerInfo({ ...spec, source }, context);
    if (lastEditDate === null) return null;
    edits.push(lastEditDate);
  }
  return edits.map(ms => new Date(ms).toISOString()).join(' ');
}

export function conditions({ arcgis, within }: InputSettings, further: string | null = null): Params {
  const where = [arcgis?.where, further].filter(Boolean).map(condition => `(${condition})`);
  return {
    where: where.join(' AND ') || '1=1',
    ...(within && {
      geometry: within.box.join(','),
      geometryType: 'esriGeometryEnvelope',
      inSR: 4326,
      spatialRel: 'esriSpatialRelIntersects',
    }),
  };
}

export type Layer = LayerRequest & { info: LayerInfo };

/** The number of features. Null if the server doesn't return a count. @throws those of `queryLayer` */
export async function countFeatures(layer: Layer): Promise<number | null> {
  const body = await query(layer, { returnCountOnly: true });
  return body && number(body.count);
}

/** Sorted object ids. Null if the server doesn't list all of them. @throws those of `queryLayer` */
export async function listIds(layer: Layer): Promise<number[] | null> {
  const { objectIdField } = layer.info;
  const body = await query(layer, { returnIdsOnly: true });
  // A server that doesn't support this query returns features instead.
  if (body === null || !('objectIds' in body) || body.exceededTransferLimit === true) return null;
  const named = body.objectIdFieldName;
  if (objectIdField === null || (typeof named === 'string' && named !== objectIdField)) return null;
  const ids = ((body.objectIds as unknown[] | null) ?? []).filter(id => typeof id === 'number');
  return [...new Set(ids)].sort((a, b) => a - b);
}

/** Smallest and largest object id. Null if the server doesn't say. @throws those of `queryLayer` */
export async function idExtent(layer: Layer): Promise<[number, number] | null> {
  const { objectIdField: onStatisticField } = layer.info;
  if (onStatisticField === null) return null;
  const statistics = ['min', 'max'].map(statisticType => {
    return { statisticType, onStatisticField, outStatisticFieldName: `the_${statisticType}` };
  });
  const body = await query(layer, { outStatistics: JSON.stringify(statistics) });
  const attributes = ((body?.features as Body[] | undefined)?.[0]?.attributes ?? {}) as Body;
  // Servers may return names in a different case, or as "MIN(OBJECTID) AS THE_MIN".
  const value = (word: RegExp) => number(Object.entries(attributes).find(([name]) => word.test(name))?.[1]);
  const [least, most] = [value(/^(the_)?min/i), value(/^(the_)?max/i)];
  return least === null || most === null ? null : [least, most];
}

async function query(layer: Layer, params: Params): Promise<Body | null> {
  try {
    return await queryLayer(layer, '/query', { ...conditions(layer.spec), ...params, f: 'json' });
  } catch (error) {
    if (error instanceof RequestRefused) return null;
    throw error;
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
