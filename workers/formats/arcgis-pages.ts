import { PlatError } from '../../shared/platform/errors.ts';
import { redactUrl, sourceError } from '../../shared/platform/http/download-context.ts';
import type { Row, ServerFeature, SpatialReference, ToRow } from './arcgis-features.ts';
import { conditions, type Layer } from './arcgis-layer.ts';
import { type Body, type Params, queryLayer, RequestRefused } from './arcgis-server.ts';

/** How a layer is paged: by offset, by ranges of object ids, or by lists of them. */
export type PagingPlan = { by: 'offset' | 'range' | 'list'; format: 'geojson' | 'json'; size: number };

/**
 * The number of features, or all object ids, or only the smallest and largest id if the server doesn't list
 * them.
 */
export type LayerSize = { total: number | null; ids: number[] | null; extent: [number, number] | null };

export type Source = Layer & {
  toRow: ToRow;
  refusedInRow: number;
  /**
   * The first and last row of the first page. If a later page has the same rows, the server ignores offsets.
   */
  firstPage?: string;
};

/** A range in the plan, including both ends. `count` is its number of features, if known. */
type Item = { from: number; to: number; count: number | null; ids?: number[] };

/** Rows as lines of JSON. Everything before `next` (an offset or an object id) has been read. */
export type Page = { lines: string[]; next: number; ascending: boolean; lastId: number };

/** A server that refuses this many features in a row is considered to be failing. */
const MAX_REFUSED = 20;

/**
 * The pages of a layer in order. Requests the next page while the current one is used. If the server fails on
 * a page, the page is halved until only the failing feature is left, which becomes a `refusal` line.
 * @throws PlatError those of `queryLayer`, and `feed_source` if too many features are refused
 */
export async function* readPages(
  source: Source,
  plan: PagingPlan,
  layerSize: LayerSize,
  { next = Number.NEGATIVE_INFINITY, lastId = Number.NEGATIVE_INFINITY, ahead = 1 } = {},
): AsyncGenerator<Page> {
  const stop = new AbortController();
  const signal = AbortSignal.any([source.context.signal, stop.signal]);
  const request: Source = { ...source, context: { ...source.context, signal } };
  const items = itemsOf(plan, layerSize, next);
  const flying: { item: Item; rows: Promise<Row[]> }[] = [];
  const start = () => {
    const { value: item } = items.next();
    if (!item) return;
    const rows = fetchItem(request, plan, item);
    // Errors are reported when the page is awaited.
    rows.catch(() => {});
    flying.push({ item, rows });
  };
  try {
    for (let i = 0; i <= ahead; i++) start();
    for (let page = flying.shift(); page; page = flying.shift()) {
      const rows = await page.rows;
      const ids = rows.map(row => row.id).filter(id => id !== null);
      const ascending = ids.every((id, i) => id > (ids[i - 1] ?? lastId));
      lastId = ids.at(-1) ?? lastId;
      yield { lines: rows.map(row => row.line), next: page.item.to + 1, ascending, lastId };
      if (plan.by === 'offset' && rows.length === 0) return;
      start();
    }
  } finally {
    stop.abort();
  }
}

function* itemsOf(
  { by, size }: PagingPlan,
  { total, ids, extent }: LayerSize,
  next: number,
): Generator<Item> {
  if (by === 'offset') {
    const end = total ?? Number.POSITIVE_INFINITY;
    for (let from = Math.max(0, next); from < end; from += size) {
      const to = Math.min(from + size, end) - 1;
      yield { from, to, count: to - from + 1 };
    }
  } else if (ids !== null) {
    const first = ids.findIndex(id => id >= next);
    for (let i = first < 0 ? ids.length : first; i < ids.length; i += size) {
      const part = ids.slice(i, i + size);
      const item = { from: part[0]!, to: part.at(-1)!, count: part.length };
      yield by === 'list' ? { ...item, ids: part } : item;
    }
  } else if (extent !== null) {
    for (let from = Math.max(extent[0], next); from <= extent[1]; from += size)
      yield { from, to: Math.min(from + size - 1, extent[1]), count: null };
  }
}

async function fetchItem(source: Source, plan: PagingPlan, item: Item): Promise<Row[]> {
  try {
    const { features, cut } = await fetchFeatures(source, plan, item);
    if (features.length > 0) source.refusedInRow = 0;
    const rows = features.map(source.toRow);
    if (plan.by === 'offset') requireProgress(source, rows);
    if (!cut || isSingle(item)) return rows;
    if (plan.by === 'offset' && rows.length > 0) {
      const from = item.from + rows.length;
      return [...rows, ...(await fetchItem(source, plan, { ...item, from, count: item.to - from + 1 }))];
    }
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error;
    if (isSingle(item)) return [refusal(source, plan, item, error)];
  }
  const rows: Row[] = [];
  // Request the halves one at a time, so that the server doesn't get two requests like the one that failed at
  // once.
  for (const half of halves(item)) rows.push(...(await fetchItem(source, plan, half)));
  return rows;
}

