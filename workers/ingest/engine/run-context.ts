import type { RunCounts } from '../../../shared/feeds/ingest-runs.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { Logger } from '../../../shared/platform/log.ts';
import type { ResoCheckpoint } from '../../formats/row-batch.ts';
import type { AcceptedRun, InputRecord, SourceState } from './run-record.ts';

/** Steps of a run, which tests use to observe or kill it. */
export type Step = 'open' | 'stage' | 'join' | 'match' | 'gate' | 'merge' | 'commit' | 'follow';

export type RunDeps = {
  db: Db;
  log: Logger;
  signal: AbortSignal;
  env: NodeJS.ProcessEnv;
  /** Kept until a run ends well, so that the next attempt resumes. Without it, each starts over. */
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
  /** The folder that the feed's relative sources start from. */
  baseDir: string;
  tmpDir: string;
  counts: RunCounts;
  inputs: InputRecord[];
  /** Identifies the version of an input's source, if that is known without reading it. */
  states: Map<string, SourceState>;
  checkpoint: ResoCheckpoint | null;
  last: AcceptedRun | null;
  step(name: Step, note: string, fraction: number): Promise<void>;
};
