import { type Command, Option } from 'commander';
import { LAYER_KINDS, type LayerKind } from '../shared/model/land-layers.ts';
import type { Db } from '../shared/platform/db.ts';
import type { JobState } from '../shared/platform/queue/jobs.ts';
import { fiveDigits } from '../shared/regions/counties.ts';
import { computeAssemblagesJob } from '../workers/land/compute-assemblages-job.ts';
import { landlockedWarnings } from '../workers/land/landlocked.ts';
import type { Planned } from '../workers/land/plan-attributes.ts';
import { planLandAttributesJob } from '../workers/land/plan-land-attributes-job.ts';
import { recomputeMarketJob } from '../workers/market/recompute-market-job.ts';
import { restateHistoryJob } from '../workers/market/restate-history-job.ts';
import { SCHEDULES } from '../workers/schedules.ts';
import type { EstimatesResult } from '../workers/valuation/value-all.ts';
import { valueAllCountiesJob } from '../workers/valuation/value-all-counties-job.ts';
import type { ValuedCounty } from '../workers/valuation/value-county.ts';
import { valueCountyJob } from '../workers/valuation/value-county-job.ts';
import { type EndedJob, enqueueFromCli, watchFollowing } from './common/cli-enqueue.ts';
import { fips, pastDay, requireRegion, zip } from './common/cli-options.ts';
import { action, type CommandResult, EXIT, type Session } from './common/cli-session.ts';

type Flags = {
  fips?: number;
  zip?: string;
  all?: boolean;
  asOf?: string;
  layer?: LayerKind[];
  wait?: boolean;
};
type Scope = { fips: number } | { zip: string } | { all: true };

export function addRecomputeCommands(program: Command): void {
  const recompute = program
    .command('recompute')
    .description('recompute land attributes, assemblages, valuations, or market statistics');

  const attributes = recompute
    .command('attributes')
    .addOption(new Option('--layer <kind...>', 'only these kinds of layers').choices(LAYER_KINDS))
    .description('recompute slope, road frontage, wetlands, and flood zones from land layers');
  onScope(attributes, '--fips and --all', '--layer roads flood', recomputeAttributes);

  const assemblages = recompute
    .command('assemblages')
    .description("recompute which of an owner's parcels are next to each other");
  onScope(assemblages, '--fips and --all', '--wait', recomputeAssemblages);

  const valuations = recompute
    .command('valuations')
    .addOption(asOf('the latest snapshot if all comps come from snapshots'))
    .description('recompute estimated values: fit the market, then value every parcel');
  onScope(valuations, '--fips and --all', '--as-of 2025-09-28', recomputeValuations);

  const stats = recompute
    .command('stats')
    .option('--zip <zip>', 'one ZIP code', zip)
    .addOption(asOf('a feed with a fixed date'))
    .description(
      'recompute market statistics for a county and its ZIP codes, for one ZIP code, or for every region',
    );
  onScope(stats, '--fips, --zip, and --all', '--as-of 2025-09-28', recomputeStatistics);

  const history = recompute
    .command('history')
    .option('--wait', 'wait and show progress')
    .description('restate market statistics for past months, in all regions where listings have changed')
    .addHelpText('after', '\nExample:\n  plat recompute history --wait');
  action(history, recomputeHistory);
}

const asOf = (otherwise: string): Option =>
  new Option(
    '--as-of <date>',
    `date of the results (YYYY-MM-DD); default: today in UTC, or the date of ${otherwise}`,
  ).argParser(pastDay);

/** Options that these commands share: a scope that must exist, and --wait. */
function onScope<S extends Scope>(
  command: Command,
  choices: string,
  example: string,
  work: (session: Session, flags: Flags, scope: S) => Promise<CommandResult>,
): void {
  const plat = `  plat recompute ${command.name()}`;
  command
    .option('--fips <fips>', 'one county', fips)
    .option('--all', 'every county')
    .option('--wait', 'wait and show progress')
    .addHelpText('after', `\nExamples:\n${plat} --fips 33019 --wait\n${plat} --all ${example}`);
  action(command, async (session, flags: Flags) => {
    const { fips, zip, all } = flags;
    const named = Object.entries({ fips, zip, all }).filter(([, value]) => value !== undefined);
    if (named.length !== 1) return command.error(`error: use one of ${choices}`, { exitCode: EXIT.usage });
    const scope = Object.fromEntries(named) as S;
    await requireRegion(session.db, scope);
    return work(session, flags, scope);
  });
}

type CountyOrAll = Exclude<Scope, { zip: string }>;

const codeOf = ({ status }: { status: string }) => (status === 'failed' ? EXIT.failed : EXIT.ok);

function recomputeAttributes(session: Session, flags: Flags, scope: CountyOrAll): Promise<CommandResult> {
  const payload = flags.layer === undefined ? { scope } : { scope, layers: flags.layer };
  const label = 'plan of land attributes';
  return enqueueFromCli(session, planLandAttributesJob, payload, label, flags.wait, async plan => {
    const end = await watchChunks(session.db, plan);
    const hasRoads = flags.layer?.includes('roads') ?? true;
    const warnings = hasRoads ? await landlockedWarnings(session.db, flags.fips ?? null) : [];
    return [{ ...end, warnings }, [describeAttributes(end), ...warnings].join('\n'), codeOf(end)];
  });
}

