import type { Command } from 'commander';
import type { CountyKindStatus } from '../shared/feeds/county-feeds.ts';
import { noComps } from '../shared/feeds/no-comps.ts';
import { loadConfig } from '../shared/platform/config.ts';
import { PlatError } from '../shared/platform/errors.ts';
import { regionsOfFormer } from '../shared/regions/connecticut.ts';
import { allCounties, countyName, countyText, fiveDigits } from '../shared/regions/counties.ts';
import { stateCode, stateOfFips } from '../shared/regions/states.ts';
import { installedFeeds } from '../workers/ingest/feed-folders.ts';
import { fipsList, wholeNumber } from './common/cli-options.ts';
import { print, printNote, table } from './common/cli-output.ts';
import { action, EXIT, type Session, withSession } from './common/cli-session.ts';
import type { ListedCounty } from './county/list-counties.ts';
import { runFeedCommand } from './feed-command.ts';

type AddFlags = {
  state?: string[];
  all?: boolean;
  dryRun?: boolean;
  force?: boolean;
  run?: boolean;
  wait?: boolean;
  rows: number;
  json?: boolean;
};

export function addCountyCommands(program: Command): void {
  const county = program
    .command('county')
    .description('list counties with their feeds, and write missing feeds');

  county
    .command('add')
    .argument('[fips...]', 'FIPS codes of counties', fipsList)
    .option('--state <code...>', 'all counties of these states')
    .option('--all', 'all counties of the United States')
    .option('--dry-run', 'show what would be written, without contacting any server')
    .option('--force', 'overwrite existing feeds')
    .option('--run', "run the counties' feeds, one at a time")
    .option('--wait', 'with --run: wait and show progress')
    .option('--rows <n>', 'number of parcel rows to read', wholeNumber, 500)
    .option('--json', 'print JSON')
    .description(
      "write a county's feeds: parcels from the catalog, and roads, wetlands, flood zones, elevation, water, place names, soils, and other overlays from agencies",
    )
    .addHelpText(
      'after',
      '\nExamples:\n  plat county add 55025 --dry-run\n  plat county add 55025 --run --wait\n  plat county add --state WI\n\nExit codes: 0 all feeds exist, 1 some could not be written, have no known source, are off, or did not run, 2 unknown county.\nTo change source addresses, see .env.example.',
    )
    .action((codes: number[] | undefined, flags: AddFlags, command: Command) =>
      addCommand(codes ?? [], flags, command),
    );

  action(
    county
      .command('list')
      .argument('[fips...]', 'only these counties', fipsList)
      .option('--state <code>', 'only counties of this state')
      .description('show the data loaded for each county, its age and source, and what is missing'),
    listCommand,
  );
}

/** @throws PlatError `name` for an unknown county or state */
function countiesOf(codes: readonly number[], states: readonly string[], all: boolean): number[] {
  const known = allCounties();
  const wrong = codes.find(code => !known.some(each => each.fips === code));
  if (wrong !== undefined) {
    const regions = regionsOfFormer(wrong).map(code => `${fiveDigits(code)} (${countyName(code)})`);
    const hint =
      regions.length > 0
        ? ` It is a former county of Connecticut. Its towns are now in ${regions.join(', ')}. Use those codes.`
        : '';
    throw new PlatError('name', `No county has the FIPS code ${fiveDigits(wrong)}.${hint}`);
  }
  const usps = states.map(text => {
    const code = stateCode(text);
    if (code === undefined)
      throw new PlatError('name', `${text} is not a state. Enter two letters, such as WI.`);
    return code as string;
  });
  const chosen = known.filter(each => all || usps.includes(each.state)).map(each => each.fips);
  return [...new Set([...codes, ...chosen])];
}

async function addCommand(codes: number[], flags: AddFlags, command: Command): Promise<void> {
  const counties = countiesOf(codes, flags.state ?? [], flags.all ?? false);
  if (counties.length === 0)
    command.error('error: name counties by FIPS code, or use --state or --all', { exitCode: EXIT.usage });
  if (flags.wait && !flags.run) command.error('error: --wait needs --run', { exitCode: EXIT.usage });
  const config = loadConfig();
  const { addCounty, cachedFileVersion: lookOnce } = await import('../workers/setup/add-county.ts');
  const { feeds } = await installedFeeds(config);
  // This signal never aborts, because the command runs until its process ends.
  const { signal } = new AbortController();
  const options = {
    dryRun: flags.dryRun ?? false,
    force: flags.force ?? false,
    rows: flags.rows,
    look: lookOnce(signal),
    signal,
  };
  const added: CountyKindStatus[] = [];
  for (const county of counties) {
    const results = await addCounty(county, config, feeds, options);
    added.push(...results);
    if (!flags.json) print(renderAdded(county, results));
  }
  if (flags.json) print(JSON.stringify(added, null, 2));
  const ofStatus = (...wanted: CountyKindStatus['status'][]) =>
    added.flatMap(({ status, feed }) => (wanted.includes(status) ? [feed] : []));
  const [written, missing] = [ofStatus('written'), ofStatus('failed', 'off', 'unknown')];
  if (missing.length > 0) {
    process.exitCode = EXIT.failed;
    const counts = (['failed', 'off', 'unknown'] as const).map(each => `${ofStatus(each).length} ${each}`);
    if (!flags.json)
      printNote(`${missing.length} feeds can't run (${counts.join(', ')}): ${named(missing)}.`);
  }
  if (flags.run && !flags.dryRun)
    await withSession(session => runAll(session, ofStatus('written', 'there'), flags));
  else if (!flags.json && written.length > 0)
    printNote(
      `Wrote ${written.length} feeds. Load one with \`plat feed run ${written[0]}\`, or all of them with --run.`,
    );
}

