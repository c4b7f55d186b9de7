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
    .description('the counties: which feeds they have, and writing those that they lack');

  county
    .command('add')
    .argument('[fips...]', 'counties by their FIPS codes', fipsList)
    .option('--state <code...>', 'all counties of states')
    .option('--all', 'all counties of the United States')
    .option('--dry-run', 'show what would be written, and ask nobody')
    .option('--force', 'write anew what is there')
    .option('--run', 'ingest the feeds of the counties, one after the other')
    .option('--wait', 'with --run: show progress and wait for the end')
    .option('--rows <n>', 'how many rows of parcels to look at', wholeNumber, 500)
    .option('--json', 'print JSON')
    .description(
      "writes the feeds of counties: the assessor's from the catalogue, roads, wetlands, flood zones and heights from the agencies",
    )
    .addHelpText(
      'after',
      '\nExamples:\n  plat county add 55025 --dry-run\n  plat county add 55025 --run --wait\n  plat county add --state WI\n\nExit codes: 0 every feed is there, 1 some could not be written, have no known source, are switched off or did not run, 2 no such county. Addresses: .env.example.',
    )
    .action((codes: number[] | undefined, flags: AddFlags, command: Command) =>
      addCommand(codes ?? [], flags, command),
    );

  action(
    county
      .command('list')
      .argument('[fips...]', 'these alone', fipsList)
      .option('--state <code>', 'those of a state')
      .description('what is loaded of each county, how old it is, from where, and what is missing'),
    listCommand,
  );
}

/** @throws PlatError `name` for a code that is none's */
function countiesOf(codes: readonly number[], states: readonly string[], all: boolean): number[] {
  const known = allCounties();
  const wrong = codes.find(code => !known.some(each => each.fips === code));
  if (wrong !== undefined) {
    const regions = regionsOfFormer(wrong).map(code => `${fiveDigits(code)} (${countyName(code)})`);
    const hint =
      regions.length > 0
        ? ` It is a former county of Connecticut, whose towns are now in ${regions.join(', ')}: name those.`
        : '';
    throw new PlatError('name', `No county has the FIPS code ${fiveDigits(wrong)}.${hint}`);
  }
  const usps = states.map(text => {
    const code = stateCode(text);
    if (code === undefined)
      throw new PlatError('name', `${text} is no state: give its two letters, such as WI.`);
    return code as string;
  });
  const chosen = known.filter(each => all || usps.includes(each.state)).map(each => each.fips);
  return [...new Set([...codes, ...chosen])];
}

async function addCommand(codes: number[], flags: AddFlags, command: Command): Promise<void> {
  const counties = countiesOf(codes, flags.state ?? [], flags.all ?? false);
  if (counties.length === 0)
    command.error('error: give FIPS codes of counties, --state or --all', { exitCode: EXIT.usage });
  if (flags.wait && !flags.run) command.error('error: --wait goes with --run', { exitCode: EXIT.usage });
  const config = loadConfig();
  const { addCounty, cachedFileVersion: lookOnce } = await import('../workers/setup/add-county.ts');
  const { feeds } = await installedFeeds(config);
  // Ends with its process.
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
    if (!flags.json) printNote(`${missing.length} cannot run (${counts.join(', ')}): ${named(missing)}.`);
  }
  if (flags.run && !flags.dryRun)
    await withSession(session => runAll(session, ofStatus('written', 'there'), flags));
  else if (!flags.json && written.length > 0)
    printNote(`Written: ${written.length}; \`plat feed run ${written[0]}\` ingests one, --run all of them.`);
}

/** More names than these nobody reads in a line; each stands with its county. */
const MAX_NAMED = 20;

const named = (feeds: readonly string[]): string =>
  [...feeds.slice(0, MAX_NAMED), ...(feeds.length > MAX_NAMED ? ['…'] : [])].join(', ');

async function runAll(session: Session, feeds: readonly string[], { wait, json }: AddFlags): Promise<void> {
  const wrong: string[] = [];
  for (const feed of feeds) {
    const [document, text, exitCode] = await runFeedCommand(session, feed, { ...(wait && { wait }) });
    // What became of a run, and why the gate blocked it; `plat runs show` tells the rest.
    const said = text.split('\n').filter((line, i) => i === 0 || line.startsWith('  gate '));
    print(json ? JSON.stringify(document) : said.join('\n'));
    if (exitCode) wrong.push(feed);
  }
  if (wrong.length === 0) return;
  process.exitCode = EXIT.failed;
  if (!json) printNote(`${wrong.length} of ${feeds.length} were not ingested: ${named(wrong)}.`);
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
      ? 'Nothing is loaded, and no feed is of a county: `plat county add FIPS` writes some.'
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
  const source =
    offered === null ? 'the catalogue knows no source' : `the catalogue has its parcels at ${offered}`;
  const only = missing.join() === 'assessor' && offered === null;
  const said = [
    `  missing: ${missing.join(', ')}`,
    ...(missing.includes('assessor') ? [source] : []),
    ...(only ? [] : [`\`plat county add ${code}\` writes feeds`]),
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
