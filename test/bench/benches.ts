import type { Bench } from './bench.ts';

/** Every bench by the name under which `npm run bench -- NAME` finds it; loaded only when it is run. */
export const BENCHES: Record<string, () => Promise<{ bench: Bench }>> = {
  ingest: () => import('./ingest.ts'),
  'ingest-memory': () => import('./ingest-memory.ts'),
};
