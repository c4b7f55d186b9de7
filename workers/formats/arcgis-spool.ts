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
 * Like a download, a layer is written to a file page by page before the first row is used. This way, a slow
 * database doesn't keep the server waiting, and the pages survive a crash of the worker. A checkpoint next to
 * the file (`.json`) records the progress.
 */

type Checkpoint = {
  /** Identifies the query and the layer's version. Other checkpoints are ignored. */
  key: string;
  startedAt: number;
  /** The paging plan. It keeps this name because older releases wrote it to checkpoints. */
  walk: PagingPlan;
  total: number | null;
  next: number | null;
  lastId: number | null;
  rows: number;
  bytes: number;
  /** Whether object ids were ascending, so that there are no duplicates. */
  ordered: boolean;
  complete: boolean;
};

/** A layer without an edit date is downloaded again after this time. */
const STALE_MS = 6 * 3_600_000;

/** Esri's default. Old servers return pages of this size within seconds. */
const PAGE_SIZE = 1_000;

function pageSize({ info, spec, context }: Source): number {
  const size = Math.min(spec.arcgis?.page_size ?? PAGE_SIZE, info.maxRecordCount || PAGE_SIZE);
  return Math.max(1, Math.min(size, context.rows ?? size));
}

/**
 * Finds a plan that works, by requesting one feature by offset, id ranges, and id lists, as GeoJSON and as
 * Esri JSON.
 */
export async function choosePaging(
  source: Source,
  total: number | null,
): Promise<{ plan: PagingPlan; layerSize: LayerSize }> {
  const { info, spec } = source;
  const size = pageSize(source);
  const formats =
    info.geojson && (spec.arcgis?.out_sr ?? 4326) === 4326
      ? (['geojson', 'json'] as const)
      : (['json'] as const);
  const works = async (plan: PagingPlan, id: number) => {
    try {
      await fetchFeatures(source, plan, { from: id, to: id, count: 1, ids: [id] });
      return true;
    } catch (error) {
      if (error instanceof RequestRefused) return false;
      throw error;
    }
  };
  const byOffset = { total, ids: null, extent: null };
  if (info.pagination) {
    for (const format of formats) {
      const plan: PagingPlan = { by: 'offset', format, size };
      if (await works(plan, 0)) return { plan, layerSize: byOffset };
    }
  }
  const layerSize = await idSizes(source, total);
  const first = layerSize.ids?.[0] ?? layerSize.extent?.[0];
  if (first !== undefined) {
    for (const by of layerSize.ids === null ? (['range'] as const) : (['range', 'list'] as const)) {
      for (const format of formats) {
        const plan: PagingPlan = { by, format, size };
        if (await works(plan, first)) return { plan, layerSize };
      }
    }
  }
  // A layer with one page needs no paging. Any other layer reports its own error when it is read.
  return { plan: { by: 'offset', format: 'json', size }, layerSize: byOffset };
}

async function idSizes(source: Source, total: number | null): Promise<LayerSize> {
  const ids = await listIds(source);
  const extent = ids === null ? await idExtent(source) : null;
  // Ignore an implausible range, because some servers return the statistics for another column or table.
  const span = extent === null ? 0 : extent[1] - extent[0] + 1;
  const isLikely = total === null || (span >= total && span <= 100 * Math.max(total, PAGE_SIZE));
  return { total, ids, extent: isLikely ? extent : null };
}

/**
 * Writes all features of a layer to a file, one per line. Resumes an interrupted call with the same path if
 * the layer hasn't been edited since.
 * @throws PlatError those of `queryLayer`; `feed_source`, retryable, when features are missing at the end
 *
 */
export async function spoolLayer(source: Source, path: string): Promise<void> {
  const { info, context } = source;
  const start = await startOf(source, path);
  if (start === null) return;
  const { layerSize } = start;
  let { checkpoint } = start;
  const { total } = layerSize;
  const file = await open(path, checkpoint.bytes === 0 ? 'w' : 'r+');
  const append = async (lines: string[], progress: Partial<Checkpoint>) => {
    const text = Buffer.from(lines.map(line => `${line}\n`).join(''));
    const { bytes } = checkpoint;
    if (bytes + text.length > limitsOf(context).expandedBytes)
      throw sourceError(`${redactUrl(info.url)} has more than ${bytes} bytes. Split it with arcgis.where.`);
    await file.write(text, 0, text.length, bytes);
    checkpoint = {
      ...checkpoint,
      ...progress,
      rows: checkpoint.rows + lines.length,
      bytes: bytes + text.length,
    };
    await saveCheckpoint(path, checkpoint);
    context.onNote?.(`fetched ${checkpoint.rows}${total === null ? '' : ` of ${total}`} features`);
  };
  try {
    await file.truncate(checkpoint.bytes);
    const from = {
      ...(checkpoint.next !== null && { next: checkpoint.next }),
      ...(checkpoint.lastId !== null && { lastId: checkpoint.lastId }),
    };
    for await (const { lines, next, lastId, ascending } of readPages(
      source,
      checkpoint.walk,
      layerSize,
      from,
    ))
      await append(lines, {
        next,
        lastId: Number.isFinite(lastId) ? lastId : null,
        ordered: checkpoint.ordered && (ascending || checkpoint.walk.by !== 'offset'),
      });
    await complete(source, checkpoint, path, append);
    await append([], { complete: true });
  } catch (error) {
    // Don't resume an inconsistent file.
    if (error instanceof Incomplete || error instanceof PagingUnsupported)
      await rm(checkpointPath(path), { force: true });
    // The server claims to support offsets, but doesn't. Use object ids.
    if (!(error instanceof PagingUnsupported && info.pagination)) throw error;
    return await spoolLayer({ ...source, info: { ...info, pagination: false } }, path);
  } finally {
    await file.close();
  }
}

