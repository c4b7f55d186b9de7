import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { type Config, loadConfig } from '../shared/platform/config.ts';
import { writeFileAtomic } from '../shared/platform/disk.ts';
import { messageOf, PlatError } from '../shared/platform/errors.ts';
import { fiveDigits } from '../shared/regions/counties.ts';
import type { Format } from '../workers/formats/file-formats.ts';
import type { FindLoaded } from '../workers/ingest/kinds/assessor/loaded-feeds.ts';
import { overlapFault } from '../workers/ingest/kinds/assessor/parcel-gates.ts';
import { feedName } from '../workers/setup/feed-name.ts';
import type { JoinedFeed } from '../workers/setup/suggest-joined.ts';
import { fips, nameOfFeed, wholeNumber } from './common/cli-options.ts';
import { printNote, table } from './common/cli-output.ts';
import { actionWithoutDatabase, type CommandResult, EXIT, withSession } from './common/cli-session.ts';
import { readState } from './common/cli-state.ts';

type Flags = {
  format?: string;
  name?: string;
  fips?: number;
  rows: number;
  out?: string;
  print?: boolean;
  force?: boolean;
  member?: string;
  layer?: string;
  crs?: string;
};

export function addSuggestCommand(feed: Command): void {
  const suggest = feed
    .command('suggest')
    .argument('<sources...>', 'paths or http(s) URLs; several sources of one county are joined')
    .option(
      '--format <name>',
      'format of the source; default: taken from the name of the file, or of the file in the zip',
    )
    .option('--name <name>', "name of the feed; default: the source's name", nameOfFeed)
    .option(
      '--fips <code>',
      'county of the feed; default: the county in the rows, or the county of their ZIP codes',
      fips,
    )
    .option('--member <name>', 'the file to read in a zip')
    .option('--layer <name>', 'the layer, table, or sheet to read, if there are several')
    .option('--crs <code>', "coordinate system, if the source doesn't say")
    .option('--rows <n>', 'number of rows to read', wholeNumber, 500)
    .option('--out <file>', 'file to write; default: in FEEDS_DIR')
    .option('--print', 'print the feed instead of writing it')
    .option('--force', 'replace an existing file')
    .description(
      'read the first rows of a source and write a feed for it, mapping the columns that Plat is sure about',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  plat feed suggest https://example.org/parcels.zip\n  plat feed suggest roll.csv --fips 55025 --name my-county --print\n  plat feed suggest roll.csv parcels.shp\n\nExit codes: 0 the feed can run, 1 the feed is written but incomplete, or the source cannot be read.',
    );
  actionWithoutDatabase(suggest, suggestCommand);
}

async function suggestCommand(sources: string[], flags: Flags): Promise<CommandResult> {
  const config = loadConfig();
  const [{ suggestFeed }, { suggestJoined }] = await Promise.all([
    import('../workers/setup/check-suggestion.ts'),
    import('../workers/setup/suggest-joined.ts'),
  ]);
  const name = flags.name ?? feedName(sources[0]!);
  const file = resolve(flags.out ?? join(config.FEEDS_DIR, `${name}.yaml`));
  if (!flags.print && !flags.force && existsSync(file))
    throw new PlatError(
      'feed_exists',
      `${file} already exists. Use --force to replace it, or choose another --name or --out.`,
    );
  const ofOne = (['format', 'member', 'layer', 'crs'] as const).find(flag => flags[flag] !== undefined);
  if (sources.length > 1 && ofOne)
    throw new PlatError(
      'name',
      `--${ofOne} applies to a single source. Name one source, or set this in the feed's section afterward.`,
    );
  const inputs = [];
  for (const source of sources) inputs.push(await inputOf(source, file, flags));
  const request = {
    baseDir: dirname(file),
    file,
    rows: flags.rows,
    findLoaded: findLoadedOf(config),
    head: { name, ...(flags.fips !== undefined && { fips: fiveDigits(flags.fips) }) },
  };
  const found =
    inputs.length === 1
      ? { ...(await suggestFeed({ ...request, input: inputs[0]! })), joins: [] }
      : await suggestJoined({ ...request, inputs });
  if (!flags.print) await writeFileAtomic(file, found.text);
  const failed = found.problems.length > 0;
  if (failed && flags.print) printNote(found.problems.join('\n'));
  return [
    { file: flags.print ? null : file, ...found },
    flags.print ? found.text.trimEnd() : renderSuggested(found, file),
    failed ? EXIT.failed : EXIT.ok,
  ];
}

