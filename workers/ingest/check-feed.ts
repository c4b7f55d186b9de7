import type { InputSpec } from '../formats/format-input.ts';
import { readInput } from '../formats/read-format.ts';
import type { RowBatch } from '../formats/row-batch.ts';
import { type Feed, recipeOf } from './all-kinds.ts';
import type { PartCheck } from './engine/check-part.ts';
import { checkContext, type DryRun, type FeedCheck } from './engine/dry-run.ts';
import { NO_USABLE_ROWS } from './engine/gate.ts';
import { noUsableFeatures } from './layers/gate-layer.ts';

export type CheckOptions = {
  /** Number of rows of each source to map. Default: 1,000. */
  rows?: number;
  sharedDir?: string;
  read?: (spec: InputSpec) => AsyncIterable<RowBatch>;
};

/** Unreadable sources and missing columns are reported as problems in the result, not thrown as errors. */
export async function checkFeed(feed: Feed, options: CheckOptions = {}): Promise<FeedCheck> {
  const result: FeedCheck = {
    ok: true,
    feed: feed.name,
    kind: feed.kind,
    file: feed.file,
    preset: feed.preset,
    problems: [],
    warnings: [],
    comps: [],
    extent: null,
    parts: [],
    tiles: null,
    imagery: null,
    keys: null,
  };
  const limit = options.rows ?? 1000;
  const shared = options.sharedDir !== undefined && { sharedDir: options.sharedDir };
  const onShortfall = (announced: number, sent: number) =>
    void result.warnings.push(
      `The server says it has ${announced} rows, but it sent ${sent}. Ask its owner which number is right.`,
    );
  const read =
    options.read ??
    (spec => readInput(spec, { ...checkContext(feed.baseDir), rows: limit + 1, onShortfall, ...shared }));
  const dryRun: DryRun = { limit, read, result };
  const recipe = await recipeOf(feed);
  await recipe.check(dryRun, feed);
  if (!dryRun.mayBeEmpty) judgeEmpty(result);
  for (const part of result.parts) judgeRejects(part, feed.gates.max_reject_percent, result.problems);
  return { ...result, ok: result.problems.length === 0 };
}

/** The gate's check that there are usable rows. If only part of the source was read, it is just a warning. */
function judgeEmpty({ parts, problems, warnings }: FeedCheck): void {
  if (parts.length === 0 || parts.some(({ usable }) => usable > 0)) return;
  const layer = parts[0]!.part === 'layer';
  const read = parts.reduce((sum, { rows }) => sum + rows, 0);
  const name = parts.map(({ part }) => part).join(', ');
  if (parts.every(({ whole }) => whole))
    problems.push(
      `${name}: ${layer ? noUsableFeatures(read, { rows: 'features' }) : NO_USABLE_ROWS}${firstReject(parts)}`,
    );
  else
    warnings.push(
      `${name}: none of the first ${read} ${layer ? 'features' : 'rows'} is usable. A run without usable ones is blocked. Read more with --rows.`,
    );
}

function firstReject(parts: readonly PartCheck[]): string {
  const [first] = parts.flatMap(({ rejected }) => rejected).sort((a, b) => a.rowNo - b.rowNo);
  return first === undefined ? '' : ` Row ${first.rowNo}: ${first.message.replace(/\.?$/, '.')}`;
}

function judgeRejects(part: PartCheck, max_reject_percent: number, problems: string[]): void {
  const rejected = part.rejected.reduce((sum, { count }) => sum + count, 0);
  const percent = (100 * rejected) / Math.max(1, part.rows);
  if (percent <= max_reject_percent) return;
  // If no row is usable, judgeEmpty has already reported the reason.
  const why = part.whole && part.usable === 0 ? '' : firstReject([part]);
  problems.push(
    `${part.part}: ${rejected} of ${part.rows} rows would be rejected (${percent.toFixed(1)}%, limit ${max_reject_percent}%).${why}`,
  );
}
