import type { Client } from '../../../shared/db.ts';
import type { ResoCheckpoint } from '../../formats/rows.ts';
import type { GateResult } from '../run/record.ts';

/** What a recipe leaves to do once the gate has let it pass; `merge` runs inside the merging transaction. */
export type Prepared = {
  gate: GateResult;
  /** Whether there is anything to merge. */
  touched: boolean;
  merge(client: Client): Promise<void>;
  /** What is left to do once the merge is committed; nothing depends on it. */
  tidy?(): Promise<void>;
  /** Where an incremental source goes on next time; stored with the merge, and also when there was nothing to merge. */
  checkpoint?: ResoCheckpoint | null;
  /** Why an incremental source ended early; what came before it is merged first. */
  brokeOff?: unknown;
};