/** Finds loaded feeds that have the same rows. Returns undefined if there is no database. */
function findLoadedOf(config: Config): FindLoaded | undefined {
  if (config.DATABASE_URL === undefined && !readState(config)?.databaseUrl) return undefined;
  return async (feed, rows) => {
    const { findLoadedFeeds } = await import('../workers/ingest/kinds/assessor/loaded-feeds.ts');
    return withSession(({ db }) => findLoadedFeeds(db, feed, rows)).catch(error => {
      printNote(
        `Plat couldn't check whether another feed has these parcels: ${messageOf(error)} The run will check again.`,
      );
      return [];
    });
  };
}

async function inputOf(source: string, file: string, { format, member, layer, crs }: Flags) {
  const [{ FORMATS }, { formatOf }, { guessFormat }] = await Promise.all([
    import('../workers/formats/file-formats.ts'),
    import('../workers/formats/read-format.ts'),
    import('../workers/formats/guess-format.ts'),
  ]);
  const isAddress = /^https?:\/\//i.test(source);
  const known =
    format ?? formatOf(member ?? '') ?? (isAddress ? formatOf(source) : await guessFormat(source));
  if (known === null) throw new PlatError('name', `Can't tell the format of ${source}. Add --format.`);
  if (!Object.hasOwn(FORMATS, known))
    throw new PlatError('name', `Unknown --format ${known}. Use one of ${Object.keys(FORMATS).join(', ')}.`);
  return {
    source: isAddress ? source : relative(dirname(file), resolve(source)),
    format: known as Format,
    ...(member !== undefined && { member }),
    ...(layer !== undefined && { layer }),
    ...(crs !== undefined && { crs }),
  };
}

function renderSuggested(
  { kind, fips: county, fipsWhy, rows, suggestions, problems, joins, loaded }: JoinedFeed,
  file: string,
): string {
  const said = suggestions?.fields ?? [];
  const mapped = said.flatMap(({ field, mapped: best, others }) =>
    best
      ? [
          {
            field,
            from: best.columns.join(' + '),
            sure: `${Math.floor(100 * best.confidence)}%`,
            why: best.why,
            or: others[0]?.columns.join(' + ') ?? '',
          },
        ]
      : [],
  );
  const unsure = said.filter(({ mapped: best, others }) => best === null && others.length > 0);
  return [
    `${file}: ${kind}, ${county === null ? 'county unknown' : `county ${county}${fipsWhy ? ` (${fipsWhy})` : ''}`}, from ${rows} rows`,
    ...(suggestions
      ? [
          '',
          `key: ${suggestions.key?.columns.join(' + ') ?? 'not sure'}`,
          ...joins.map(
            ({ source, columns: [own, other], matched, checked }) =>
              `joined: ${matched} of ${checked} keys in ${own} match ${other} in ${source}`,
          ),
          table(mapped, ['field', 'from', 'sure', 'why', 'or']),
        ]
      : []),
    ...(unsure.length > 0
      ? [
          '',
          `Not mapped, because Plat isn't sure: ${unsure.map(({ field, others }) => `${field} (${others[0]!.columns.join(' + ')}?)`).join(', ')}`,
        ]
      : []),
    ...(loaded.length > 0 ? ['', `Already loaded: ${overlapFault(loaded)}`] : []),
    '',
    problems.length === 0
      ? `The feed can run. Check more rows with \`plat feed check ${basename(file).replace(/\.ya?ml$/, '')}\`, then load it with \`plat feed run\`.`
      : `Problems:\n${problems.map(problem => `  ${problem}`).join('\n')}`,
  ].join('\n');
}
