import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { type Pool, sql } from '../../shared/db.ts';
import { LAYER_KINDS, type LayerKind } from '../../shared/domain/land.ts';
import { type JobState, patiently } from '../../shared/jobs.ts';
import { attributesPlan } from '../attributes/jobs.ts';
import { landlockedWarnings } from '../attributes/landlocked.ts';
import type { Planned } from '../attributes/plan.ts';
import { enqueueFromCli, openProgress } from './common/enqueue.ts';
import { EXIT } from './common/exit.ts';
import { fips, requireRegion } from './common/options.ts';
import { print, printJson } from './common/output.ts';
import { withSession } from './common/session.ts';

type Flags = { fips?: number; all?: boolean; layer?: LayerKind[]; wait?: boolean; json?: boolean };

const POLL_MS = 250;

export function addRecomputeAttributes(recompute: Command): void {
  recompute
    .command('attributes')
    .option('--fips <fips>', 'of one county', fips)
    .option('--all', 'of every county')
    .addOption(new Option('--layer <kind...>', 'by these kinds of layers only').choices(LAYER_KINDS))
    .option('--wait', 'show progress and wait for the end')
    .option('--json', 'print JSON')
    .description('what land layers tell of parcels: slope, road frontage, wetlands, flood zones')
    .addHelpText(
      'after',
      '\nExamples:\n  plat recompute attributes --fips 23019 --wait\n  plat recompute attributes --all --layer roads flood',
    )
    .action((flags: Flags, command: Command) =>
      withSession(async session => {
        if ((flags.fips === undefined) === (flags.all !== true)) {
          const both = flags.all ? '--fips and --all are both given; ' : '';
          command.error(`error: ${both}name one of --fips and --all`, { exitCode: EXIT.usage });
        }
        const scope = flags.fips === undefined ? ({ all: true } as const) : { fips: flags.fips };
        await requireRegion(session.pool, scope);
        const payload = flags.layer === undefined ? { scope } : { scope, layers: flags.layer };
        const plan = await enqueueFromCli(session, attributesPlan, payload, 'plan of land attributes', flags);
        if (plan === undefined) return;
        const end = await watchChunks(session.pool, plan);
        const hasRoads = flags.layer?.includes('roads') ?? true;
        const warnings = hasRoads ? await landlockedWarnings(session.pool, flags.fips ?? null) : [];
        if (flags.json) printJson({ ...end, warnings });
        else for (const line of [describe(end), ...warnings]) print(line);
        if (end.status === 'failed') process.exitCode = EXIT.failed;
      }),
    );
}

type End = {
  status: 'done' | 'failed';
  /** Parcels and counties that were planned; chunks of them that could not be computed. */
  result: { parcels: number; counties: number; chunks: number; failed: number } | null;
  error: string | null;
};

type ChunksState = { waiting: number; open: number; failed: number; error: string | null };

/** Shows how the parcels of a plan are computed, over all its chunks, until none of their jobs is open. */
async function watchChunks(pool: Pool, plan: JobState): Promise<End> {
  if (plan.status === 'failed') return { status: 'failed', result: null, error: plan.error };
  const { parcels, counties, chunks, first, last } = plan.result as Planned;
  const view = openProgress();
  try {
    for (;;) {
      const { rows } = await patiently(() =>
        pool.query<ChunksState>(sql('attributes/watch_chunks'), [first ?? 0, last ?? 0, plan.queued_at]),
      );
      const { waiting, open, failed, error } = rows[0]!;
      const done = Math.max(0, parcels - waiting);
      view.update('land attributes', {
        ...plan,
        status: open > 0 ? 'running' : 'done',
        progress: parcels === 0 ? 1 : done / parcels,
        note: `${done} of ${parcels} parcels`,
      });
      const result = { parcels, counties, chunks, failed };
      if (open === 0) return { status: failed > 0 ? 'failed' : 'done', result, error };
      await sleep(POLL_MS);
    }
  } finally {
    view.stop();
  }
}

function describe({ result, error }: End): string {
  if (result === null) return `land attributes: failed: ${error}`;
  const { parcels, counties, chunks, failed } = result;
  const all = `land attributes: ${parcels} parcels in ${counties} ${counties === 1 ? 'county' : 'counties'}`;
  return failed === 0 ? all : `${all}; ${failed} of ${chunks} chunks failed: ${error}`;
}
