import { type Command, Option } from 'commander';
import { type Pool, sql } from '../../shared/db.ts';
import { LAYER_KINDS, type LayerKind } from '../../shared/domain/land.ts';
import type { JobState } from '../../shared/jobs.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import { attributesPlan } from '../attributes/jobs.ts';
import { landlockedWarnings } from '../attributes/landlocked.ts';
import type { Planned } from '../attributes/plan.ts';
import { type MarketScope, marketRecompute } from '../market/jobs.ts';
import type { Learned } from '../valuation/all.ts';
import { defaultDay, type ValuedCounty } from '../valuation/county.ts';
import { VALUATION_DAILY, valuationAll, valuationCounty } from '../valuation/jobs.ts';
import { type Ended, enqueueFromCli, watchFollowing } from './common/enqueue.ts';
import { EXIT } from './common/exit.ts';
import { dayBegun, fips, requireRegion, zip } from './common/options.ts';
import { answer } from './common/output.ts';
import { type Session, withSession } from './common/session.ts';

type Flags = {
  fips?: number;
  zip?: string;
  all?: boolean;
  asOf?: string;
  layer?: LayerKind[];
  wait?: boolean;
  json?: boolean;
};

export function addRecomputeCommands(program: Command): void {
  const recompute = program.command('recompute').description('computes precomputed tables anew');
  addAttributes(recompute);
  addValuations(recompute);
  addStatistics(recompute);
}

function addAttributes(recompute: Command): void {
  const command = ofCounties(recompute, 'attributes')
    .addOption(new Option('--layer <kind...>', 'by these kinds of layers only').choices(LAYER_KINDS))
    .description('what land layers tell of parcels: slope, road frontage, wetlands, flood zones')
    .addHelpText(
      'after',
      '\nExamples:\n  plat recompute attributes --fips 23019 --wait\n  plat recompute attributes --all --layer roads flood',
    );
  onRun(command, countyOrAll, async (session, flags, scope) => {
    const payload = flags.layer === undefined ? { scope } : { scope, layers: flags.layer };
    const plan = await enqueueFromCli(session, attributesPlan, payload, 'plan of land attributes', flags);
    if (plan === undefined) return;
    const end = await watchChunks(session.pool, plan);
    const hasRoads = flags.layer?.includes('roads') ?? true;
    const warnings = hasRoads ? await landlockedWarnings(session.pool, flags.fips ?? null) : [];
    tell(flags, { ...end, warnings }, [describeAttributes(end), ...warnings].join('\n'));
  });
}

const asOf = (otherwise: string): Option =>
  new Option(
    '--as-of <date>',
    `as of this day (YYYY-MM-DD); default: today in UTC, or the day of ${otherwise}`,
  ).argParser(dayBegun);

function addValuations(recompute: Command): void {
  const command = ofCounties(recompute, 'valuations')
    .addOption(asOf('the latest snapshot when all comps are of such'))
    .description('what parcels are worth by the sales around them: fits the market anew, then values with it')
    .addHelpText(
      'after',
      '\nExamples:\n  plat recompute valuations --fips 33019 --wait\n  plat recompute valuations --all --as-of 2025-09-28',
    );
  onRun(command, countyOrAll, async (session, flags, scope) => {
    await tellOfDay(session.pool, flags);
    const asOf = flags.asOf === undefined ? {} : { asOf: flags.asOf };
    const state =
      'fips' in scope
        ? await enqueueFromCli(session, valuationCounty, { ...scope, ...asOf }, 'valuations', flags)
        : await enqueueFromCli(session, valuationAll, asOf, 'valuations', flags);
    if (state === undefined) return;
    const end = 'fips' in scope ? endOfCounty(state) : await watchCounties(session.pool, state);
    tell(flags, end, describeValuations(end));
  });
}

function addStatistics(recompute: Command): void {
  const command = recompute
    .command('stats')
    .option('--fips <fips>', 'of one county and its ZIPs', fips)
    .option('--zip <zip>', 'of one ZIP', zip)
    .option('--all', 'of every county and ZIP')
    .addOption(asOf('a pinned feed'))
    .description('market statistics')
    .addHelpText(
      'after',
      '\nExamples:\n  plat recompute stats --fips 33019 --wait\n  plat recompute stats --all --as-of 2025-09-28',
    );
  onRun(command, anyRegion, async (session, flags, scope) => {
    const payload = flags.asOf === undefined ? { scope } : { scope, asOf: flags.asOf };
    const state = await enqueueFromCli(session, marketRecompute, payload, 'statistics', flags);
    if (state === undefined) return;
    const { status, result, error } = state;
    const said = status === 'done' ? JSON.stringify(result) : `failed: ${error}`;
    tell(flags, { status, result, error }, `statistics: ${said}`);
  });
}

const ofCounties = (recompute: Command, name: string): Command =>
  recompute.command(name).option('--fips <fips>', 'of one county', fips).option('--all', 'of every county');