/** Limits the number of names on one line. Each county's own table lists its feeds. */
const MAX_NAMED = 20;

const named = (feeds: readonly string[]): string =>
  [...feeds.slice(0, MAX_NAMED), ...(feeds.length > MAX_NAMED ? ['…'] : [])].join(', ');

async function runAll(session: Session, feeds: readonly string[], { wait, json }: AddFlags): Promise<void> {
  const wrong: string[] = [];
  for (const feed of feeds) {
    const [document, text, exitCode] = await runFeedCommand(session, feed, { ...(wait && { wait }) });
    // Show the result and why the gate blocked the run. `plat runs show` has the rest.
    const said = text.split('\n').filter((line, i) => i === 0 || line.startsWith('  gate '));
    print(json ? JSON.stringify(document) : said.join('\n'));
    if (exitCode) wrong.push(feed);
  }
  if (wrong.length === 0) return;
  process.exitCode = EXIT.failed;
  if (!json) printNote(`${wrong.length} of ${feeds.length} feeds failed to load: ${named(wrong)}.`);
}

function renderAdded(county: number, results: readonly CountyKindStatus[]): string {
  const rows = results.map(({ kind, feed, status, address, modified, licence }) => ({
    kind,
    feed,
    status,
    from: address,
    terms: licence,
    changed: modified?.toISOString().slice(0, 10),
  }));
  const said = results.filter(({ status }) => ['failed', 'off', 'unknown'].includes(status));
  return [
    `${fiveDigits(county)} ${countyText(county)}`,
    table(rows, ['kind', 'feed', 'status', 'from', 'changed', 'terms']),
    ...said.map(({ kind, message }) => `  ${kind}: ${message}`),
    ...(results.some(({ sales }) => sales !== false)
      ? []
      : [`  no comps: ${noComps(stateOfFips(county)!, false).message}`]),
    '',
  ].join('\n');
}

async function listCommand(
  { config, db }: Session,
  codes: number[] | undefined,
  { state }: { state?: string },
): Promise<readonly [unknown, string]> {
  const { listCounties } = await import('./county/list-counties.ts');
  const named = codes ?? [];
  const chosen = named.length > 0 || state ? countiesOf(named, state ? [state] : [], false) : null;
  const { feeds } = await installedFeeds(config);
  const wanted = (code: number) => chosen?.includes(code) ?? true;
  const counties = await listCounties(db, feeds, wanted, named, config);
  return [
    counties,
    counties.length === 0
      ? 'No county has data or feeds yet. Write feeds with `plat county add <fips>`.'
      : counties.map(renderListed).join('\n'),
  ];
}

function renderListed({ fips: code, name, parcels, sold, no_comps, kinds, offered }: ListedCounty): string {
  const rows = kinds.map(({ kind, feed, state, edition, merged_at, last_run, from, licence }) => ({
    kind,
    state,
    feed,
    edition,
    age: ageOf(merged_at),
    'last run': last_run,
    from,
    terms: licence,
  }));
  const missing = kinds.filter(({ state }) => state === 'missing').map(({ kind }) => kind);
  const source = offered === null ? 'the catalog has no source' : `the catalog has its parcels at ${offered}`;
  const only = missing.join() === 'assessor' && offered === null;
  const said = [
    `  missing: ${missing.join(', ')}`,
    ...(missing.includes('assessor') ? [source] : []),
    ...(only ? [] : [`add feeds with \`plat county add ${code}\``]),
  ].join('; ');
  return [
    `${code} ${name}: ${parcels.toLocaleString('en-US')} parcels, ${sold.toLocaleString('en-US')} sold comps`,
    table(rows),
    ...(missing.length === 0 ? [] : [said]),
    ...(no_comps === null ? [] : [`  no comps: ${no_comps.message}`]),
    '',
  ].join('\n');
}

const DAY_MS = 86_400_000;

function ageOf(moment: Date | null): string {
  if (moment === null) return '';
  const days = Math.floor((Date.now() - moment.getTime()) / DAY_MS);
  return days === 0 ? 'today' : days === 1 ? '1 day' : `${days} days`;
}
