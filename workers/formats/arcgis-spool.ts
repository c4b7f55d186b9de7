import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { limitsOf, redactUrl, sourceError } from '../../shared/platform/http/download-context.ts';
import { countFeatures, idExtent, listIds } from './arcgis-layer.ts';
import {
  fetchFeatures,
  type LayerSize,
  type PagingPlan,
  PagingUnsupported,
  readPages,
  type Source,
} from './arcgis-pages.ts';
import { RequestRefused } from './arcgis-server.ts';

/*
 * A layer is written to a file page by page before its first row is used, as a download is: so a slow
 * database does not hold the server open, and what was read survives the worker. A mark beside it (`.json`)
 * tells how far it came.
 */

type Checkpoint = {
  /** Identifies the query and the layer's version: a checkpoint of another one is not used. */
  key: string;
  startedAt: number;
  walk: PagingPlan;
  total: number | null;
  next: number | null;
  lastId: number | null;
  rows: number;
  bytes: number;
  /** Object ids came in their order, so that none came twice. */
  ordered: boolean;
  complete: boolean;
};

/** A layer that does not say when it was edited is read again after this time. */
const STALE_MS = 6 * 3_600_000;

/** Esri's own default, at which old servers answer within seconds. */
const PAGE_SIZE = 1_000;

function pageSize({ info, spec, context }: Source): number {
  const size = Math.min(spec.arcgis?.page_size ?? PAGE_SIZE, info.maxRecordCount || PAGE_SIZE);
  return Math.max(1, Math.min(size, context.rows ?? size));
}

/** Tries one feature by offset, id ranges, and id lists, as GeoJSON and as Esri JSON. */
export async function choosePaging(
  source: Source,
  total: number | null,
): Promise<{ walk: PagingPlan; ground: LayerSize }> {
  const { info, spec } = source;
  const size = pageSize(source);
  const formats =
    info.geojson && (spec.arcgis?.out_sr ?? 4326) === 4326
      ? (['geojson', 'json'] as const)
      : (['json'] as const);
  const works = async (walk: PagingPlan, id: number) => {
    try {
      await fetchFeatures(source, walk, { from: id, to: id, count: 1, ids: [id] });
      return true;
    } catch (error) {
      if (error instanceof RequestRefused) return false;
      throw error;
    }
  };
  const byOffset = { total, ids: null, extent: null };
  if (info.pagination) {
    for (const format of formats) {
      const walk: PagingPlan = { by: 'offset', format, size };
      if (await works(walk, 0)) return { walk, ground: byOffset };
    }
  }
  const ground = await idSizes(source, total);
  const first = ground.ids?.[0] ?? ground.extent?.[0];
  if (first !== undefined) {
    for (const by of ground.ids === null ? (['range'] as const) : (['range', 'list'] as const)) {
      for (const format of formats) {
        const walk: PagingPlan = { by, format, size };
        if (await works(walk, first)) return { walk, ground };
      }
    }
  }
  // A layer of one page needs no paging; others report their own error when they cannot be read.
  return { walk: { by: 'offset', format: 'json', size }, ground: byOffset };
}

async function idSizes(source: Source, total: number | null): Promise<LayerSize> {
  const ids = await listIds(source);
  const extent = ids === null ? await idExtent(source) : null;
  // Some servers tell the statistics of another column, or of another table.
  const span = extent === null ? 0 : extent[1] - extent[0] + 1;
  const isLikely = total === null || (span >= total && span <= 100 * Math.max(total, PAGE_SIZE));
  return { total, ids, extent: isLikely ? extent : null };
}

/**
 * Writes all features of a layer into a file, one a line. Goes on where an earlier call with the same path
 * was cut off, as long as the layer has not been edited since.
 * @throws PlatError those of `queryLayer`; `feed_source`, retryable, when features are missing at the end
 */
export async function spoolLayer(source: Source, path: string): Promise<void> {
  const { info, context } = source;
  const start = await startOf(source, path);
  if (start === null) return;
  const { ground } = start;
  let { mark } = start;
  const { total } = ground;
  const file = await open(path, mark.bytes === 0 ? 'w' : 'r+');
  const append = async (lines: string[], progress: Partial<Checkpoint>) => {
    const text = Buffer.from(lines.map(line => `${line}\n`).join(''));
    const { bytes } = mark;
    if (bytes + text.length > limitsOf(context).expandedBytes)
      throw sourceError(`${redactUrl(info.url)} holds more than ${bytes} bytes. Split it with arcgis.where.`);
    await file.write(text, 0, text.length, bytes);
    mark = { ...mark, ...progress, rows: mark.rows + lines.length, bytes: bytes + text.length };
    await saveCheckpoint(path, mark);
    context.onNote?.(`fetched ${mark.rows}${total === null ? '' : ` of ${total}`} features`);
  };
  try {
    await file.truncate(mark.bytes);
    const from = {
      ...(mark.next !== null && { next: mark.next }),
      ...(mark.lastId !== null && { lastId: mark.lastId }),
    };
    for await (const { lines, next, lastId, ascending } of readPages(source, mark.walk, ground, from))
      await append(lines, {
        next,
        lastId: Number.isFinite(lastId) ? lastId : null,
        ordered: mark.ordered && (ascending || mark.walk.by !== 'offset'),
      });
    await complete(source, mark, path, append);
    await append([], { complete: true });
  } catch (error) {
    // A file that is inconsistent is not resumed.
    if (error instanceof Incomplete || error instanceof PagingUnsupported)
      await rm(checkpointPath(path), { force: true });
    // It claims to page by offset, but does not: use object ids.
    if (!(error instanceof PagingUnsupported && info.pagination)) throw error;
    return await spoolLayer({ ...source, info: { ...info, pagination: false } }, path);
  } finally {
    await file.close();
  }
}

