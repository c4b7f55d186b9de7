import { resolve } from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '../../shared/config.ts';
import { PlatError } from '../../shared/errors.ts';
import { INPUTS, type Input, ingestJob } from '../../shared/runs.ts';
import { installedFeed, installedFeeds } from '../feeds/dirs.ts';
import type { Feed } from '../feeds/feed.ts';
import { sharedFolder } from '../ingest/run/folder.ts';
import { enqueueFromCli } from './common/enqueue.ts';
import { EXIT } from './common/exit.ts';
import { wholeNumber } from './common/options.ts';
import { answer, table } from './common/output.ts';
import { deliverFromHere, type Session, withSession } from './common/session.ts';
import { printRun } from './runs.ts';
import { addSuggestCommand } from './suggest.ts';

type RunFlags = { wait?: boolean; force?: boolean; json?: boolean } & Partial<Record<Input, string>>;

export function addFeedCommands(program: Command): void {
  const feed = program.command('feed').description('the feeds: where data comes from and how it maps');

  feed
    .command('list')
    .description('the installed feeds; exit code 1 when a file is faulty')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const config = loadConfig();
      const { feeds, faults } = await installedFeeds(config);
      const rows = feeds.map(({ name, kind, title, schedule, asOf: as_of, file }) => {
        const when = schedule ? `${schedule.cron} ${schedule.timezone}` : '';
        return { name, kind, title: title ?? '', schedule: when, as_of, file };
      });
      answer(json, rows, table(rows, ['name', 'kind', 'schedule', 'as_of', 'title']));
      if (faults.length > 0)
        throw new PlatError('feed_definition', faults.map(({ error }) => error.message).join('\n'));
    });

  addSuggestCommand(feed);
  feed
    .command('check')
    .argument('<file>', 'a feed file, or the name of an installed feed')
    .option('--rows <n>', 'how many rows to read', wholeNumber, 1000)
    .option('--json', 'print JSON')
    .description(
      'reads the first rows and shows what they map to, what is missing, what would be rejected and why',
    )
    .addHelpText('after', '\nExample:\n  plat feed check feeds/my-county.yaml --rows 5000')
    .action(async (file: string, { rows, json }: { rows: number; json?: boolean }) => {
      // The readers of every format are for this command alone.
      const [{ loadFeed }, { checkFeed }, { renderCheck }] = await Promise.all([
        import('../feeds/load.ts'),
        import('../ingest/check/check.ts'),
        import('../ingest/check/text.ts'),
      ]);
      const found = /\.(ya?ml|json)$/i.test(file)
        ? await loadFeed(file)
        : await installedFeed(loadConfig(), file);
      const result = await checkFeed(found, { rows, sharedDir: sharedFolder(loadConfig()) });
      answer(json, result, renderCheck(result));
      if (!result.ok) process.exitCode = EXIT.failed;
    });

  feed
    .command('run')
    .argument('<name>', 'an installed feed')
    .option('--wait', 'show progress and wait for the end')
    .option('--force', 'merge although the gate blocks; recorded with the run')
    .option('--roll <source>', "another source than the feed's, for this run alone")
    .option('--shape <source>', 'likewise for the geometry')
    .option('--listings <source>', 'likewise for listings')
    .option('--layer <source>', 'likewise for roads, wetlands or flood zones')
    .option('--elevation <source>', 'likewise for one file of heights')
    .option('--imagery <source>', 'likewise for one file of imagery')
    .option('--contacts <source>', 'likewise for people with telephone numbers')
    .option('--numbering <source>', 'likewise for blocks of telephone numbers')
    .option('--dnc <source>', 'likewise for one list of the Do Not Call registry')
    .option('--json', 'print JSON')
    .description('ingests a feed through the workers')
    .addHelpText(
      'after',
      '\nExamples:\n  plat feed run washington-nh --wait\n  plat feed run my-county --roll ./roll-2026.csv --wait\n\nExit codes: 0 merged or unchanged, 1 failed, 2 unknown feed or not of such a source, 3 blocked by the gate.',
    )
    .action((name: string, flags: RunFlags, command: Command) =>
      withSession(async session => {
        refuseUnread(await installedFeed(session.config, name), flags, command);
        await runFeedCommand(session, name, flags);
      }),
    );

  feed
    .command('remove')
    .argument('<name>', 'a feed of elevation, roads, wetlands, flood zones, ZIP areas or imagery')
    .option('--json', 'print JSON')
    .description('takes a land layer away, and has the parcels that it told of computed anew; its runs stay')
    .addHelpText(
      'after',
      '\nExample:\n  plat feed remove my-county-roads\n\nExit codes: 0 removed, 1 no land layer, 2 nothing there.',
    )
    .action((name: string, flags: { json?: boolean }) =>
      withSession(session => removeFeedCommand(session, name, flags)),
    );
}

async function removeFeedCommand(session: Session, name: string, flags: { json?: boolean }): Promise<void> {
  const { removeLayer } = await import('../ingest/remove-layer.ts');
  const removed = await removeLayer(session.pool, name, new AbortController().signal);
  if (removed.job !== null) await deliverFromHere(session, [removed.job]);
  const { feeds } = await installedFeeds(session.config);
  const file = feeds.find(feed => feed.name === name)?.file ?? null;
  const { kind, features, tiles, parcels, job } = removed;
  const what = kind === 'elevation' || kind === 'imagery' ? `${tiles} files` : `${features} features`;
  const following = job === null ? '' : `; ${parcels} parcels are computed anew (job ${job})`;
  const further = file === null ? '' : `\nA further run would bring it back: take ${file} away.`;
  answer(
    flags.json,
    { feed: name, ...removed, file },
    `${name}: ${what} of ${kind} removed${following}.${further}`,
  );
}

/** Another source of what the feed does not read would be read by nobody. */
function refuseUnread(feed: Feed, flags: RunFlags, command: Command): void {
  const sections: Partial<Record<Input, unknown>> = feed;
  const read = INPUTS.filter(input => sections[input] != null);
  const unread = INPUTS.filter(input => flags[input] !== undefined && !read.includes(input));
  if (unread.length === 0) return;
  const options = (inputs: readonly Input[]) => inputs.map(input => `--${input}`).join(' and ');
  const without = unread.includes('shape') && feed.kind === 'assessor' ? ' without `shape`' : '';
  command.error(
    `error: the feed ${feed.name} is of kind ${feed.kind}${without}: it takes ${options(read)}, not ${options(unread)}`,
    { exitCode: EXIT.usage },
  );
}

async function runFeedCommand(session: Session, name: string, flags: RunFlags): Promise<void> {
  const sources = Object.fromEntries(
    INPUTS.flatMap(input => {
      const source = flags[input];
      if (source === undefined) return [];
      return [[input, /^[a-z]+:\/\//i.test(source) ? source : resolve(source)]];
    }),
  );
  const payload = {
    feed: name,
    force: flags.force ?? false,
    sources,
    requestedBy: `operator ${process.env.USER ?? ''}`.trim(),
  };
  const state = await enqueueFromCli(session, ingestJob, payload, name, flags);
  if (state === undefined) return;
  const result = state.result as { runId: number; status: string } | null;
  if (state.status === 'failed' || result === null) {
    answer(flags.json, { status: 'failed', error: state.error }, `${name}: failed: ${state.error}`);
    process.exitCode = EXIT.failed;
    return;
  }
  await printRun(session, result.runId, flags.json ?? false);
  if (result.status === 'blocked') process.exitCode = EXIT.blocked;
}
