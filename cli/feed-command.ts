import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ingestJob } from '../shared/feeds/ingest-runs.ts';
import { feedKindWords, INPUT_WORDS, INPUTS, type Input } from '../shared/model/feed-kinds.ts';
import { loadConfig } from '../shared/platform/config.ts';
import type { Feed } from '../workers/ingest/all-kinds.ts';
import { sharedFolder } from '../workers/ingest/engine/run-folder.ts';
import { installedFeed, installedFeeds } from '../workers/ingest/feed-folders.ts';
import { enqueueFromCli } from './common/cli-enqueue.ts';
import { requestedByOperator, wholeNumber } from './common/cli-options.ts';
import { printNote, table } from './common/cli-output.ts';
import {
  action,
  actionWithoutDatabase,
  type CommandResult,
  deliverJobs,
  EXIT,
  type Session,
} from './common/cli-session.ts';
import { showRun } from './runs-command.ts';
import { addSuggestCommand } from './suggest-command.ts';

type RunFlags = { wait?: boolean; force?: boolean } & Partial<Record<Input, string>>;

export function addFeedCommands(program: Command): void {
  const feed = program
    .command('feed')
    .description('manage feeds, which say where data comes from and how its columns map');
  addList(feed);
  addSuggestCommand(feed);
  addCheck(feed);
  addRun(feed);

  const remove = feed
    .command('remove')
    .argument(
      '<name>',
      'a feed of elevation, roads, wetlands, flood zones, water, places, ZIP areas, or imagery',
    )
    .description('remove a land layer and recompute the parcels that used it; its runs are kept')
    .addHelpText(
      'after',
      '\nExample:\n  plat feed remove my-county-roads\n\nExit codes: 0 removed, 1 not a land layer, 2 not found.',
    );
  action(remove, removeFeedCommand);
}

function addList(feed: Command): void {
  const list = feed
    .command('list')
    .description('list the installed feeds; exits with code 1 if a feed file has errors');
  actionWithoutDatabase(list, async () => {
    const { feeds, faults } = await installedFeeds(loadConfig());
    const rows = feeds.map(({ name, kind, title, schedule, asOf: as_of, file }) => {
      const when = schedule ? `${schedule.cron} ${schedule.timezone}` : '';
      return { name, kind, title: title ?? '', schedule: when, as_of, file };
    });
    for (const { error } of faults) printNote(error.message);
    const code = faults.length > 0 ? EXIT.failed : EXIT.ok;
    return [rows, table(rows, ['name', 'kind', 'schedule', 'as_of', 'title']), code];
  });
}

function addCheck(feed: Command): void {
  const check = feed
    .command('check')
    .argument('<file>', 'a feed file, or the name of an installed feed')
    .option('--rows <n>', 'number of rows to read', wholeNumber, 1000)
    .description('read the first rows and show what they map to, what is missing, and what would be rejected')
    .addHelpText('after', '\nExample:\n  plat feed check feeds/my-county.yaml --rows 5000');
  actionWithoutDatabase(check, async (file: string, { rows }: { rows: number }) => {
    // Only this command needs the readers of every format, so load them here.
    const [{ loadFeed }, { checkFeed }, { renderCheck }] = await Promise.all([
      import('../workers/ingest/load-feeds.ts'),
      import('../workers/ingest/check-feed.ts'),
      import('./feed-check-report.ts'),
    ]);
    const config = loadConfig();
    const found = /\.(ya?ml|json)$/i.test(file) ? await loadFeed(file) : await installedFeed(config, file);
    const result = await checkFeed(found, { rows, sharedDir: sharedFolder(config) });
    return [result, renderCheck(result), result.ok ? EXIT.ok : EXIT.failed];
  });
}

function addRun(feed: Command): void {
  const run = feed
    .command('run')
    .argument('<name>', 'an installed feed')
    .option('--wait', 'wait and show progress')
    .option('--force', 'merge even if the gate blocks the run; recorded with the run')
    .description('run a feed: read its source, check the rows, and merge them')
    .addHelpText(
      'after',
      '\nExamples:\n  plat feed run washington-nh --wait\n  plat feed run my-county --roll ./roll-2026.csv --wait\n\nExit codes: 0 merged or unchanged, 1 failed, 2 unknown feed or wrong source option, 3 blocked by the gate.',
    );
  for (const input of INPUTS) run.option(`--${input} <source>`, INPUT_WORDS[input]);
  action(run, async (session, name: string, flags: RunFlags) => {
    refuseUnread(await installedFeed(session.config, name), flags, run);
    return runFeedCommand(session, name, flags);
  });
}

async function removeFeedCommand(session: Session, name: string): Promise<CommandResult> {
  const { removeLayer } = await import('../workers/ingest/layers/layer-editions.ts');
  const removed = await removeLayer(session.db, name, new AbortController().signal);
  if (removed.job !== null) await deliverJobs(session, [removed.job]);
  const { feeds } = await installedFeeds(session.config);
  const file = feeds.find(feed => feed.name === name)?.file ?? null;
  const { kind, features, tiles, parcels, job } = removed;
  const what = feedKindWords(kind)?.readsHeaders ? `${tiles} files` : `${features} features`;
  const following = job === null ? '' : `; recomputing ${parcels} parcels (job ${job})`;
  const further =
    file === null ? '' : `\nThe next run of the feed would load it again. To prevent that, delete ${file}.`;
  return [{ feed: name, ...removed, file }, `${name} (${kind}): removed ${what}${following}.${further}`];
}

/** Rejects source options for inputs that the feed doesn't read. */
function refuseUnread(feed: Feed, flags: RunFlags, command: Command): void {
  const sections: Partial<Record<Input, unknown>> = feed;
  const read = INPUTS.filter(input => sections[input] != null);
  const unread = INPUTS.filter(input => flags[input] !== undefined && !read.includes(input));
  if (unread.length === 0) return;
  const options = (inputs: readonly Input[]) => inputs.map(input => `--${input}`).join(' and ');
  const without = unread.includes('shape') && feed.kind === 'assessor' ? ' without `shape`' : '';
  command.error(
    `error: the feed ${feed.name} has kind ${feed.kind}${without}. It accepts ${options(read)}, not ${options(unread)}`,
    { exitCode: EXIT.usage },
  );
}

export function runFeedCommand(session: Session, feed: string, flags: RunFlags): Promise<CommandResult> {
  const sources = Object.fromEntries(
    INPUTS.flatMap(input => {
      const source = flags[input];
      if (source === undefined) return [];
      return [[input, /^[a-z]+:\/\//i.test(source) ? source : resolve(source)]];
    }),
  );
  const payload = {
    feed,
    force: flags.force ?? false,
    sources,
    requestedBy: requestedByOperator(),
    attended: flags.wait ?? false,
  };
  return enqueueFromCli(session, ingestJob, payload, feed, flags.wait, async ({ status, result, error }) => {
    const run = result as { runId: number; status: string } | null;
    if (status === 'failed' || run === null)
      return [{ status: 'failed', error }, `${feed}: failed: ${error}`, EXIT.failed];
    const [document, text] = await showRun(session, run.runId);
    return [document, text, run.status === 'blocked' ? EXIT.blocked : EXIT.ok];
  });
}
