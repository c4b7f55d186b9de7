import { Readable } from 'node:stream';
import type { Geometry } from 'geojson';
import { openShp } from 'shapefile';
import { formatError, sourceError, truncatedError } from '../../shared/net/download-context.ts';
import { dbfRecords } from './dbf.ts';
import { addRow, type FileRead, isFull } from './row-batch.ts';
import type { SourceFile } from './source.ts';
import { CHUNK_BYTES } from './unpacked.ts';
import { useCrs } from './use-crs.ts';

/**
 * `.shp` and `.dbf` side by side, with `.prj` and `.cpg` where there; Z and M are dropped. A deleted record
 * keeps its row number.
 */
export async function* readShapefile({ source, spec, output }: FileRead): AsyncGenerator<void> {
  const { name } = source;
  if (/\.(dbf|shx|prj)$/i.test(name)) throw formatError(`${name}: name the .shp file as the feed's source.`);
  const dbf = await source.sibling('.dbf');
  if (dbf === null)
    throw sourceError(`${name} has no .dbf beside it, which holds its columns. Put it there.`);
  const prj = await source.sibling('.prj');
  useCrs(output, prj === null ? null : await readSmall(prj), name);
  const shapes = await openShapes(source);
  try {
    for await (const records of dbfRecords(dbf, spec, await source.sibling('.cpg'))) {
      for (const record of records) {
        const geometry = await shapes.next();
        if (geometry === END) throw differ(name);
        if (record === null) output.rowNo++;
        else addRow(output, record, orient(geometry), () => JSON.stringify(record));
        if (isFull(output)) yield;
      }
    }
    if ((await shapes.next()) !== END) throw differ(name);
  } finally {
    await shapes.close();
  }
}

/**
 * Shapefiles wind rings the other way round than GeoJSON (shells clockwise), so that a shapefile as it should
 * be needs no repair of its winding.
 */
function orient(geometry: Geometry | null): Geometry | null {
  if (geometry?.type === 'Polygon') for (const ring of geometry.coordinates) ring.reverse();
  if (geometry?.type === 'MultiPolygon') {
    for (const polygon of geometry.coordinates) for (const ring of polygon) ring.reverse();
  }
  return geometry;
}

const END = Symbol('end');

type Shapes = { next(): Promise<Geometry | null | typeof END>; close(): Promise<void> };

/**
 * The geometries of a `.shp`. The library leaves rejected promises behind when its stream fails, so that
 * never does: the fault is thrown here.
 */
async function openShapes(source: SourceFile): Promise<Shapes> {
  let failure: unknown = null;
  const unfailing = async function* () {
    try {
      yield* checkedShp(source);
    } catch (error) {
      failure = error;
    }
  };
  const orFailure = async <T>(work: Promise<T>): Promise<T> => {
    const outcome = await work.catch(cause => {
      failure ??= cause;
    });
    if (failure !== null) throw failure;
    return outcome as T;
  };
  const stream = Readable.from(unfailing(), { objectMode: false, highWaterMark: CHUNK_BYTES });
  const shapes = await orFailure(openShp(stream));
  return {
    next: async () => {
      const { done, value } = await orFailure(shapes.read());
      return done ? END : (value as Geometry | null);
    },
    close: () => shapes.cancel(),
  };
}

/**
 * The first four bytes of every shapefile, big-endian. ESRI Shapefile Technical Description,
 * July 1998, table 1.
 */
const SHP_CODE = 9994;

/** The bytes of a `.shp`, with its file code and its length (in 16-bit words at byte 24) checked. */
async function* checkedShp(source: SourceFile): AsyncGenerator<Buffer> {
  let expected: number | null = null;
  let read = 0;
  for await (const chunk of source.bytes()) {
    if (expected === null) {
      if (chunk.length < 100 || chunk.readInt32BE(0) !== SHP_CODE) {
        throw formatError(`${source.name} is not a shapefile. Check the feed's format and the file.`);
      }
      expected = chunk.readInt32BE(24) * 2;
    }
    read += chunk.length;
    yield chunk;
  }
  if (expected === null || read < expected) {
    throw truncatedError(source.name, `it holds ${read} of ${expected ?? 'at least 100'} bytes`);
  }
}

async function readSmall(file: SourceFile): Promise<string> {
  let text = '';
  for await (const bytes of file.bytes()) {
    text += bytes.toString('utf8');
    if (text.length > 65_536)
      throw formatError(`${file.name} is too long for a CRS definition. Check the file.`);
  }
  return text.replace(/^\uFEFF/, '').trim();
}

function differ(name: string): Error {
  return sourceError(
    `${name} and its .dbf differ in their number of records: one is cut off or from another copy. Fetch both again.`,
  );
}