/**
 * The checkpoint to start from: an earlier one, or a new one with a new plan. Null if the file is complete.
 */
async function startOf(
  source: Source,
  path: string,
): Promise<{ checkpoint: Checkpoint; layerSize: LayerSize } | null> {
  const { info, spec } = source;
  const fields = info.fields.map(({ name, type }) => `${name} ${type}`);
  const key = JSON.stringify([info.url.href, spec.arcgis, spec.within, info.lastEditDate, fields]);
  const checkpoint = await usableCheckpoint(path, key, info.lastEditDate !== null);
  if (checkpoint?.complete) return null;
  const total = await countFeatures(source);
  // Offsets shift when features are added or removed.
  if (checkpoint?.walk.by === 'offset' && checkpoint.total === total)
    return { checkpoint, layerSize: { total, ids: null, extent: null } };
  if (checkpoint !== null && checkpoint.walk.by !== 'offset')
    return { checkpoint, layerSize: await idSizes(source, total) };
  const { plan, layerSize } = await choosePaging(source, total);
  const startedAt = Date.now();
  const none = { next: null, lastId: null, rows: 0, bytes: 0, ordered: true, complete: false };
  return { checkpoint: { key, startedAt, walk: plan, total, ...none }, layerSize };
}

class Incomplete extends RequestRefused {}

/**
 * Compares the file with the server's current count, because a layer can change during the download, and some
 * servers lose features between two pages. Requests missing features by object id.
 * @throws PlatError `feed_source`, retryable
 */
async function complete(
  source: Source,
  checkpoint: Checkpoint,
  path: string,
  append: (lines: string[], progress: Partial<Checkpoint>) => Promise<void>,
): Promise<void> {
  const { info, context } = source;
  const count = await countFeatures(source);
  if (count === null || (count === checkpoint.rows && checkpoint.ordered)) return;
  const ids = await listIds(source);
  if (ids === null) {
    if (count === checkpoint.rows) return;
    throw new Incomplete(
      info.url,
      `says it has ${count} features (${checkpoint.total} before the first page), but it sent ${checkpoint.rows}. It was edited during the download, or it omits some. Run the feed again.`,
      { again: true },
    );
  }
  const readIds = await idsIn(path, info.objectIdField!);
  let missing = ids.filter(id => !readIds.has(id));
  // Repeat as long as it helps, because some servers silently send fewer features than requested.
  for (let left = Number.POSITIVE_INFINITY; missing.length > 0 && missing.length < left; ) {
    left = missing.length;
    context.onNote?.(`fetching ${left} missing features`);
    const plan: PagingPlan = { ...checkpoint.walk, by: 'list', size: Math.min(checkpoint.walk.size, 100) };
    for await (const { lines } of readPages(source, plan, { total: left, ids: missing, extent: null })) {
      await append(lines, {});
      for (const line of lines) readIds.add(idOf(line, info.objectIdField!));
    }
    missing = missing.filter(id => !readIds.has(id));
  }
  // The server's list of ids has fewer features than its count. Only its owner knows which number is wrong.
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
    const checkpoint = JSON.parse(await readFile(checkpointPath(path), 'utf8')) as Checkpoint;
    const isFresh = isDated || Date.now() - checkpoint.startedAt < STALE_MS;
    return checkpoint.key === key && isFresh && (await stat(path)).size >= checkpoint.bytes
      ? checkpoint
      : null;
  } catch {
    // There is no checkpoint, or it was not completely written.
    return null;
  }
}

async function saveCheckpoint(path: string, checkpoint: Checkpoint): Promise<void> {
  const draft = `${checkpointPath(path)}.new`;
  await writeFile(draft, JSON.stringify(checkpoint));
  await rename(draft, checkpointPath(path));
}
