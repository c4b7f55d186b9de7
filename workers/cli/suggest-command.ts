import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '../../shared/base/config.ts';
import { writeWhole } from '../../shared/base/disk.ts';
import { PlatError } from '../../shared/base/errors.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import type { SuggestedFeed } from '../ingest/check/check-suggestion.ts';
import { feedName } from '../setup/feed-name.ts';
import { fips, wholeNumber } from './common/cli-options.ts';
import { printNote, table } from './common/cli-output.ts';
import { type Answer, answeringAlone, EXIT } from './common/cli-session.ts';

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
    .argument('<source>', 'a path or an http(s) address')
    .option(
      '--format <name>',
      'what the source is; by default its name tells, or that of the file in the zip',
    )
    .option('--name <name>', "the feed's name; by default the source's")
    .option('--fips <code>', 'its county; by default the one that the rows lie in', fips)
    .option('--member <name>', 'the file meant in a zip')
    .option('--layer <name>', 'the layer, table or sheet meant in a file that holds several')
    .option('--crs <code>', 'coordinate system, where the source does not say it')
    .option('--rows <n>', 'how many rows to look at', wholeNumber, 500)
    .option('--out <file>', 'where to write; by default in FEEDS_DIR')
    .option('--print', 'print the feed instead of writing it')
    .option('--force', 'replace a file that is there')
    .description(
      'reads the first rows of a source and writes a feed for it, its columns mapped where that is sure',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  plat feed suggest https://example.org/parcels.zip\n  plat feed suggest roll.csv --fips 55025 --name my-county --print\n\nExit codes: 0 the feed can run, 1 it is written and something is missing, or the source cannot be read.',
    );
  answeringAlone(suggest, suggestCommand);
}

async function suggestCommand(source: string, flags: Flags): Promise<Answer> {
  const config = loadConfig();
  const [{ suggestFeed }, { formatOf }] = await Promise.all([
    import('../ingest/check/check-suggestion.ts'),
    import('../formats/read-format.ts'),
  ]);
  const isAddress = /^https?:\/\//i.test(source);
  const name = flags.name ?? feedName(source);
  const file = resolve(flags.out ?? join(config.FEEDS_DIR, `${name}.yaml`));
  if (!flags.print && !flags.force && existsSync(file))
    throw new PlatError(
      'feed_exists',
      `${file} is there already: give --force to replace it, or --name or --out.`,
    );
  const format = flags.format ?? formatOf(flags.member ?? '') ?? formatOf(source);
  if (format === null)
    throw new PlatError('name', `What ${source} is its name does not tell: give --format.`);
  const found = await suggestFeed({
    input: {
      source: isAddress ? source : relative(dirname(file), resolve(source)),
      format: format as never,
      ...(flags.member !== undefined && { member: flags.member }),
      ...(flags.layer !== undefined && { layer: flags.layer }),
      ...(flags.crs !== undefined && { crs: flags.crs }),
    },
    baseDir: dirname(file),
    file,
    rows: flags.rows,
    head: { name, ...(flags.fips !== undefined && { fips: fiveDigits(flags.fips) }) },
  });
  if (!flags.print) await writeWhole(file, found.text);
  const failed = found.problems.length > 0;
  if (failed && flags.print) printNote(found.problems.join('\n'));
  return [
    { file: flags.print ? null : file, ...found },
    flags.print ? found.text.trimEnd() : renderSuggested(found, file),
    failed ? EXIT.failed : EXIT.ok,
  ];
}

function renderSuggested(
  { kind, fips: county, rows, suggestions, problems }: SuggestedFeed,
  file: string,
): string {
  const said = suggestions?.fields ?? [];
  const mapped = said.flatMap(({ field, mapped: best, others }) =>
    best
      ? [
          {
            field,
            from: best.columns.join(' + '),
            sure: `${Math.floor(100 * best.confidence)} %`,
            why: best.why,
            or: others[0]?.columns.join(' + ') ?? '',
          },
        ]
      : [],
  );
  const unsure = said.filter(({ mapped: best, others }) => best === null && others.length > 0);
  return [
    `${file}: ${kind}, ${county === null ? 'county not known' : `county ${county}`}, from ${rows} rows`,
    ...(suggestions
      ? [
          '',
          `key: ${suggestions.key?.columns.join(' + ') ?? 'none is sure'}`,
          table(mapped, ['field', 'from', 'sure', 'why', 'or']),
        ]
      : []),
    ...(unsure.length > 0
      ? [
          '',
          `Not sure, so not mapped: ${unsure.map(({ field, others }) => `${field} (${others[0]!.columns.join(' + ')}?)`).join(', ')}`,
        ]
      : []),
    '',
    problems.length === 0
      ? `It can run: \`plat feed check ${basename(file).replace(/\.ya?ml$/, '')}\` reads more of it, \`plat feed run\` ingests it.`
      : `Problems:\n${problems.map(problem => `  ${problem}`).join('\n')}`,
  ].join('\n');
}
