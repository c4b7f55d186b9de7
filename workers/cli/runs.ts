import type { Command } from 'commander';
import { LAND_KINDS } from '../../shared/domain/land.ts';
import { PlatError } from '../../shared/errors.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import { findRun, listRejects, listRuns, type Reject, type Run, type RunSummary } from '../../shared/runs.ts';
import { installedFeed } from '../feeds/dirs.ts';
import { extentWords } from '../ingest/gate/place.ts';
import { total } from '../ingest/run/counts.ts';
import { wholeNumber } from './common/options.ts';
import { answer, listCounts, table } from './common/output.ts';
import { type Session, withSession } from './common/session.ts';

export function addRunCommands(program: Command): void {
  const runs = program
    .command('runs')
    .description('what ingestions did: rows read, new, changed, unchanged, retired, rejected')
    .option('--feed <name>', 'of one feed')
    .addHelpText(
      'after',
      '\nExamples:\n  plat runs --feed washington-nh\n  plat runs show 3 --reason missing_key --rejects 50',
    )
    .option('--limit <n>', 'how many', wholeNumber, 20)
    .option('--json', 'print JSON')
    .action(({ feed, limit, json }: { feed?: string; limit: number; json?: boolean }) =>
      withSession(async ({ pool, config }) => {
        const rows = await listRuns(pool, feed ?? null, limit);
        // No runs may be the answer; of a feed that is not there it is not.
        if (feed !== undefined && rows.length === 0) await installedFeed(config, feed);
        const shown = table(rows.map(summary), [
          ...(['id', 'feed', 'status', 'read', 'new', 'changed'] as const),
          ...(['unchanged', 'retired', 'rejected', 'started'] as const),
        ]);
        answer(json, rows, shown);
      }),
    );

  runs
    .command('show')
    .argument('<id>', 'a run', wholeNumber)
    .option('--reason <reason>', 'only rejects of this reason')
    .option('--rejects <n>', 'how many rejects to show', wholeNumber, 10)
    .option('--json', 'print JSON')
    .description('one run: its counts, what the gate found, and the rows that were rejected')
    .action((id: number, flags: { reason?: string; rejects: number }, command: Command) =>
      withSession(session =>
        printRun(session, id, Boolean(command.optsWithGlobals().json), flags.reason, flags.rejects),
      ),
    );
}

/** Prints one run with its first rejects. */
export async function printRun(
  { pool }: Session,
  id: number,
  json: boolean,
  reason?: string,
  limit = 10,
): Promise<void> {
  const run = await findRun(pool, id);
  if (run === undefined)
    throw new PlatError('not_found', `There is no run ${id}. \`plat runs\` lists them.`, { status: 404 });
  const rejects = await listRejects(pool, id, reason ?? null, limit);
  answer(json, { ...run, rejects }, describe(run, rejects));
}

function summary(run: RunSummary) {
  const { counts } = run;
  const { id, feed, forced, started_at: started } = run;
  const status = forced ? `${run.status} (forced)` : run.status;
  const [read, rejected] = [total(counts.read ?? {}), total(counts.rejected ?? {})];
  const { new: fresh = 0, changed = 0, unchanged = 0, retired = 0 } = counts;
  return { id, feed, status, started, read, new: fresh, changed, unchanged, retired, rejected };
}

/** Figures of parcels, which are always nothing for a land layer: its features are new or gone, never changed or returned. */
const OF_PARCELS = new Set(['parts', 'returned', 'dropped']);

const isForeign = ({ kind }: Run, figure: string): boolean =>
  LAND_KINDS.some(layer => layer === kind) && OF_PARCELS.has(figure);

/** Figures that are not shown, or as a place. */
const UNLISTED = new Set(['filled', 'extent', 'coverage', 'coverage_fips']);

/** Of a land layer: the box around what was read, and where the layer is taken for complete. */
function placesOf({ extent, coverage, coverage_fips: fips }: Run['counts']): string[] {
  const words = (box: typeof extent): string | null => {
    if (typeof box !== 'object') return null;
    const { west, south, east, north } = box;
    return extentWords([west!, south!, east!, north!]);
  };
  const read = words(extent);
  const box = words(coverage);
  const covered = [
    ...(typeof fips === 'number' ? [`county ${fiveDigits(fips)}`] : []),
    ...(box === null ? [] : [box === read ? 'the box around what was read' : box]),
  ];
  return [
    ...(read === null ? [] : [`  ${'extent'.padEnd(20)} ${read}`]),
    ...(covered.length === 0 ? [] : [`  ${'coverage'.padEnd(20)} ${covered.join(', and ')}`]),
  ];
}

function describe(run: Run, rejects: Reject[]): string {
  const { counts, gate } = run;
  const lines = [
    `run ${run.id} of ${run.feed}: ${run.status}${run.forced ? ' (forced)' : ''}, asked for by ${run.requested_by}, attempt ${run.attempts}`,
    ...run.inputs.map(
      ({ input, source, bytes, version }) =>
        // Of elevation and imagery only headers are read.
        `  ${input.padEnd(10)} ${source.join(', ')}${input === 'elevation' || input === 'imagery' ? '' : ` (${bytes.toLocaleString('en-US')} bytes)`}${version === undefined ? '' : `, last edited ${version}`}`,
    ),
  ];
  if (run.error) lines.push(`  error      ${run.error}`);
  for (const [name, value] of Object.entries(counts)) {
    if (value === undefined || UNLISTED.has(name) || isForeign(run, name)) continue;
    lines.push(
      `  ${name.padEnd(20)} ${typeof value === 'number' ? value.toLocaleString('en-US') : listCounts(value)}`,
    );
  }
  lines.push(...placesOf(counts));
  for (const { gate: name, message } of gate?.blocked ?? []) lines.push(`  gate ${name}: ${message}`);
  if (rejects.length > 0) lines.push('  rejected or dropped, the first of them:');
  for (const { input, row_no, field, reason, message, raw } of rejects) {
    lines.push(
      `    ${input} row ${row_no}${field ? `, ${field}` : ''}: ${reason}: ${message}`,
      `      ${raw.slice(0, 160)}`,
    );
  }
  return lines.join('\n');
}
