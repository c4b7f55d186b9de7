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

/** Enqueues one job and, with `--wait`, shows it to its end, of which `ended` tells. */
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
    const how = added ? 'is queued' : 'was waiting already';
    return [{ job: id, added }, `${label}: job ${id} ${how}. \`plat status\` shows how it goes.`];
  }
  const view = openProgress();
  const over = new AbortController();
  const warning = warnOfNoWorker(session.db, id, over.signal);
  const state = await waitForJob(session.db, id, {
    onState: seen => view.update(label, seen),
  }).finally(async () => {
    over.abort();
    await warning;
    view.stop();
  });
  return ended(state);
}

/** What jobs have come to: their result is null where the job that was to enqueue them failed itself. */
export type EndedJob<Result> = { status: 'done' | 'failed'; result: Result | null; error: string | null };

type Following<Result> = {
  open: number;
  progress: number;
  note: string;
  error: string | null;
  result: Result;
};

const LOOK_MS = 250;

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
      await sleep(LOOK_MS);
    }
  } finally {
    view.stop();
  }
}

/** A worker takes a job within a second of its being queued, when it is not busy. */
const UNTAKEN_MS = 10_000;

/** Warns once, while you wait for a job, that no worker is there to take it. Ends with the signal. */
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
      `No worker has been seen in ${afterMs / 1000} seconds: start one with \`plat worker\` (or everything with \`npm start\`). The job waits until then; Ctrl-C stops waiting, not the job.\n`,
    );
  } catch {
    // Aborted, or the database is away, which waiting itself finds out.
  }
}

/** Shows jobs as they go: a bar each on a terminal, a plain line at every change of tens elsewhere. */
type ProgressView = { update(label: string, state: JobState): void; stop(): void };

export const openProgress = (out: NodeJS.WriteStream = process.stderr): ProgressView =>
  out.isTTY ? bars(out) : lines(out);

function bars(stream: NodeJS.WriteStream): ProgressView {
  // With the label 52 columns, so that 80 leave room for the note.
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
      // A wait is worth a line of its own, each kilobyte is not.
      const wait = /attempt \d+ of \d+/.exec(state.note ?? '')?.[0] ?? '';
      const step = `${state.status} ${Math.floor(state.progress * 5)} ${wait}`;
      if (shown.get(label) === step) return;
      shown.set(label, step);
      out.write(`  ${label}: ${Math.round(state.progress * 100)}% ${describeJob(state)}\n`);
    },
    stop() {},
  };
}
