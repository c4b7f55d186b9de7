import { redactUrl } from '../../shared/platform/http/download-context.ts';
import { fetchFileVersion } from '../../shared/platform/http/file-version.ts';
import { readArcgis } from './arcgis.ts';
import { layerUrl, layerVersion } from './arcgis-layer.ts';
import { readInChild } from './child-reader.ts';
import { clipRows } from './clip-rows.ts';
import {
  FILE_FORMATS,
  type FileFormat,
  type FileFormatSpec,
  type Format,
  fileFormat,
} from './file-formats.ts';
import type { InputSpec } from './format-input.ts';
import { type Part, partsOf } from './parts.ts';
import { batchesOf, type FileKind, readFile } from './read-file.ts';
import { readReso } from './reso.ts';
import { newOutput, type Output, type ReadContext, type RowBatch } from './row-batch.ts';
import { type Progress, trackProgress } from './source.ts';

/**
 * Reads the rows of a feed's source in batches of about 1,000, in file order, holding one batch and a few
 * chunks of the file at a time. Stopping early (`return`, an aborted signal) closes files and removes
 * downloads.
 * @throws PlatError `feed_source` (missing, unreachable, cut off, too large), `feed_format` (not in the
 *   feed's format), `feed_crs` (unknown or missing CRS). Individual unusable rows are in `bad` instead
 */
export const readInput = (spec: InputSpec, context: ReadContext): AsyncGenerator<RowBatch> =>
  clipRows(readAll(spec, context), spec);

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
      yield* batchesOf(readArcgis(one, output, context, progress), output, redactUrl(layerUrl(source)));
    else
      for (const part of await partsOf(one, kindOf(spec.format), context))
        yield* readPart(spec.format, part, output, context, progress);
  }
}

async function* readPart(
  format: FileFormat,
  part: Part,
  output: Output,
  context: ReadContext,
  progress: Progress,
): AsyncGenerator<RowBatch> {
  const kind = kindOf(format);
  const { load, maxMb } = fileFormat(format);
  if (maxMb !== undefined) yield* readInChild(format, maxMb, kind, part, output, context, progress);
  else yield* readFile(await load(), kind, part, output, context, progress);
}

/** How to open files in a format, as plain data that another process can use too. */
export function kindOf(format: FileFormat): FileKind {
  const { title, extensions, members, siblings, zipHolds, folderHolds } = fileFormat(format);
  return { title, extensions, members, siblings, zipHolds, folderHolds };
}

/**
 * Identifies a source's version without reading it. Null if that isn't possible.
 * @throws the PlatErrors that reading throws
 */
export async function sourceVersion(spec: InputSpec, context: ReadContext): Promise<string | null> {
  if (spec.format === 'arcgis') return layerVersion(spec, context);
  const sources = [spec.source].flat();
  // An unzipped .shp can stay the same while its table changes.
  if (spec.format === 'reso' || !sources.every(source => /^https?:\/\/(?!.*\.shp$)/i.test(source)))
    return null;
  const versions: string[] = [];
  for (const source of sources) {
    const state = await fetchFileVersion(new URL(source), context);
    if (state?.version == null) return null;
    versions.push(state.version);
  }
  return versions.join('\n');
}

/** The format for a file name, or null. A zip with an unclear name is treated as a shapefile. */
export function formatOf(name: string): Format | null {
  const plain = name
    .toLowerCase()
    .replace(/[?#].*$/, '')
    .replace(/\.gz$/, '');
  if (/\/(map|feature)server(\/\d+)?\/?$/.test(plain)) return 'arcgis';
  const bare = plain.replace(/\.zip$/, '');
  const match = Object.entries<FileFormatSpec>(FILE_FORMATS).find(([, { extensions }]) =>
    extensions.some(end => bare.endsWith(end)),
  );
  return (match?.[0] as Format | undefined) ?? (bare === plain ? null : 'shapefile');
}
