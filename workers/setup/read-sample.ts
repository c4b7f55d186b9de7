import { PlatError } from '../../shared/platform/errors.ts';
import { formatError } from '../../shared/platform/http/download-context.ts';
import { type PresetName, readPreset } from '../feeds/presets.ts';
import { measuredAcres } from '../feeds/suggest/column-profile.ts';
import type { Sample as ColumnSample } from '../feeds/suggest/suggest-columns.ts';
import { type LayerInfo, readLayerInfo } from '../formats/arcgis-layer.ts';
import { areValues, isNameless, NO_HEADER } from '../formats/column-names.ts';
import { FORMATS, type FormatSpec } from '../formats/file-formats.ts';
import { type InputSection, type InputSpec, inputSpec, readWindow } from '../formats/format-input.ts';
import { readInput } from '../formats/read-format.ts';
import { isTooDeep, type ReadContext, type RowBatch, TOO_DEEP } from '../formats/row-batch.ts';
import { ALL_KINDS } from '../ingest/all-kinds.ts';
import { checkContext, noUsableRows } from '../ingest/engine/dry-run.ts';
import { columnsOf } from '../ingest/engine/source-columns.ts';

/** How to read the first rows of sources. */
export type SampleRequest = {
  /** Base folder for relative paths. */
  baseDir: string;
  rows: number;
  fips?: string | undefined;
  /** The preset, for a source in a known schema. */
  preset?: PresetName | undefined;
  sharedDir?: string | undefined;
  /** Default: a signal that never aborts. */
  signal?: AbortSignal | undefined;
};

export type Sample = {
  /** The input, with the number of title lines to skip, if any. */
  input: InputSection;
  spec: InputSpec;
  batch: RowBatch;
  names: string[];
  layer: LayerInfo | null;
};

export async function readSample(input: InputSection, request: SampleRequest): Promise<Sample> {
  const context = readContext(request);
  const fipsCode = request.fips === undefined ? null : Number(request.fips);
  const written = request.preset ? readPreset(request.preset).input : {};
  const spec = {
    ...inputSpec({ ...written, ...input }),
    ...readWindow(input, fipsCode, 'parcels', refuse),
  };
  const layer = spec.format === 'arcgis' ? await readLayerInfo(spec, context) : null;
  const { batch, titles } = await rowsBelowTitles(spec, context, request.rows);
  const skipped = titles === 0 ? {} : { skip_lines: titles };
  return {
    input: { ...input, ...skipped },
    spec: { ...spec, ...skipped },
    batch,
    names: columnsOf(batch.rows),
    layer,
  };
}

/** The columns of a sample with their values, in the form that suggestions use. */
export function columnsSampled({ names, batch, layer }: Sample, key?: string): ColumnSample {
  const aliases = new Map(layer?.fields.map(({ name, alias }) => [name, alias]));
  return {
    columns: names.map(name => ({
      name,
      alias: aliases.get(name),
      values: batch.rows.map(({ values }) => values[name]),
    })),
    acres: measuredAcres(batch.rows),
    key,
  };
}

function refuse(message: string): never {
  throw formatError(`within: ${message}.`);
}

/** The context for reading a sample. Without `rows`, reads the whole source. */
export function readContext({
  baseDir,
  rows,
  sharedDir,
  signal,
}: Omit<SampleRequest, 'rows'> & { rows?: number | undefined }): ReadContext {
  // Someone is waiting, so try three times instead of retrying for half a minute as a run does.
  const limits = { tries: 3 };
  return {
    ...checkContext(baseDir),
    ...(rows !== undefined && { rows }),
    limits,
    ...(sharedDir !== undefined && { sharedDir }),
    ...(signal && { signal }),
  };
}

/** Maximum number of title lines above the header of a table. */
const MAX_TITLES = 10;

/**
 * The first rows of a source. In a table with title lines, these are the rows below the line with the column
 * names.
 */
async function rowsBelowTitles(spec: InputSpec, context: ReadContext, wanted: number): Promise<Titled> {
  const { mayHaveTitles }: FormatSpec = FORMATS[spec.format];
  const isGiven = spec.header !== undefined || spec.skip_lines !== undefined;
  if (!mayHaveTitles || isGiven) return { batch: await firstRows(spec, context, wanted), titles: 0 };
  let first: unknown;
  let best: (Titled & { named: number }) | null = null;
  for (let titles = 0; titles <= MAX_TITLES; titles++) {
    try {
      const read = titles === 0 ? spec : { ...spec, skip_lines: titles };
      const batch = await firstRows(read, context, wanted);
      const names = columnsOf(batch.rows);
      const isTable = batch.rows.length >= batch.bad.length;
      const own = names.filter(name => !isNameless(name));
      const isHeader = titles === 0 ? !areValues(names) : own.every(isColumnName);
      // A header may leave some columns unnamed. If most are unnamed, the line may be a title above the
      // header.
      const isClear = titles === 0 ? own.length >= names.length / 2 : own.length === names.length;
      if (isTable && isHeader && isClear) return { batch, titles };
      if (isTable && isHeader && own.length > (best?.named ?? 0)) best = { batch, titles, named: own.length };
      first ??= formatError(
        `${[spec.source].flat()[0]}: ${isTable ? `${NO_HEADER}.` : 'most rows have a different number of columns than the header.'}`,
      );
    } catch (error) {
      if (!(error instanceof PlatError) || error.code !== 'feed_format') throw error;
      first ??= error;
    }
  }
  if (best !== null) return best;
  throw first;
}

type Titled = { batch: RowBatch; titles: number };

/** Whether text can be a column name. Numbers and dates are a row's values. */
const isColumnName = (name: string): boolean =>
  /[a-z]/i.test(name) && !/^\d+[\s/-]/.test(name) && name.length <= 64;

async function firstRows(input: InputSpec, context: ReadContext, wanted: number): Promise<RowBatch> {
  const sample: RowBatch = { rows: [], bad: [] };
  for await (const { rows, bad } of readInput(input, context)) {
    for (const row of rows) {
      if (isTooDeep(row)) sample.bad.push({ ...TOO_DEEP, rowNo: row.rowNo, raw: '' });
      else sample.rows.push(row);
    }
    sample.bad.push(...bad);
    if (sample.rows.length >= wanted || sample.bad.length >= wanted) break;
  }
  if (sample.rows.length === 0) throw formatError(`${[input.source].flat()[0]}: ${noUsableRows(sample.bad)}`);
  sample.rows = sample.rows.slice(0, wanted);
  return sample;
}

/** The kind of feed that a source's columns suggest. Default: parcels. */
export function kindOfColumns(names: readonly string[]): string {
  const there = new Set(names.map(name => name.toUpperCase()));
  const has = (column: string) => there.has(column) || there.has(column.slice(0, 10));
  return ALL_KINDS.find(kind => kind.isKnownBy?.(has))?.kind ?? 'assessor';
}
