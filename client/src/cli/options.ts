import { readFileSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { connect, type Plat, unwrap } from '../index.ts';

/** The command line is wrong. */
export class UsageError extends Error {}

/** Options of every command. */
export const COMMON = {
  url: { type: 'string' },
  'key-file': { type: 'string' },
} as const;

/** @throws UsageError */
export function readOptions<Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** @throws UsageError */
export function connectWith(values: { url?: string | undefined; 'key-file'?: string | undefined }): Plat {
  const { PLAT_URL, PLAT_KEY } = process.env;
  const file = values['key-file'];
  const key = file === undefined ? PLAT_KEY : readFileSync(file, 'utf8').trim();
  if (!key)
    throw new UsageError('Set PLAT_KEY to your API key, or name a file that has it with --key-file FILE.');
  return connect({ baseUrl: urlOf(values.url ?? PLAT_URL), key });
}

/** @throws UsageError */
export function urlOf(url = 'http://127.0.0.1:3000'): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(
      `${url} is not an address, such as https://plat.example.com. Set PLAT_URL, or --url.`,
    );
  return url;
}

/**
 * A filter from arguments such as `county=33019 acres_min=5`, or from one argument of JSON. Lists are
 * separated by commas.
 * @throws UsageError
 */
export async function readFilter(plat: Plat, args: string[]): Promise<Record<string, unknown>> {
  const [first] = args;
  if (first === undefined) throw new UsageError('Enter a filter, such as county=33019 acres_min=5.');
  if (first.startsWith('{')) {
    if (args.length > 1)
      throw new UsageError('Enter the filter as one JSON argument, or as name=value pairs.');
    return parseJson(first);
  }
  const { filters } = await unwrap(plat.GET('/api/public/v1/filters/'));
  const types = new Map(filters.map(({ name, type }) => [name, type]));
  const pairs = args.map(arg => {
    const at = arg.indexOf('=');
    if (at < 1) throw new UsageError(`${arg} is not a name=value pair, such as county=33019.`);
    const name = arg.slice(0, at);
    const type = types.get(name);
    if (type === undefined)
      throw new UsageError(`${name} is not a filter. GET filters/ and the API documentation list them.`);
    return [name, castTo(type, arg.slice(at + 1))] as const;
  });
  const twice = pairs.find(([name], at) => pairs.findIndex(([other]) => other === name) !== at);
  if (twice !== undefined)
    throw new UsageError(`${twice[0]} appears twice. Separate the values of a list with commas.`);
  return Object.fromEntries(pairs);
}

/** The service checks the values, and reports those that are wrong. */
function castTo(type: string, text: string): unknown {
  if (/^[[{]/.test(text)) return parseJson(text);
  if (type === 'list of strings') return text.split(',');
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return /^(number|integer)$/.test(type) && text.trim() !== '' && !Number.isNaN(Number(text))
    ? Number(text)
    : text;
}

function parseJson(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${text} is not valid JSON.`);
  }
}

export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** For progress, so that standard output has only results. */
export const report = (text: string): void => void process.stderr.write(`${text}\n`);

export const figure = (value: number | null | undefined): string =>
  value === null || value === undefined ? '-' : value.toLocaleString('en-US');

/** Rows of text in columns, the first aligned left and the others right. */
export function table(lines: string[][]): string {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map(line => line[column]!.length)));
  const pad = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[0]!) : text.padStart(widths[column]!);
  return lines.map(line => line.map(pad).join('  ')).join('\n');
}
