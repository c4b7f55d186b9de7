import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { extname } from 'node:path';
import { type Export, type NewExport, orderExport, type Plat, PlatError, waitForExport } from '../index.ts';
import { reasonsOf } from '../results.ts';
import { downloadParts } from './download.ts';
import {
  COMMON,
  connectWith,
  figure,
  readFilter,
  readOptions,
  report,
  UsageError,
  urlOf,
} from './options.ts';
import { replaceFile } from './replace-file.ts';

const FORMATS: Record<string, NewExport['format']> = {
  '.csv': 'csv',
  '.parquet': 'geoparquet',
  '.gpkg': 'gpkg',
  '.xlsx': 'xlsx',
  '.fgb': 'fgb',
  '.geojsonl': 'geojsonl',
  '.kml': 'kml',
};

/** What a run that was killed left behind. `id` is known once the service has accepted the order. */
type State = { order: NewExport; key: string; id?: string };

/** Orders a file of parcels, and downloads it. Run again after an interruption, it continues. */
export async function pull(args: string[]): Promise<void> {
  const { values, positionals } = readOptions({
    args,
    allowPositionals: true,
    options: {
      ...COMMON,
      out: { type: 'string' },
      columns: { type: 'string' },
      list: { type: 'string' },
      'most-tokens': { type: 'string' },
    },
  });
  const { out } = values;
  const format = FORMATS[extname(out ?? '').toLowerCase()];
  if (out === undefined || format === undefined)
    throw new UsageError(`Name the file with --out, ending in ${Object.keys(FORMATS).join(', ')}.`);
  if (isFinished(out)) return report(`${out} was already complete.`);
  if (existsSync(out)) throw new UsageError(`${out} exists. Delete it, or name another file with --out.`);
  const most = values['most-tokens'];
  if (most !== undefined && !/^\d+$/.test(most))
    throw new UsageError('--most-tokens takes a number of tokens.');
  if (values.list !== undefined && positionals.length > 0)
    throw new UsageError('Enter a filter or --list, not both.');
  const plat = connectWith(values);
  const order: NewExport = {
    ...(values.list === undefined
      ? { filter: await readFilter(plat, positionals) }
      : { list_id: values.list }),
    format,
    ...(values.columns !== undefined && { columns: values.columns.split(',') }),
    ...(most !== undefined && { most_tokens: Number(most) }),
  };
  await pullFile(plat, order, out, urlOf(values.url ?? process.env.PLAT_URL));
}

/** Whether an earlier run was killed right after it had put the file in its place. */
function isFinished(out: string): boolean {
  const isBetween = existsSync(out) && existsSync(stateOf(out));
  if (isBetween) rmSync(stateOf(out));
  return isBetween;
}

const stateOf = (out: string): string => `${out}.pull`;

async function pullFile(plat: Plat, order: NewExport, out: string, origin: string): Promise<void> {
  const stateFile = stateOf(out);
  const partial = `${out}.part`;
  const interrupted = readState(stateFile, order);
  if (interrupted === undefined) rmSync(partial, { force: true });
  const state: State = interrupted ?? { order, key: crypto.randomUUID() };
  // Written before the order, so that a run that is killed in between doesn't order twice.
  replaceFile(stateFile, state);
  if (state.id === undefined) {
    // A refused order leaves nothing to continue.
    state.id = (
      await orderExport(plat, order, state.key).catch(forget(stateFile, status => status < 500))
    ).id;
    replaceFile(stateFile, state);
    report('The file is ordered.');
  }
  const file = await waitForExport(plat, state.id).catch(forget(stateFile, status => status === 404));
  if (file.state !== 'ready') {
    rmSync(stateFile);
    rmSync(partial, { force: true });
    throw new Error(whyNot(file));
  }
  await downloadParts(file.parts, partial, origin);
  renameSync(partial, out);
  rmSync(stateFile);
  report(`${out} has ${plural(file.rows, 'row')}. ${costOf(file)}`);
}

const plural = (n: number | null, one: string): string => `${figure(n)} ${n === 1 ? one : `${one}s`}`;

/** Rows that were paid for before are free. */
const costOf = ({ rows, tokens }: Export): string =>
  rows && tokens === 0
    ? 'It was free, because all rows were already paid for.'
    : `It cost ${plural(tokens, 'token')}.`;

/** Deletes the file if the service's refusal is final. */
const forget =
  (stateFile: string, isFinal: (status: number) => boolean) =>
  (error: unknown): never => {
    if (error instanceof PlatError && isFinal(error.status)) rmSync(stateFile);
    throw error;
  };

/** An export expires if it isn't downloaded within a week. */
function whyNot({ state, error }: Export): string {
  if (error === undefined) return `The export is ${state}. Run the command again to order it again.`;
  return [error.message, ...reasonsOf(error.details)].join('\n  ');
}

/** @throws UsageError if the interrupted run had other options */
function readState(stateFile: string, order: NewExport): State | undefined {
  if (!existsSync(stateFile)) return undefined;
  const state = JSON.parse(readFileSync(stateFile, 'utf8')) as State;
  if (JSON.stringify(state.order) === JSON.stringify(order)) return state;
  throw new UsageError(
    `${stateFile} belongs to an interrupted run with other options. Repeat that command, or delete the file.`,
  );
}