/** What all of them share: a scope that is there, and that they may be waited for and answer scripts with JSON. */
function onRun<Scope extends object>(
  command: Command,
  scopeOf: (flags: Flags, refuse: Refuse) => Scope,
  work: (session: Session, flags: Flags, scope: Scope) => Promise<void>,
): void {
  const refuse: Refuse = why => command.error(`error: ${why}`, { exitCode: EXIT.usage });
  command
    .option('--wait', 'show progress and wait for the end')
    .option('--json', 'print JSON')
    .action((flags: Flags) =>
      withSession(async session => {
        const scope = scopeOf(flags, refuse);
        await requireRegion(session.pool, scope);
        await work(session, flags, scope);
      }),
    );
}

type Refuse = (why: string) => never;

function countyOrAll({ fips, all }: Flags, refuse: Refuse): { fips: number } | { all: true } {
  if (fips !== undefined && all) refuse('--fips and --all are both given; name one of --fips and --all');
  if (fips !== undefined) return { fips };
  return all ? { all } : refuse('name one of --fips and --all');
}

function anyRegion({ fips, zip, all }: Flags, refuse: Refuse): MarketScope {
  const named = [fips, zip, all].filter(flag => flag !== undefined);
  if (named.length !== 1) refuse('name one of --fips, --zip and --all');
  if (fips !== undefined) return { fips };
  return zip === undefined ? { all: true } : { zip };
}

/** Answers with what a job has come to, and ends with the exit code of that. */
function tell({ json }: Flags, end: { status: string; [figure: string]: unknown }, text: string): void {
  answer(json, end, text);
  if (end.status === 'failed') process.exitCode = EXIT.failed;
}

/** Parcels and counties that were planned; chunks of them that could not be computed. */
type Attributes = { parcels: number; counties: number; chunks: number; failed: number };

type ChunksState = { waiting: number; open: number; failed: number; error: string | null };

/** Shows how the parcels of a plan are computed, over all its chunks. */
function watchChunks(pool: Pool, plan: JobState): Promise<Ended<Attributes>> {
  return watchFollowing('land attributes', plan, async () => {
    const { parcels, counties, chunks, first, last } = plan.result as Planned;
    const values = [first ?? 0, last ?? 0, plan.queued_at];
    const { rows } = await pool.query<ChunksState>(sql('attributes/watch_chunks'), values);
    const { waiting, open, failed, error } = rows[0]!;
    const done = Math.max(0, parcels - waiting);
    const progress = parcels === 0 ? 1 : done / parcels;
    const note = `${done} of ${parcels} parcels`;
    return { open, error, progress, note, result: { parcels, counties, chunks, failed } };
  });
}

function describeAttributes({ result, error }: Ended<Attributes>): string {
  if (result === null) return `land attributes: failed: ${error}`;
  const { parcels, counties, chunks, failed } = result;
  const all = `land attributes: ${parcels} parcels in ${countiesOf(counties)}`;
  return failed === 0 ? all : `${all}; ${failed} of ${chunks} chunks failed: ${error}`;
}

/** Says that another day than the default one does not last. */
async function tellOfDay(pool: Pool, { fips, asOf }: Flags): Promise<void> {
  if (asOf === undefined || asOf === (await defaultDay(pool))) return;
  const [minute, hour] = VALUATION_DAILY.cron.split(' ');
  const daily = `${hour!.padStart(2, '0')}:${minute!.padStart(2, '0')} ${VALUATION_DAILY.timeZone}`;
  const whose = fips === undefined ? '' : ` of county ${fiveDigits(fips)}`;
  process.stderr.write(
    `What is served${whose} is then as of ${asOf}, until the next run without --as-of (daily at ${daily}, or when its comps change).\n`,
  );
}

/** Counties that were to be valued and that could not be, and parcels. */
type Valuations = { asOf: string; counties: number; failed: number; parcels: number; valued: number };

function endOfCounty({ status, result, error }: JobState): Ended<Valuations> {
  if (status === 'failed') return { status, result: null, error };
  const { asOf, parcels, valued } = result as ValuedCounty;
  return { status: 'done', result: { asOf, counties: 1, failed: 0, parcels, valued }, error: null };
}

type Counties = {
  progress: number;
  open: number;
  failed: number;
  parcels: number;
  valued: number;
  error: string | null;
};

/** Shows how the counties are valued. */
function watchCounties(pool: Pool, all: JobState): Promise<Ended<Valuations>> {
  return watchFollowing('valuations', all, async () => {
    const { jobs, asOf, counties } = all.result as Learned;
    const { rows } = await pool.query<Counties>(sql('valuation/watch_jobs'), [jobs]);
    const { progress, open, failed, parcels, valued, error } = rows[0]!;
    const note = `${jobs.length - open} of ${counties} counties`;
    return { open, error, progress, note, result: { asOf, counties, failed, parcels, valued } };
  });
}

function describeValuations({ result, error }: Ended<Valuations>): string {
  if (result === null) return `valuations: failed: ${error}`;
  const { asOf, counties, failed, parcels, valued } = result;
  const all = `valuations as of ${asOf}: ${valued} of ${parcels} parcels in ${countiesOf(counties)}`;
  return failed === 0 ? all : `${all}; ${failed} of ${counties} counties failed: ${error}`;
}

const countiesOf = (count: number) => `${count} ${count === 1 ? 'county' : 'counties'}`;