/** Where the download begins: at an earlier one's checkpoint, or at a new plan. Null when all is there. */
async function startOf(
  source: Source,
  path: string,
): Promise<{ mark: Checkpoint; ground: LayerSize } | null> {
  const { info, spec } = source;
  const fields = info.fields.map(({ name, type }) => `${name} ${type}`);
  const key = JSON.stringify([info.url.href, spec.arcgis, spec.within, info.lastEditDate, fields]);
  const mark = await usableCheckpoint(path, key, info.lastEditDate !== null);
  if (mark?.complete) return null;
  const total = await countFeatures(source);
  // Offsets shift when features come or go.
  if (mark?.walk.by === 'offset' && mark.total === total)
    return { mark, ground: { total, ids: null, extent: null } };
  if (mark !== null && mark.walk.by !== 'offset') return { mark, ground: await idSizes(source, total) };
  const { walk, ground } = await choosePaging(source, total);
  const startedAt = Date.now();
  const none = { next: null, lastId: null, rows: 0, bytes: 0, ordered: true, complete: false };
  return { mark: { key, startedAt, walk, total, ...none }, ground };
}

class Incomplete extends RequestRefused {}

/**
 * Compares what came with what the server counts now: a layer changes while it is read, and some servers lose
 * features between two pages. What is missing is asked for by its object ids.
 * @throws PlatError `feed_source`, retryable
 */
async function complete(
  source: Source,
  mark: Checkpoint,
  path: string,
  append: (lines: string[], progress: Partial<Checkpoint>) => Promise<void>,
): Promise<void> {
  const { info, context } = source;
  const count = await countFeatures(source);
  if (count === null || (count === mark.rows && mark.ordered)) return;
  const ids = await listIds(source);
  if (ids === null) {
    if (count === mark.rows) return;
    throw new Incomplete(
      info.url,
      `counts ${count} features (${mark.total} before the first page), and ${mark.rows} came: it was changed while it was read, or loses some. Run the feed again.`,
      { again: true },
    );
  }
  const readIds = await idsIn(path, info.objectIdField!);
  let missing = ids.filter(id => !readIds.has(id));
  // A second time for servers that send less than was asked for without saying so.
  for (let left = Number.POSITIVE_INFINITY; missing.length > 0 && missing.length < left; ) {
    left = missing.length;
    context.onNote?.(`fetching ${left} features that came in between`);
    const walk: PagingPlan = { ...mark.walk, by: 'list', size: Math.min(mark.walk.size, 100) };
    for await (const { lines } of readPages(source, walk, { total: left, ids: missing, extent: null })) {
      await append(lines, {});
      for (const line of lines) readIds.add(idOf(line, info.objectIdField!));
    }
    missing = missing.filter(id => !readIds.has(id));
  }
  // Its list of ids is not larger either: which of the two is wrong only its owner knows.
  if (count > readIds.size) context.onShortfall?.(count, readIds.size);
}

async function idsIn(path: string, field: string): Promise<Set<number>> {
  const readIds = new Set<number>();
  const file = await open(path);
  for await (const line of createInterface({
    input: file.createReadStream(),
    crlfDelay: Number.POSITIVE_INFINITY,
  }))
    readIds.add(idOf(line, field));
  return readIds;
}

function idOf(line: string, field: string): number {
  const row = JSON.parse(line) as { properties?: Record<string, unknown> } & Record<string, unknown>;
  return Number((row.properties ?? row)[field]);
}

const checkpointPath = (path: string): string => `${path}.json`;

async function usableCheckpoint(path: string, key: string, isDated: boolean): Promise<Checkpoint | null> {
  try {
    const mark = JSON.parse(await readFile(checkpointPath(path), 'utf8')) as Checkpoint;
    const isFresh = isDated || Date.now() - mark.startedAt < STALE_MS;
    return mark.key === key && isFresh && (await stat(path)).size >= mark.bytes ? mark : null;
  } catch {
    // No checkpoint was written, or not completely.
    return null;
  }
}

async function saveCheckpoint(path: string, mark: Checkpoint): Promise<void> {
  const draft = `${checkpointPath(path)}.new`;
  await writeFile(draft, JSON.stringify(mark));
  await rename(draft, checkpointPath(path));
}
