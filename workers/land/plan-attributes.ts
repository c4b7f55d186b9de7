import { hilbertOrder } from '../../shared/geo/hilbert.ts';
import { ALL_LAYERS, LAYER_BITS, type LayerKind } from '../../shared/model/land-layers.ts';
import { readCopy } from '../../shared/platform/copy.ts';
import type { Db } from '../../shared/platform/db.ts';
import { enqueue } from '../../shared/platform/queue/jobs.ts';
import { compose, literal } from '../../shared/platform/statements.ts';
import { computeLandAttributesJob } from './compute-land-attributes-job.ts';

/**
 * A chunk takes a few seconds. At this size, reading the surrounding parcels again for each chunk costs
 * little.
 */
export const CHUNK_PARCELS = 2_000;

/** Without `layers`, all kinds are recomputed. */
export type PlanPayload = {
  scope: { fips: number } | { all: true } | { dirty: true };
  layers?: readonly LayerKind[] | undefined;
};

export type Planned = {
  parcels: number;
  counties: number;
  chunks: number;
  /** Numbers of the first and the last chunk, or null if there are none. */
  first: number | null;
  last: number | null;
};

export type PlanOptions = {
  signal?: AbortSignal | undefined;
  /** Called with the ids of committed jobs and the share of the work that is done. */
  onJobs?: (jobs: string[], share: number) => unknown;
  chunkParcels?: number;
};

const COLUMNS = {
  id: { type: 'int8', null: 0 },
  x: { type: 'float8', null: Number.NaN },
  y: { type: 'float8', null: Number.NaN },
} as const;

/**
 * Splits parcels into chunks with one job each, in one transaction per county: all parcels of one county or
 * of all counties, or the parcels that merges have marked and no open job covers. After a crash, the next
 * attempt may plan a county again, and a parcel then belongs to its last chunk.
 * @throws the signal's reason
 */
export async function planAttributes(
  db: Db,
  { scope, layers }: PlanPayload,
  { signal, onJobs, chunkParcels = CHUNK_PARCELS }: PlanOptions = {},
): Promise<Planned> {
  const marked = layers?.reduce((bits, kind) => bits | LAYER_BITS[kind], 0) ?? ALL_LAYERS;
  const bits = 'dirty' in scope ? null : marked;
  const counties = 'fips' in scope ? [scope.fips] : await listCounties(db, 'dirty' in scope);
  const planned: Planned = { parcels: 0, counties: counties.length, chunks: 0, first: null, last: null };
  for (const [i, fips] of counties.entries()) {
    signal?.throwIfAborted();
    const { parcels, chunks, jobs } = await planCounty(db, fips, bits, chunkParcels);
    planned.parcels += parcels;
    planned.chunks += chunks.length;
    planned.first ??= chunks[0] ?? null;
    planned.last = chunks.at(-1) ?? planned.last;
    await onJobs?.(jobs, (i + 1) / counties.length);
  }
  return planned;
}

async function listCounties(db: Db, unplanned: boolean): Promise<number[]> {
  const name = unplanned ? 'land/list_unplanned_counties' : 'land/list_counties';
  const rows = await db.run<{ fips: number }>(name);
  return rows.map(row => row.fips);
}

/** @param bits the kinds to mark all parcels for, or null to plan only parcels that are already marked */
function planCounty(db: Db, fips: number, bits: number | null, chunkParcels: number) {
  return db.transaction(async tx => {
    await tx.run('land/lock_marks');
    await tx.run('land/release_lost_chunks', { fips });
    await tx.run('land/drop_stray_marks', { fips });
    const parcels = bits === null ? 'land/copy_unplanned_parcels' : 'land/copy_county_parcels';
    const ids = await inOrder(tx, fips, parcels);
    const rows = await tx.run<{ chunk: number }>('land/number_chunks', {
      count: Math.ceil(ids.length / chunkParcels),
    });
    const jobs: string[] = [];
    for (const [i, { chunk }] of rows.entries()) {
      const ofChunk = ids.slice(i * chunkParcels, (i + 1) * chunkParcels);
      if (bits === null) await tx.run('land/assign_chunk', { fips, property_ids: ofChunk, chunk });
      else {
        const marked = {
          fips: literal(fips),
          ids: literal(ofChunk),
          chunk: literal(chunk),
          layers: literal(bits),
        };
        await tx.run('land/mark_chunk', {}, marked);
      }
      jobs.push((await enqueue(tx, computeLandAttributesJob, { fips, chunk })).id);
    }
    return { parcels: ids.length, chunks: rows.map(row => row.chunk), jobs };
  });
}

/** The parcels to plan, in spatial order, so that a chunk reads its surroundings only once. */
async function inOrder(db: Db, fips: number, name: string): Promise<number[]> {
  const copy = compose(name, { fips: literal(fips) });
  const { id, x, y } = (await readCopy(db, copy, COLUMNS)).columns;
  return Array.from(hilbertOrder(x, y), i => id[i]!);
}
