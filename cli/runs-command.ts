import type { Command } from 'commander';
import {
  findRun,
  listRejects,
  listRuns,
  type Reject,
  type Run,
  type RunSummary,
} from '../shared/feeds/ingest-runs.ts';
import { findUndoable, undoJob, undoNotes } from '../shared/feeds/undo-runs.ts';
import { feedKindWords, isLayer } from '../shared/model/feed-kinds.ts';
import { PlatError } from '../shared/platform/errors.ts';
import { fiveDigits } from '../shared/regions/counties.ts';
import { total } from '../workers/ingest/engine/run-counts.ts';
import { installedFeed } from '../workers/ingest/feed-folders.ts';
import { extentWords } from '../workers/ingest/layers/gate-layer.ts';
import { enqueueFromCli } from './common/cli-enqueue.ts';
import { requestedByOperator, wholeNumber } from './common/cli-options.ts';
import { listCounts, table } from './common/cli-output.ts';
import { action, type CommandResult, type Session } from './common/cli-session.ts';

export function addRunCommands(program: Command): void {
  const runs = program
    .command('runs')
    .description('list runs with their row counts: read, new, changed, unchanged, retired, and rejected')
    .option('--feed <name>', 'runs of one feed')
    .option('--limit <n>', 'number of runs', wholeNumber, 20)
    .addHelpText(
      'after',
      '\nExamples:\n  plat runs --feed washington-nh\n  plat runs show 3 --reason missing_key --rejects 50',
    );
  action(runs, async ({ db, config }, { feed, limit }: { feed?: string; limit: number }) => {
    const rows = await listRuns(db, feed ?? null, limit);
    // A feed without runs is fine. An unknown feed is an error.
    if (feed !== undefined && rows.length === 0) await installedFeed(config, feed);
    const columns = 'id feed status read new changed unchanged retired rejected started'.split(' ');
    return [rows, table(rows.map(summary), columns)];
  });

  const show = runs
    .command('show')
    .argument('<id>', 'id of the run', wholeNumber)
    .option('--reason <reason>', 'only rejected rows with this reason')
    .option('--rejects <n>', 'number of rejected rows to show', wholeNumber, 10)
    .description('show a run: its counts, the result of the gate, and rejected rows');
  action(show, (session, id: number, flags: { reason?: string; rejects: number }) =>
    showRun(session, id, flags.reason, flags.rejects),
  );

  const undo = runs
    .command('undo')
    .argument('<id>', 'id of the latest merged run of a parcel feed', wholeNumber)
    .option('--wait', 'wait and show progress')
    .description('undo a run: restore the parcels and sales that the county had before it')
    .addHelpText(
      'after',
      '\nExample:\n  plat runs undo 12 --wait\n\nExit codes: 0 undone, 1 failed or refused; the message says why.',
    );
  action(undo, undoCommand);
}

async function undoCommand(
  session: Session,
  id: number,
  { wait }: { wait?: boolean },
): Promise<CommandResult> {
  const { feed } = await findUndoable(session.db, id);
  const notes = undoNotes(feed);
  const payload = { run: id, requestedBy: requestedByOperator() };
  const [document, text] = await enqueueFromCli(
    session,
    undoJob,
    payload,
    `undo run ${id}`,
    wait,
    async state => {
      const run = state.result as { runId: number } | null;
      if (state.status === 'failed' || run === null)
        throw new PlatError('undo_failed', `Couldn't undo run ${id}: ${state.error}`);
      return showRun(session, run.runId);
    },
  );
  return [{ ...(document as object), notes }, [text, ...notes.map(note => `  ${note}`)].join('\n')];
}

export async function showRun(
  { db }: Pick<Session, 'db'>,
  id: number,
  reason: string | null = null,
  limit = 10,
): Promise<CommandResult> {
  const run = await findRun(db, id);
  if (run === undefined) throw new PlatError('not_found', `There is no run ${id}. \`plat runs\` lists them.`);
  const rejects = await listRejects(db, id, reason, limit);
  return [{ ...run, rejects }, describe(run, rejects)];
}

function statusWords({ status, forced, undoes }: RunSummary): string {
  if (undoes !== null) return `${status} (undid run ${undoes})`;
  return forced ? `${status} (forced)` : status;
}

function summary(run: RunSummary) {
  const { counts } = run;
  const { id, feed, started_at: started } = run;
  const status = statusWords(run);
  const [read, rejected] = [total(counts.read ?? {}), total(counts.rejected ?? {})];
  const { new: fresh = 0, changed = 0, unchanged = 0, retired = 0 } = counts;
  return { id, feed, status, started, read, new: fresh, changed, unchanged, retired, rejected };
}

/** Figures that are shown as a place or not at all. */
const UNLISTED = ['filled', 'extent', 'coverage', 'coverage_fips'];
/** Figures that only parcels have. Features of a land layer are new or gone, never changed or returned. */
const OF_PARCELS = ['parts', 'returned', 'dropped'];

function placesOf({ extent, coverage, coverage_fips: fips }: Run['counts']): Record<string, string> {
  const words = (box: typeof extent): string | null => {
    if (typeof box !== 'object') return null;
    const { west, south, east, north } = box;
    return extentWords([west!, south!, east!, north!]);
  };
  const [read, box] = [words(extent), words(coverage)];
  const covered = [
    typeof fips === 'number' ? `county ${fiveDigits(fips)}` : null,
    box !== null && box === read ? 'the bounding box of the source' : box,
  ].filter(place => place !== null);
  return {
    ...(read !== null && { extent: read }),
    ...(covered.length > 0 && { coverage: covered.join(' and ') }),
  };
}

function describe(run: Run, rejects: Reject[]): string {
  const { counts, gate } = run;
  const lines = [
    `run ${run.id} of ${run.feed}: ${statusWords(run)}, requested by ${run.requested_by}, attempt ${run.attempts}`,
  ];
  for (const { input, source, bytes, version } of run.inputs) {
    const size = feedKindWords(run.kind)?.readsHeaders ? '' : ` (${bytes.toLocaleString('en-US')} bytes)`;
    const edited = version === undefined ? '' : `, last edited ${version}`;
    lines.push(`  ${input.padEnd(10)} ${source.join(', ')}${size}${edited}`);
  }
  if (run.error) lines.push(`  error      ${run.error}`);
  for (const [name, value] of Object.entries({ ...counts, ...placesOf(counts) })) {
    if (isLayer(run.kind) && OF_PARCELS.includes(name)) continue;
    if (value === undefined || (typeof value !== 'string' && UNLISTED.includes(name))) continue;
    const text = typeof value === 'object' ? listCounts(value) : value.toLocaleString('en-US');
    lines.push(`  ${name.padEnd(20)} ${text}`);
  }
  for (const { gate: name, message } of gate?.blocked ?? []) lines.push(`  gate ${name}: ${message}`);
  if (rejects.length > 0) lines.push('  first rejected rows and dropped values:');
  for (const { input, row_no, field, reason, message, raw } of rejects) {
    lines.push(
      `    ${input} row ${row_no}${field ? `, ${field}` : ''}: ${reason}: ${message}`,
      `      ${raw.slice(0, 160)}`,
    );
  }
  return lines.join('\n');
}
