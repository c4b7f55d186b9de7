import type { GateResult } from '../../../shared/feeds/ingest-runs.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { AnyFeed } from '../../feeds/feed.ts';
import type { InputSpec } from '../../formats/format-input.ts';
import type { ResoCheckpoint } from '../../formats/row-batch.ts';
import type { DryRun } from './dry-run.ts';
import type { RunContext } from './run-context.ts';

export type NamedInput = [name: string, input: { input: InputSpec }];

/** What a run of a kind of feed does. Its methods get feeds of that kind alone. */
export type Recipe<F extends AnyFeed = AnyFeed, Staged = unknown> = {
  /** The statements that create the staging tables. */
  tables: string[];
  /** Raised when the same rows are staged in another way. */
  version?: number;
  stage(run: RunContext, feed: F): Promise<Staged>;
  compare(db: Db, run: RunContext, feed: F, staged: Staged): Promise<Prepared>;
  /** The inputs whose sources can say that they have not changed. Without any, a feed is read every time. */
  inputs?(feed: F): NamedInput[];
  /** A run of another feed on which the result depends too. */
  dependsOn?(run: RunContext): Promise<number>;
  /** Whether what earlier runs merged is still there. Default: it is. */
  isPresent?(run: RunContext): Promise<boolean>;
  /** What the first rows come to, for `plat feed check`. */
  check(check: DryRun, feed: F): Promise<void>;
};

/** What a recipe leaves to do once the gate has let it pass; `merge` runs inside the merging transaction. */
export type Prepared = {
  gate: GateResult;
  touched: boolean;
  merge(db: Db): Promise<void>;
  /** Cleanup after the merge is committed; nothing depends on it. */
  tidy?(): Promise<void>;
  /** Where an incremental source continues next time. Stored even when there was nothing to merge. */
  checkpoint?: ResoCheckpoint | null;
  /** Why an incremental source ended early; what came before it is merged first. */
  brokeOff?: unknown;
};
