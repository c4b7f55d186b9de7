import { messageOf, PlatError } from '../../shared/base/errors.ts';
import { formatError, shownUrl } from '../../shared/net/download-context.ts';
import { fileState } from '../../shared/net/file-version.ts';
import { readArcgis } from './arcgis.ts';
import { layerUrl, layerVersion } from './arcgis-layer.ts';
import { clipped } from './clip-rows.ts';
import { readCollection } from './collection.ts';
import { readCsv } from './csv.ts';
import { readDbf } from './dbf.ts';
import { readFixedWidth } from './fixed-width.ts';
import { readFlatGeobuf } from './flatgeobuf.ts';
import { FORMATS, type Format, type InputSpec } from './format-input.ts';
import { readFeatureLines, readObjectLines } from './json.ts';
import { type Part, partsOf } from './parts.ts';
import { readReso } from './reso.ts';
import {
  checkDegrees,
  type FileReader,
  newOutput,
  type Output,
  type ReadContext,
  type RowBatch,
  sizeOf,
  takeBatch,
} from './row-batch.ts';
import { readShapefile } from './shapefile.ts';
import { openSource, type Progress, trackProgress, type Wanted } from './source.ts';

type FileFormat = Exclude<Format, 'reso' | 'arcgis'>;

/** A reader that comes with a library of its own, for which no command should wait that does not need it. */
const later = (load: () => Promise<FileReader>): FileReader =>
  async function* (reading) {
    yield* (await load())(reading);
  };

type Reader = { read: FileReader } & Omit<Wanted, 'member'>;

const READERS: Record<FileFormat, Reader> = {
  csv: { read: readCsv, extensions: ['.csv', '.txt', '.tsv', '.tab', '.psv'] },
  geojson: { read: readCollection, extensions: ['.geojson', '.json'] },
  ndgeojson: {
    read: readFeatureLines,
    extensions: [
      '.ndgeojson',
      '.geojsonl',
      '.geojsons',
      '.geojsonseq',
      '.ndjson',
      '.jsonl',
      '.geojson',
      '.json',
    ],
  },
  shapefile: { read: readShapefile, extensions: ['.shp'] },
  dbf: { read: readDbf, extensions: ['.dbf'] },
  flatgeobuf: { read: readFlatGeobuf, extensions: ['.fgb'] },
  ndjson: { read: readObjectLines, extensions: ['.ndjson', '.jsonl', '.json'] },
  geopackage: {
    read: later(async () => (await import('./geopackage.ts')).readGeoPackage),
    extensions: ['.gpkg'],
  },
  fixed_width: { read: readFixedWidth, extensions: ['.txt', '.dat', '.asc', '.fix'] },
  xlsx: {
    read: later(async () => (await import('./xlsx.ts')).readXlsx),
    extensions: ['.xlsx', '.xlsm'],
    zipHolds: '[Content_Types].xml',
  },
  access: {
    read: later(async () => (await import('./access.ts')).readAccess),
    extensions: ['.mdb', '.accdb'],
  },
  filegdb: {
    read: later(async () => (await import('./filegdb.ts')).readFileGdb),
    extensions: ['.gdb'],
    folderHolds: 'a00000001.gdbtable',
  },
  parquet: {
    read: later(async () => (await import('./parquet.ts')).readParquet),
    extensions: ['.parquet', '.geoparquet', '.pq'],
  },
};

/**
 * Reads the rows of a feed's source in batches of about 1,000, in file order, holding one batch and a few chunks
 * of the file at a time. Stopping early (`return`, an aborted signal) closes files and removes downloads.
 * @throws PlatError `feed_source` (missing, unreachable, cut off, too large), `feed_format` (not what the feed says
 *   it is), `feed_crs` (unknown or missing CRS); single unusable rows are in `bad` instead
 */
export const readInput = (spec: InputSpec, context: ReadContext): AsyncGenerator<RowBatch> =>
  clipped(readAll(spec, context), spec);

async function* readAll(spec: InputSpec, context: ReadContext): AsyncGenerator<RowBatch> {
  if (spec.format === 'reso') {
    yield* readReso(spec, context);
    return;
  }
  const sources = typeof spec.source === 'string' ? [spec.source] : spec.source;
  const output = newOutput(spec.crs);
  const progress = trackProgress(context, sources.length === 1);
  for (const source of sources) {
    const one = { ...spec, source };
    if (spec.format === 'arcgis')
      yield* batchesOf(readArcgis(one, output, context, progress), output, shownUrl(layerUrl(source)));
    else
      for (const part of await partsOf(one, READERS[spec.format].extensions, context))
        yield* readFile(spec.format, part, output, context, progress);
  }
}

async function* readFile(
  format: FileFormat,
  spec: Part,
  output: Output,
  context: ReadContext,
  progress: Progress,
): AsyncGenerator<RowBatch> {
  const { read, ...wanted } = READERS[format];
  const opened = await openSource(spec.source, { ...wanted, member: spec.member }, context, progress);
  try {
    yield* batchesOf(read({ source: opened, spec, output, context }), output, opened.name);
  } catch (cause) {
    context.signal.throwIfAborted();
    if (cause instanceof PlatError || (cause instanceof Error && 'syscall' in cause)) throw cause;
    const what = `${opened.name} cannot be read as ${FORMATS[format]}`;
    throw formatError(`${what} (${messageOf(cause)}). Check the format and the file.`, cause);
  } finally {
    await opened.close();
  }
}

/** The batches of one source; the first one is looked at for coordinates that are no degrees. */
async function* batchesOf(
  reader: AsyncGenerator<void>,
  output: Output,
  name: string,
): AsyncGenerator<RowBatch> {
  takeBatch(output);
  const take = () => {
    const batch = takeBatch(output);
    if (first) checkDegrees(batch, name);
    first = false;
    return batch;
  };
  let first = true;
  for await (const _ of reader) yield take();
  if (sizeOf(output.batch) > 0) yield take();
}

/** What tells one state of a source from another without reading it, or null where nothing does. @throws PlatError as reading would */
export async function sourceVersion(spec: InputSpec, context: ReadContext): Promise<string | null> {
  if (spec.format === 'arcgis') return layerVersion(spec, context);
  const sources = [spec.source].flat();
  // A bare .shp may stay while its table changes.
  if (spec.format === 'reso' || !sources.every(source => /^https?:\/\/(?!.*\.shp$)/i.test(source)))
    return null;
  const versions: string[] = [];
  for (const source of sources) {
    const state = await fileState(new URL(source), context);
    if (state?.version == null) return null;
    versions.push(state.version);
  }
  return versions.join('\n');
}

/** The format that a file's name tells, or null; a zip whose name does not say what it holds is taken for a shapefile. */
export function formatOf(name: string): Format | null {
  const plain = name
    .toLowerCase()
    .replace(/[?#].*$/, '')
    .replace(/\.gz$/, '');
  if (/\/(map|feature)server(\/\d+)?\/?$/.test(plain)) return 'arcgis';
  const bare = plain.replace(/\.zip$/, '');
  const found = Object.entries(READERS).find(([, { extensions }]) =>
    extensions.some(end => bare.endsWith(end)),
  );
  return (found?.[0] as Format | undefined) ?? (bare === plain ? null : 'shapefile');
}