/** The features that one query returned, and whether the server omitted some. */
export async function fetchFeatures(
  layer: Layer,
  plan: PagingPlan,
  item: Item,
): Promise<{ features: ServerFeature[]; cut: boolean }> {
  const { info } = layer;
  const body = await queryLayer(layer, '/query', pageParams(layer, plan, item));
  if (!Array.isArray(body.features))
    throw new RequestRefused(info.url, 'did not return features.', { again: true });
  const features = body.features as Body[];
  const wanted = item.count ?? Number.POSITIVE_INFINITY;
  if (features.length > wanted && plan.by !== 'range')
    throw new RequestRefused(
      info.url,
      `returned ${features.length} features, but ${wanted} were requested.`,
      {
        again: false,
      },
    );
  const exceeded =
    body.exceededTransferLimit === true ||
    (body.properties as Body | undefined)?.exceededTransferLimit === true;
  // With paging by offset, the flag only says that more features follow. A page with too few features means
  // that the server omitted some, except on the last page.
  const cut =
    plan.by === 'offset'
      ? features.length < wanted && (features.length > 0 || exceeded)
      : exceeded && features.length < wanted;
  const reference = (body.spatialReference ?? null) as SpatialReference | null;
  return { features: features.map(feature => ({ feature, reference })), cut };
}

/** Thrown when a server returns the same features for every page. */
export class PagingUnsupported extends PlatError {}

/** @throws PagingUnsupported */
function requireProgress(source: Source, rows: Row[]): void {
  const ends = `${rows[0]?.line} ${rows.at(-1)?.line}`;
  if (rows.length > 0 && source.firstPage === ends)
    throw new PagingUnsupported(
      'feed_format',
      `${redactUrl(source.url)} returns the same features on every page, and does not list object ids, so Plat can't read all of it.`,
      { status: 422 },
    );
  source.firstPage ??= ends;
}

function pageParams(
  { info, spec }: Layer,
  { by, format }: PagingPlan,
  { from, to, count, ids }: Item,
): Params {
  const { objectIdField: id } = info;
  const { fields, out_sr = 4326 } = spec.arcgis ?? {};
  return {
    ...conditions(spec, by === 'range' ? `${id} >= ${from} AND ${id} <= ${to}` : null),
    outFields: fields === undefined ? '*' : [...new Set([...(id === null ? [] : [id]), ...fields])].join(','),
    returnGeometry: info.geometryType !== null,
    outSR: out_sr,
    // One millimeter in degrees.
    geometryPrecision: 8,
    returnZ: false,
    returnM: false,
    returnTrueCurves: false,
    ...(by === 'offset' && {
      resultOffset: from,
      resultRecordCount: count ?? 1,
      ...(id !== null && { orderByFields: id }),
    }),
    ...(by === 'list' && { objectIds: ids!.join(',') }),
    f: format,
  };
}

const isSingle = ({ from, to }: Item): boolean => from === to;

function halves({ from, to, ids, count }: Item): Item[] {
  if (ids) {
    const middle = Math.ceil(ids.length / 2);
    return [ids.slice(0, middle), ids.slice(middle)].map(part => ({
      from: part[0]!,
      to: part.at(-1)!,
      count: part.length,
      ids: part,
    }));
  }
  const middle = Math.floor((from + to) / 2);
  const byOffset = count !== null && count === to - from + 1;
  return [[from, middle] as const, [middle + 1, to] as const].map(([start, end]) => ({
    from: start,
    to: end,
    count: byOffset ? end - start + 1 : null,
  }));
}

/** The line for a feature that cannot be sent. @throws PlatError `feed_source` after too many of them */
function refusal(source: Source, { by }: PagingPlan, { from }: Item, error: RequestRefused): Row {
  if (++source.refusedInRow > MAX_REFUSED)
    throw sourceError(
      `${error.message} The ${MAX_REFUSED} features before it failed too. Run the feed again later.`,
      { retryable: true, cause: error },
    );
  const { objectIdField } = source.info;
  const at = by === 'offset' ? { resultOffset: from } : { [objectIdField!]: from };
  const line = JSON.stringify({ refused: error.message, ...at });
  return { line, id: by === 'offset' ? null : from };
}
