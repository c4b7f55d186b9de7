import { endpoints } from '../../api/endpoints.ts';
import { type Endpoint, priceSentence, TAGS } from '../../api/http/endpoint.ts';
import { FEED_KINDS } from '../../shared/model/feed-kinds.ts';
import {
  BUCKET_METRICS,
  keysByMeaning,
  type Metric,
  MORE_METRICS,
} from '../../shared/model/market-metrics.ts';
import { FIELD_GROUPS, fieldsIn, PARCEL_FIELDS } from '../../shared/model/parcel-fields.ts';
import { type Price, tokensText } from '../../shared/model/prices.ts';
import { FILTERS } from '../../shared/parcels/filter/filters.ts';
import { METRICS } from '../../shared/platform/declared-metrics.ts';
import { FILE_FORMATS, type FileFormatSpec, FORMATS } from '../../workers/formats/file-formats.ts';
import { ALL_KINDS } from '../../workers/ingest/all-kinds.ts';

/** Tables and lists in the docs, each between a line with its name and `END`. */
const TABLES: Readonly<Record<string, () => string[]>> = {
  calls,
  fields,
  formats,
  kinds,
  metrics,
  operations,
  statistics,
};

const BEGIN = /^<!-- table of (\w+): written by `npm run generate` -->$/;
const END = '<!-- end of the table -->';

/**
 * A docs page with its tables regenerated.
 * @throws Error for an unknown table or one without an end
 */
export function withTables(page: string): string {
  const lines = page.split('\n');
  const written: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    written.push(line);
    const name = BEGIN.exec(line)?.[1];
    if (name === undefined) continue;
    const table = TABLES[name];
    const end = lines.indexOf(END, i);
    if (table === undefined || end < 0) throw new Error(`the table ${name} is unknown or has no end`);
    written.push(...table(), END);
    i = end;
  }
  return written.join('\n');
}

function fields(): string[] {
  const rows = FIELD_GROUPS.flatMap(group =>
    fieldsIn(group, PARCEL_FIELDS).map(([name, { type, doc, unit }]) => {
      const filters = FILTERS.filter(({ field }) => field === name).map(filter => `\`${filter.name}\``);
      const inUnit = unit === undefined ? '' : `, in ${unit}`;
      return `| \`${name}\` | ${group} | ${type} | ${doc}${inUnit} | ${filters.join(', ')} |`;
    }),
  );
  return ['| field | group | type | meaning | filters |', '|---|---|---|---|---|', ...rows];
}

function formats(): string[] {
  const files: Readonly<Record<string, FileFormatSpec>> = FILE_FORMATS;
  const rows = Object.entries(FORMATS).map(([name, { title, geometry, notes = '' }]) => {
    const extensions = files[name]?.extensions.join(' ') ?? '';
    return `| \`${name}\` | ${title} | ${extensions} | ${geometry ? 'yes' : 'no'} | ${notes} |`;
  });
  return ['| format | what it is | files | shapes | what to know |', '|---|---|---|---|---|', ...rows];
}

function kinds(): string[] {
  const rows = ALL_KINDS.map(({ kind, sections, sharedSections }) => {
    const names = Object.keys({ ...sections, ...sharedSections }).map(name => `\`${name}\``);
    return `| \`${kind}\` | ${FEED_KINDS[kind].name} | ${names.join(', ')} |`;
  });
  return ['| kind | what it contains | sections |', '|---|---|---|', ...rows];
}

const METRIC_SOURCES = {
  process: 'APIs, workers',
  api: 'APIs',
  installation: 'APIs (the same from every API)',
};

function metrics(): string[] {
  const rows = Object.entries(METRICS).map(
    ([name, { of, labels, help }]) =>
      `| \`${name}\` | ${labels.join(', ')} | ${METRIC_SOURCES[of]} | ${help} |`,
  );
  return ['| metric | labels | from | meaning |', '|---|---|---|---|', ...rows];
}

function statistics(): string[] {
  const rowsOf = (place: string, metrics: Readonly<Record<string, Metric>>) =>
    keysByMeaning(metrics).map(
      ({ keys, unit, meaning }) =>
        `| ${place} | ${keys.map(key => `\`${key}\``).join(', ')} | ${unit} | ${meaning} |`,
    );
  const rows = [...rowsOf('`data`', BUCKET_METRICS), ...rowsOf('`more`', MORE_METRICS)];
  return ['| in | keys | unit | meaning |', '|---|---|---|---|', ...rows];
}

const callsOf = (tag: string): Endpoint[] => endpoints.filter(endpoint => endpoint.tag === tag);
const shortPath = ({ path }: Endpoint): string => path.replace('/api/public/v1/', '');

/** The cheapest and most expensive units: "free to 30 tokens". docs/calls.md lists the units. */
function priceRange(own: readonly Endpoint[]): string {
  const free: Price = { tokens: 0 };
  const prices = own.flatMap(({ metering }) => [metering?.price ?? free].flat());
  const least = Math.min(...prices.map(({ tokens, freePerDay }) => (freePerDay ? 0 : tokens)));
  const most = Math.max(...prices.map(({ tokens }) => tokens));
  if (most === 0) return 'free';
  if (least === most) return tokensText(most);
  return `${least === 0 ? 'free' : least} to ${tokensText(most)}`;
}

/** The README's table: one line per group of calls. */
function calls(): string[] {
  const rows = Object.entries(TAGS).map(([tag, text]) => {
    const own = callsOf(tag);
    const places = new Set(own.map(endpoint => `\`${shortPath(endpoint).split('/')[0]}/\``));
    const link = `docs/calls.md#${tag.toLowerCase().replaceAll(' ', '-')}`;
    return `| [${tag}](${link}) | ${[...places].join(', ')} | ${text} | [${priceRange(own)}](${link}) |`;
  });
  return ['| calls | under | what they do | price |', '|---|---|---|---|', ...rows];
}

function operations(): string[] {
  return Object.entries(TAGS).flatMap(([tag, text]) => [
    '',
    `## ${tag}`,
    '',
    text,
    '',
    '| call | what it does | price |',
    '|---|---|---|',
    ...callsOf(tag).map(
      endpoint =>
        `| \`${endpoint.method.toUpperCase()} ${shortPath(endpoint)}\` | ${endpoint.summary} | ${priceSentence(endpoint.metering)} |`,
    ),
  ]);
}
