import { deserialize } from 'flatgeobuf/lib/mjs/geojson.js';
import type { HeaderMeta } from 'flatgeobuf/lib/mjs/header-meta.js';
import { formatError, sourceError } from '../open/context.ts';
import type { OpenedSource } from '../open/source.ts';
import { addRow, type Output, takeFull, useCrs } from './output.ts';
import type { InputSpec, ReadContext, RowBatch } from './rows.ts';

/** FlatGeobuf, streamed in file order; its spatial index is passed over. */
export async function* readFlatGeobuf(
  source: OpenedSource,
  _spec: InputSpec,
  output: Output,
  _context: ReadContext,
): AsyncGenerator<RowBatch> {
  const { name } = source;
  let header: HeaderMeta | null = null;
  const headerMetaFn = (meta: HeaderMeta) => {
    header = meta;
    useCrs(output, crsOf(meta), name);
  };
  const chunks = source.bytes();
  let features = 0;
  try {
    for await (const feature of deserialize(ReadableStream.from(chunks), { headerMetaFn })) {
      features++;
      const values = feature.properties ?? {};
      addRow(output, values, feature.geometry, () => JSON.stringify(values));
      const full = takeFull(output);
      if (full !== null) yield full;
    }
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'PlatError') throw cause;
    throw formatError(
      `${name} cannot be read as FlatGeobuf (${(cause as Error).message}). Check the format and the file.`,
      cause,
    );
  } finally {
    await chunks.return(undefined);
  }
  requireComplete(header, features, name);
}

/** A count of 0 stands for "not known". */
function requireComplete(header: HeaderMeta | null, features: number, name: string): void {
  if (header === null)
    throw formatError(`${name} is not a FlatGeobuf file. Check the feed's format and the file.`);
  if (header.featuresCount > features) {
    throw sourceError(
      `${name} is cut off: it holds ${features} of ${header.featuresCount} features. Fetch or copy it again.`,
    );
  }
}

function crsOf(header: HeaderMeta): string | null {
  const { crs } = header;
  if (crs === null || (crs.code === 0 && !crs.wkt)) return null;
  return crs.wkt || `${crs.org ?? 'EPSG'}:${crs.code}`;
}
