import type { RunCounts } from '../../../shared/feeds/ingest-runs.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { Logger } from '../../../shared/platform/log.ts';
import type { ResoCheckpoint } from '../../formats/row-batch.ts';
import type { AcceptedRun, InputRecord, SourceState } from './run-record.ts';

/** Steps of a run. Tests use them to observe or kill the run. */
export type Step = 'open' | 'stage' | 'join' | 'match' | 'gate' | 'merge' | 'commit' | 'follow';

export type RunDeps = {
  db: Db;
  log: Logger;
  signal: AbortSignal;
  env: NodeJS.ProcessEnv;
  /**
   * Folder kept until a run succeeds, so that the next attempt can resume. Without it, each attempt starts
   * over.
   */
  workDir?: string;
  sharedDir?: string;
  progress(fraction: number, note: string): void;
  onStep?(step: Step): void | Promise<void>;
};

export type RunContext = RunDeps & {
  runId: number;
  /** The number of this attempt at the run. */
  attempt: number;
  /** Whether the run merges even if a gate would block it. */
  force: boolean;
  feedId: number;
  /** Base folder of the feed's relative sources. */
  baseDir: string;
  tmpDir: string;
  counts: RunCounts;
  inputs: InputRecord[];
  /** The version of each input's source, if it is known without reading the source. */
  states: Map<string, SourceState>;
  checkpoint: ResoCheckpoint | null;
  last: AcceptedRun | null;
  step(name: Step, note: string, fraction: number): Promise<void>;
};