const recomputeAssemblages = (
  session: Session,
  { wait }: Flags,
  scope: CountyOrAll,
): Promise<CommandResult> =>
  enqueueFromCli(session, computeAssemblagesJob, { scope }, 'assemblages', wait, endOf('assemblages'));

async function recomputeValuations(
  session: Session,
  flags: Flags,
  scope: CountyOrAll,
): Promise<CommandResult> {
  await tellOfDay(session.db, flags);
  const asOf = flags.asOf === undefined ? {} : { asOf: flags.asOf };
  const ended = async (state: JobState): Promise<CommandResult> => {
    const end = 'fips' in scope ? endOfCounty(state) : await watchCounties(session.db, state);
    return [end, describeValuations(end), codeOf(end)];
  };
  return 'fips' in scope
    ? enqueueFromCli(session, valueCountyJob, { ...scope, ...asOf }, 'valuations', flags.wait, ended)
    : enqueueFromCli(session, valueAllCountiesJob, asOf, 'valuations', flags.wait, ended);
}

function recomputeStatistics(session: Session, { asOf, wait }: Flags, scope: Scope): Promise<CommandResult> {
  const payload = asOf === undefined ? { scope } : { scope, asOf };
  return enqueueFromCli(session, recomputeMarketJob, payload, 'statistics', wait, endOf('statistics'));
}

const recomputeHistory = (session: Session, { wait }: Flags): Promise<CommandResult> =>
  enqueueFromCli(session, restateHistoryJob, {}, 'history', wait, endOf('history'));

const endOf =
  (label: string) =>
  ({ status, result, error }: JobState): CommandResult => {
    const summary = status === 'done' ? JSON.stringify(result) : `failed: ${error}`;
    return [{ status, result, error }, `${label}: ${summary}`, codeOf({ status })];
  };

type Attributes = { parcels: number; counties: number; chunks: number; failed: number };

type ChunksState = { waiting: number; open: number; failed: number; error: string | null };

function watchChunks(db: Db, plan: JobState): Promise<EndedJob<Attributes>> {
  return watchFollowing('land attributes', plan, async () => {
    const { parcels, counties, chunks, first, last } = plan.result as Planned;
    const values = { first_chunk: first ?? 0, last_chunk: last ?? 0, enqueued_before: plan.queued_at };
    const rows = await db.run<ChunksState>('land/watch_chunks', values);
    const { waiting, open, failed, error } = rows[0]!;
    const done = Math.max(0, parcels - waiting);
    const progress = parcels === 0 ? 1 : done / parcels;
    const note = `${done} of ${parcels} parcels`;
    return { open, error, progress, note, result: { parcels, counties, chunks, failed } };
  });
}

function describeAttributes({ result, error }: EndedJob<Attributes>): string {
  if (result === null) return `land attributes: failed: ${error}`;
  const { parcels, counties, chunks, failed } = result;
  const all = `land attributes: ${parcels} parcels in ${countiesOf(counties)}`;
  return failed === 0 ? all : `${all}; ${failed} of ${chunks} chunks failed: ${error}`;
}

/** Notes that results for a date other than the default are temporary. */
async function tellOfDay(db: Db, { fips, asOf }: Flags): Promise<void> {
  if (asOf === undefined) return;
  const { defaultValuationDay } = await import('../workers/valuation/value-county.ts');
  if (asOf === (await defaultValuationDay(db))) return;
  const [minute, hour] = SCHEDULES['valuation-daily'].pattern.split(' ');
  const daily = `${hour!.padStart(2, '0')}:${minute!.padStart(2, '0')} UTC`;
  const whose = fips === undefined ? '' : ` in county ${fiveDigits(fips)}`;
  process.stderr.write(
    `Valuations${whose} keep the date ${asOf} until the next run without --as-of (daily at ${daily}, or when comps change).\n`,
  );
}

type Valuations = { asOf: string; counties: number; failed: number; parcels: number; valued: number };

function endOfCounty({ status, result, error }: JobState): EndedJob<Valuations> {
  if (status === 'failed') return { status, result: null, error };
  const { asOf, parcels, valued } = result as ValuedCounty;
  return { status: 'done', result: { asOf, counties: 1, failed: 0, parcels, valued }, error: null };
}

type Counties = Pick<Valuations, 'failed' | 'parcels' | 'valued'> & {
  progress: number;
  open: number;
  error: string | null;
};

function watchCounties(db: Db, all: JobState): Promise<EndedJob<Valuations>> {
  return watchFollowing('valuations', all, async () => {
    const { jobs, asOf, counties } = all.result as EstimatesResult;
    const rows = await db.run<Counties>('valuation/watch_jobs', { ids: jobs });
    const { progress, open, failed, parcels, valued, error } = rows[0]!;
    const note = `${jobs.length - open} of ${counties} counties`;
    return { open, error, progress, note, result: { asOf, counties, failed, parcels, valued } };
  });
}

function describeValuations({ result, error }: EndedJob<Valuations>): string {
  if (result === null) return `valuations: failed: ${error}`;
  const { asOf, counties, failed, parcels, valued } = result;
  const all = `valuations as of ${asOf}: ${valued} of ${parcels} parcels in ${countiesOf(counties)}`;
  return failed === 0 ? all : `${all}; ${failed} of ${counties} counties failed: ${error}`;
}

const countiesOf = (count: number) => `${count} ${count === 1 ? 'county' : 'counties'}`;
