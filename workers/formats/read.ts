import { readCollection } from './collection.ts';
import { readCsv } from './csv.ts';
import { readDbf } from './dbf.ts';
import { readFlatGeobuf } from './flatgeobuf.ts';
import { readFeatureLines, readObjectLines } from './json.ts';
import { readReso } from './reso.ts';
import {
  checkDegrees,
  type FileReader,
  type Format,
  type InputSpec,
  newOutput,
  type ReadContext,
  type RowBatch,
  takeRest,
} from './rows.ts';
import { readShapefile } from './shapefile.ts';
import { openSource, trackProgress } from './source.ts';

type FileFormat = Exclude<Format, 'reso'>;

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
      for await (const batch of read({ source: opened, spec, output, context })) {
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
