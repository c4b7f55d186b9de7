import { setTimeout as sleep } from 'node:timers/promises';
import { MultiBar, Presets } from 'cli-progress';
import type { Db } from '../../shared/platform/db.ts';
import {
  describeJob,
  enqueue,
  getJob,
  type JobDefinition,
  type JobState,
  retryWhileUnreachable,
  waitForJob,
} from '../../shared/platform/queue/jobs.ts';
import { type CommandResult, deliverJobs, type Session } from './cli-session.ts';

/** Enqueues one job. With `--wait`, shows its progress and reports the result with `ended`. */
export async function enqueueFromCli<P>(
  session: Session,
  definition: JobDefinition<P>,
  payload: P,
  label: string,
  wait: boolean | undefined,
  ended: (state: JobState) => CommandResult | Promise<CommandResult>,
): Promise<CommandResult> {
  const { id, added } = await enqueue(session.db, definition, payload);
  await deliverJobs(session, [id]);
  if (!wait) {
    const how = added ? 'is queued' : 'was already queued';
    return [{ job: id, added }, `${label}: job ${id} ${how}. \`plat status\` shows its progress.`];
  }
  const view = openProgress();
  const finished = new AbortController();
  const warning = warnOfNoWorker(session.db, id, finished.signal);
  const state = await waitForJob(session.db, id, {
    onState: seen => view.update(label, seen),
  }).finally(async () => {
    finished.abort();
    await warning;
    view.stop();
  });
  return ended(state);
}

/** The result of a group of jobs. Null if the job that enqueues them failed. */
export type EndedJob<Result> = { status: 'done' | 'failed'; result: Result | null; error: string | null };

type Following<Result> = {
  open: number;
  progress: number;
  note: string;
  error: string | null;
  result: Result;
};

const CHECK_MS = 250;

export async function watchFollowing<Result extends { failed: number }>(
  label: string,
  first: JobState,
  look: () => Promise<Following<Result>>,
): Promise<EndedJob<Result>> {
  if (first.status === 'failed') return { status: 'failed', result: null, error: first.error };
  const view = openProgress();
  try {
    for (;;) {
      const { open, progress, note, error, result } = await retryWhileUnreachable(look);
      view.update(label, { ...first, status: open > 0 ? 'running' : 'done', progress, note });
      if (open === 0) return { status: result.failed > 0 ? 'failed' : 'done', result, error };
      await sleep(CHECK_MS);
    }
  } finally {
    view.stop();
  }
}

/** An idle worker starts a queued job within a second. */
const UNTAKEN_MS = 10_000;

/** Warns once if no worker is running to pick up the awaited job. Stops when the signal aborts. */
export async function warnOfNoWorker(
  db: Db,
  id: string,
  signal: AbortSignal,
  { afterMs = UNTAKEN_MS, out = process.stderr as { write(text: string): unknown } } = {},
): Promise<void> {
  try {
    await sleep(afterMs, undefined, { signal });
    const { status } = await getJob(db, id);
    if (status !== 'queued') return;
    const rows = await db.run<{ workers: number }>('queue/summarise_workers');
    if (rows[0]?.workers !== 0 || signal.aborted) return;
    out.write(
      `No worker is running, so the job hasn't started after ${afterMs / 1000} seconds. Start a worker with \`plat worker\`, or everything with \`npm start\`. The job stays queued. Ctrl-C stops waiting, but does not cancel the job.\n`,
    );
  } catch {
    // The wait was aborted or the database is unreachable. The command that is waiting reports this.
  }
}

/** Shows job progress, with bars on a terminal and plain lines elsewhere. */
type ProgressView = { update(label: string, state: JobState): void; stop(): void };

export const openProgress = (out: NodeJS.WriteStream = process.stderr): ProgressView =>
  out.isTTY ? bars(out) : lines(out);

function bars(stream: NodeJS.WriteStream): ProgressView {
  // The bar takes 52 columns including its label, so that the note fits in 80 columns.
  const format = '  {label} [{bar}] {percentage}% {note}';
  const multi = new MultiBar({ barsize: 20, format, hideCursor: true, stream }, Presets.shades_grey);
  const open = new Map<string, ReturnType<MultiBar['create']>>();
  return {
    update(label, state) {
      const payload = { label: label.padEnd(24), note: describeJob(state) };
      const bar = open.get(label) ?? multi.create(100, 0, payload);
      open.set(label, bar);
      bar.update(Math.round(state.progress * 100), payload);
    },
    stop: () => multi.stop(),
  };
}

function lines(out: NodeJS.WriteStream): ProgressView {
  const shown = new Map<string, string>();
  return {
    update(label, state) {
      // Print a line for each retry, but not for each kilobyte.
      const wait = /attempt \d+ of \d+/.exec(state.note ?? '')?.[0] ?? '';
      const step = `${state.status} ${Math.floor(state.progress * 5)} ${wait}`;
      if (shown.get(label) === step) return;
      shown.set(label, step);
      out.write(`  ${label}: ${Math.round(state.progress * 100)}% ${describeJob(state)}\n`);
    },
    stop() {},
  };
}
