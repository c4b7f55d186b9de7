import type { Geometry } from 'geojson';
import type { OpenContext } from '../../shared/net/context.ts';
import { trackProgress } from './bytes.ts';
import { readCollection } from './collection.ts';
import { readCsv } from './csv.ts';
import { readDbf } from './dbf.ts';
import { readFlatGeobuf } from './flatgeobuf.ts';
import { readFeatureLines, readObjectLines } from './json.ts';
import { checkDegrees, newOutput, type Output, takeRest } from './output.ts';
import { type ResoCheckpoint, type ResoSpec, readReso } from './reso.ts';
import { readShapefile } from './shapefile.ts';
import { type OpenedSource, openSource } from './source.ts';

/**
 * One row as its file has it. `rowNo` counts from 1 in the order of the file, over all files of a source. `values`
 * holds the columns under the file's own names; blank cells of CSV and dBASE are null; a GeoJSON feature's `id` is
 * `values.$id`. Text keeps its case and inner spaces. `geometry` is in WGS84 degrees, unrepaired.
 */
export type SourceRow = { rowNo: number; values: Record<string, unknown>; geometry: Geometry | null };

export type BadReason = 'unreadable_row' | 'ragged_row' | 'row_too_long' | 'unreadable_geometry';

/** A row that the parser itself cannot use. `raw` is its text, cut after 64 KB. */
export type BadRow = { rowNo: number; reason: BadReason; field: string | null; message: string; raw: string };

export type RowBatch = {
  rows: SourceRow[];
  bad: BadRow[];
  /** RESO alone: where to go on once this batch is stored. */
  checkpoint?: ResoCheckpoint;
};

export const FORMATS = [
  'csv',
  'geojson',
  'ndgeojson',
  'shapefile',
  'dbf',
  'flatgeobuf',
  'ndjson',
  'reso',
] as const;
export type Format = (typeof FORMATS)[number];

export type InputSpec = {
  /** Paths, `file:` or http(s) URLs; several are read one after the other as one. */
  source: string | string[];
  format: Format;
  /** Wins over what the file says. Default: the file's own, else WGS84. */
  crs?: string;
  /** Default: see the rule in text.ts and dbf.ts. */
  encoding?: string;
  /** CSV: default is the most frequent of comma, tab, pipe and semicolon in the first line. */
  delimiter?: string;
  /** CSV: default `"`; an empty string for files without quoting. */
  quote?: string;
  /** CSV: false when the first line is data (columns are then column_1 …). A list names the columns, for dBASE too. */
  header?: boolean | string[];
  /** The file meant in a zip that holds several. */
  member?: string;
  reso?: ResoSpec;
};

export type ReadContext = OpenContext & {
  env: NodeJS.ProcessEnv;
  /** The last checkpoint that was stored for this feed. */
  watermark?: ResoCheckpoint | null;
};

type FileFormat = Exclude<Format, 'reso'>;

/** A reader yields full batches, leaves the rest in `output`, and throws PlatError for what ends the file. */
export type FileReader = (
  source: OpenedSource,
  spec: InputSpec,
  output: Output,
  context: ReadContext,
) => AsyncGenerator<RowBatch>;

const READERS: Record<FileFormat, { read: FileReader; extensions: string[] }> = {
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
};

/**
 * Reads the rows of a feed's source in batches of about 1,000, in file order, holding one batch and a few chunks
 * of the file at a time. Stopping early (`return`, an aborted signal) closes files and removes downloads.
 * @throws PlatError `feed_source` (missing, unreachable, cut off, too large), `feed_format` (not what the feed says
 *   it is), `feed_crs` (unknown or missing CRS); single unusable rows are in `bad` instead
 */
export async function* readInput(spec: InputSpec, context: ReadContext): AsyncGenerator<RowBatch> {
  if (spec.format === 'reso') {
    yield* readReso(spec, context);
    return;
  }
  const sources = typeof spec.source === 'string' ? [spec.source] : spec.source;
  const { read, extensions } = READERS[spec.format];
  const output = newOutput(spec.crs);
  const progress = trackProgress(context, sources.length === 1);
  for (const source of sources) {
    const opened = await openSource(source, { extensions, member: spec.member }, context, progress);
    try {
      let first = true;
      for await (const batch of read(opened, spec, output, context)) {
        if (first) checkDegrees(batch, opened.name);
        first = false;
        yield batch;
      }
      const rest = takeRest(output);
      if (rest === null) continue;
      if (first) checkDegrees(rest, opened.name);
      yield rest;
    } finally {
      await opened.close();
    }
  }
}
