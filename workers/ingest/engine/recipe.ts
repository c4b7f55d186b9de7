import type { GateResult } from '../../../shared/feeds/ingest-runs.ts';
import type { Client } from '../../../shared/platform/db.ts';
import type { Feed } from '../../feeds/feed.ts';
import type { ResoCheckpoint } from '../../formats/row-batch.ts';
import type { RunContext } from './run-context.ts';

export type Recipe<F extends Feed, Staged> = {
  tables: string[];
  stage(run: RunContext, feed: F): Promise<Staged>;
  compare(client: Client, run: RunContext, feed: F, staged: Staged): Promise<Prepared>;
};

/** What a recipe leaves to do once the gate has let it pass; `merge` runs inside the merging transaction. */
export type Prepared = {
  gate: GateResult;
  touched: boolean;
  merge(client: Client): Promise<void>;
  /** Cleanup after the merge is committed; nothing depends on it. */
  tidy?(): Promise<void>;
  /**
   * Where an incremental source goes on next time; stored with the merge, and also when there
   * was nothing to merge.
   */
  checkpoint?: ResoCheckpoint | null;
  /** Why an incremental source ended early; what came before it is merged first. */
  brokeOff?: unknown;
};
