import type { Pool } from '../../shared/db.ts';
import { type ComputeOptions, computeChunk } from './compute.ts';
import type { ChunkPayload } from './jobs.ts';
import type { LandKernels } from './kernels.ts';
import { readChunk } from './read-chunk.ts';
import { type WrittenChunk, writeChunk } from './write-chunk.ts';

/**
 * Computes the land attributes of a chunk's parcels and stores them. Killed anywhere it can be done again; done twice at the
 * same time, the first to write wins and the other writes nothing.
 * @throws PlatError `attributes` when something could not be computed, after the rest was stored
 */
export async function runChunk(
  pool: Pool,
  chunk: ChunkPayload,
  kernels: LandKernels,
  options: ComputeOptions,
): Promise<WrittenChunk> {
  const input = await readChunk(pool, chunk);
  const { parcels, failures } = await computeChunk(input, kernels, options);
  const written = await writeChunk(pool, chunk, parcels, input.shapeless, options.signal);
  if (failures.length > 0) throw failures.find(failure => failure.retryable) ?? failures[0];
  return written;
}
