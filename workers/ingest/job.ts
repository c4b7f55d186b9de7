import { z } from 'zod';
import type { JobDefinition } from '../../shared/jobs.ts';
import { INPUTS } from '../feeds/feed.ts';

const payload = z.object({
  feed: z.string(),
  /** Merge although the gate blocks; recorded with the run. */
  force: z.boolean().default(false),
  /** Other sources than the feed file's, by input. */
  sources: z.partialRecord(z.enum(INPUTS), z.string()).default({}),
  requestedBy: z.string().default('operator'),
});

export type IngestPayload = z.output<typeof payload>;

/**
 * One run of one feed. Five attempts with waits of 5, 10, 20 and 40 seconds outlast a restarted database or a
 * source that is away for a minute; a wrong file fails at once.
 */
export const ingestJob: JobDefinition<IngestPayload> = {
  name: 'ingest.run',
  queue: 'ingest',
  payload,
  key: ({ feed, force, sources }) => JSON.stringify([feed, force, sources]),
  attempts: 5,
  backoffMs: 5_000,
};
