import type { RunCounts } from '../../../shared/feeds/ingest-runs.ts';
import type { Db } from '../../../shared/platform/db.ts';
import type { Logger } from '../../../shared/platform/log.ts';
import type { ResoCheckpoint } from '../../formats/row-batch.ts';
import type { AcceptedRun, InputRecord, SourceState } from './run-record.ts';

/** The steps at which a run can be observed, and killed in tests. */
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
  /** Which attempt at the run this is. */
  attempt: number;
  /** Whether the run merges although a gate would block it. */
  force: boolean;
  feedId: number;
  /** The folder from which the feed's relative sources start. */
  baseDir: string;
  tmpDir: string;
  counts: RunCounts;
  inputs: InputRecord[];
  /** What tells the state of an input's source, as far as that is known without reading it. */
  states: Map<string, SourceState>;
  checkpoint: ResoCheckpoint | null;
  last: AcceptedRun | null;
  step(name: Step, note: string, fraction: number): Promise<void>;
};
