import type { GateResult } from '../../../shared/feeds/ingest-runs.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { AnyFeed } from '../../feeds/feed.ts';
import type { InputSpec } from '../../formats/format-input.ts';
import type { ResoCheckpoint } from '../../formats/row-batch.ts';
import type { DryRun } from './dry-run.ts';
import type { RunContext } from './run-context.ts';

export type NamedInput = [name: string, input: { input: InputSpec }];

/** The steps of a run for a kind of feed. Its methods receive only feeds of that kind. */
export type Recipe<F extends AnyFeed = AnyFeed, Staged = unknown> = {
  /** The statements that create the staging tables. */
  tables: string[];
  /** Increase this when a release stages the same rows differently. */
  version?: number;
  stage(run: RunContext, feed: F): Promise<Staged>;
  compare(db: Db, run: RunContext, feed: F, staged: Staged): Promise<Prepared>;
  /**
   * Inputs whose sources can report that they haven't changed. If there are none, the feed is always read.
   */
  inputs?(feed: F): NamedInput[];
  /** A run of another feed, if it also affects the result. */
  dependsOn?(run: RunContext): Promise<number>;
  /** Whether the merged data of earlier runs still exists. Default: it does. */
  isPresent?(run: RunContext): Promise<boolean>;
  /** Checks the first rows, for `plat feed check`. */
  check(check: DryRun, feed: F): Promise<void>;
};

/** The steps after the gate. `merge` runs inside the merging transaction. */
export type Prepared = {
  gate: GateResult;
  touched: boolean;
  merge(db: Db): Promise<void>;
  /** Cleanup after the merge has been committed. Nothing depends on it. */
  tidy?(): Promise<void>;
  /** Where the next run of an incremental source continues. Stored even when there is nothing to merge. */
  checkpoint?: ResoCheckpoint | null;
  /** Why an incremental source ended early. The rows read before that are merged first. */
  brokeOff?: unknown;
};
