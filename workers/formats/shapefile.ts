import { unreadableGeometry } from '../../shared/geo/geometry-checks.ts';
import { formatError, limitsOf, sourceError } from '../../shared/platform/http/download-context.ts';
import { type DbfRecord, dbfRecords } from './dbf.ts';
import { addRow, type FileRead, isFull } from './row-batch.ts';
import { openShapes } from './shp-records.ts';
import type { Shape } from './shp-shapes.ts';
import type { SourceFile } from './source.ts';
import { useCrs } from './use-crs.ts';

/** Shapes read per asynchronous step. A step for each shape would cost more than reading it. */
const SHAPES_AT_ONCE = 250;

/**
 * Reads a `.shp` with its `.dbf`, `.shx`, `.prj`, and `.cpg`. Z and M values are dropped. Deleted records
 * keep their row numbers.
 */
export const readShapefile = (reading: FileRead): AsyncGenerator<void> =>
  readRecords(reading, (record, geometry) => addRow(reading.output, record, geometry));

/** @param add adds a record to the output */
export async function* readRecords(
  { source, spec, output, context }: FileRead,
  add: (record: DbfRecord, geometry: unknown) => void,
): AsyncGenerator<void> {
  const { name } = source;
  if (/\.(dbf|shx|prj)$/i.test(name)) throw formatError(`${name}: set the feed's source to the .shp file.`);
  const dbf = await source.sibling('.dbf');
  if (dbf === null) throw sourceError(`${name} has no .dbf file next to it, which has the columns. Add it.`);
  const prj = await source.sibling('.prj');
  useCrs(output, prj === null ? null : await readSmall(prj), name);
  const shapes = await openShapes(source, limitsOf(context));
  try {
    for await (const records of dbfRecords(dbf, spec, await source.sibling('.cpg'))) {
      for (let from = 0; from < records.length; from += SHAPES_AT_ONCE) {
        const some = records.slice(from, from + SHAPES_AT_ONCE);
        const theirs = await shapes.take(some.length);
        if (theirs.length < some.length) throw differ(name);
        for (const [i, record] of some.entries()) {
          if (record === null) output.rowNo++;
          else add(record, geometryOf(theirs[i]!));
          if (isFull(output)) yield;
        }
      }
    }
    if ((await shapes.take(1)).length > 0) throw differ(name);
  } finally {
    await shapes.close();
  }
}

const geometryOf = (shape: Shape) =>
  shape !== null && 'unreadable' in shape ? unreadableGeometry(shape.unreadable) : shape;

async function readSmall(file: SourceFile): Promise<string> {
  let text = '';
  for await (const bytes of file.bytes()) {
    text += bytes.toString('utf8');
    if (text.length > 65_536)
      throw formatError(`${file.name} is too long to be a CRS definition. Check the file.`);
  }
  return text.replace(/^\uFEFF/, '').trim();
}

function differ(name: string): Error {
  return sourceError(
    `${name} and its .dbf have different numbers of records. One is incomplete or from another copy. Download both again.`,
  );
}
