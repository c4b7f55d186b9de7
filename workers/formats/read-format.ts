import { shownUrl } from '../../shared/net/download-context.ts';
import { fileState } from '../../shared/net/file-version.ts';
import { readArcgis } from './arcgis.ts';
import { layerUrl, layerVersion } from './arcgis-layer.ts';
import { readInChild } from './child-reader.ts';
import { clipped } from './clip-rows.ts';
import { readCollection } from './collection.ts';
import { readCsv } from './csv.ts';
import { readDbf } from './dbf.ts';
import { readFileGdb } from './filegdb.ts';
import { readFixedWidth } from './fixed-width.ts';
import { FORMATS, type Format, type InputSpec } from './format-input.ts';
import { readFeatureLines, readObjectLines } from './json.ts';
import { LIBRARY_READERS, type LibraryFormat } from './library-readers.ts';
import { type Part, partsOf } from './parts.ts';
import { batchesOf, type FileKind, readFile } from './read-file.ts';
import { readReso } from './reso.ts';
import { type FileReader, newOutput, type Output, type ReadContext, type RowBatch } from './row-batch.ts';
import { type Progress, trackProgress } from './source.ts';

type FileFormat = Exclude<Format, 'reso' | 'arcgis'>;

type Kind = Omit<FileKind, 'title'>;

/** Those without a reader have one in library-readers.ts. */
const READERS: Record<LibraryFormat, Kind> &
  Record<Exclude<FileFormat, LibraryFormat>, Kind & { read: FileReader }> = {
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
  shapefile: { extensions: ['.shp'], siblings: ['.dbf', '.prj', '.cpg'] },
  dbf: { read: readDbf, extensions: ['.dbf'] },
  flatgeobuf: { extensions: ['.fgb'] },
  ndjson: { read: readObjectLines, extensions: ['.ndjson', '.jsonl', '.json'] },
  geopackage: { extensions: ['.gpkg'] },
  fixed_width: { read: readFixedWidth, extensions: ['.txt', '.dat', '.asc', '.fix'] },
  xlsx: { extensions: ['.xlsx', '.xlsm'], zipHolds: '[Content_Types].xml' },
  access: { extensions: ['.mdb', '.accdb'] },
  filegdb: { read: readFileGdb, extensions: ['.gdb'], folderHolds: 'a00000001.gdbtable' },
  parquet: { extensions: ['.parquet', '.geoparquet', '.pq'] },
};

/**
 * Reads the rows of a feed's source in batches of about 1,000, in file order, holding one
 * batch and a few chunks of the file at a time. Stopping early (`return`, an aborted signal) closes files and
 * removes downloads.
 * @throws PlatError `feed_source` (missing, unreachable, cut off, too large), `feed_format` (not
 * what the feed says
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
        yield* readPart(spec.format, part, output, context, progress);
  }
}

function readPart(
  format: FileFormat,
  part: Part,
  output: Output,
  context: ReadContext,
  progress: Progress,
): AsyncGenerator<RowBatch> {
  const kind = kindOf(format);
  if (isLibraryFormat(format)) return readInChild(format, kind, part, output, context, progress);
  return readFile(READERS[format].read, kind, part, output, context, progress);
}

/** How files of a format are opened. */
export function kindOf(format: FileFormat): FileKind {
  const { extensions, siblings, zipHolds, folderHolds } = READERS[format];
  return { title: FORMATS[format], extensions, siblings, zipHolds, folderHolds };
}

const isLibraryFormat = (format: FileFormat): format is LibraryFormat => format in LIBRARY_READERS;

/**
 * What tells one state of a source from another without reading it, or null where nothing does. @throws
 * PlatError as reading would
 */
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

/**
 * The format that a file's name tells, or null; a zip whose name does not say what it holds is
 * taken for a shapefile.
 */
export function formatOf(name: string): Format | null {
  const plain = name
    .toLowerCase()
    .replace(/[?#].*$/, '')
    .replace(/\.gz$/, '');
  if (/\/(map|feature)server(\/\d+)?\/?$/.test(plain)) return 'arcgis';
  const bare = plain.replace(/\.zip$/, '');
  const match = Object.entries(READERS).find(([, { extensions }]) =>
    extensions.some(end => bare.endsWith(end)),
  );
  return (match?.[0] as Format | undefined) ?? (bare === plain ? null : 'shapefile');
}
