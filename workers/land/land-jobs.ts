import { z } from 'zod';
import { LAYER_KINDS } from '../../shared/domain/land-layers.ts';
import { countyCode, type JobDefinition, RETRY } from '../../shared/queue/jobs.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';

/** Which parcels to compute: those of a county or of all, marked for it first, or those that merges have marked. */
const scope = z.union([
  z.strictObject({ fips: countyCode }),
  z.strictObject({ all: z.literal(true) }),
  z.strictObject({ dirty: z.literal(true) }),
]);

/** `layers`: the kinds to compute anew, for a county or all; without them every kind. */
const planPayload = z.strictObject({ scope, layers: z.array(z.enum(LAYER_KINDS)).min(1).optional() });
export type PlanPayload = z.infer<typeof planPayload>;

const chunkPayload = z.strictObject({ fips: countyCode, chunk: z.number().int().positive() });
export type ChunkPayload = z.infer<typeof chunkPayload>;

/** Cuts the marked parcels into chunks and enqueues a job for each. */
export const attributesPlan: JobDefinition<PlanPayload> = {
  name: 'attributes.plan',
  queue: 'attributes',
  payload: planPayload,
  key: ({ scope: of, layers }) => {
    const name = 'fips' in of ? `county:${fiveDigits(of.fips)}` : 'all' in of ? 'all' : 'dirty';
    return layers === undefined ? name : `${name}:${[...new Set(layers)].sort().join('+')}`;
  },
  ...RETRY,
};

/** Computes the land attributes of the parcels of one chunk. */
export const attributesChunk: JobDefinition<ChunkPayload> = {
  name: 'attributes.chunk',
  queue: 'attributes',
  payload: chunkPayload,
  key: ({ fips: county, chunk }) => `${fiveDigits(county)}:${chunk}`,
  ...RETRY,
};
