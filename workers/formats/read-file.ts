import { messageOf, PlatError } from '../../shared/platform/errors.ts';
import { formatError } from '../../shared/platform/http/download-context.ts';
import type { Part } from './parts.ts';
import {
  checkDegrees,
  type FileReader,
  type Output,
  type ReadContext,
  type RowBatch,
  sizeOf,
  takeBatch,
} from './row-batch.ts';
import { type MemberChoice, openSource, type Progress } from './source.ts';

/** What is needed to know about a file's format to open it, as plain data. */
export type FileKind = Omit<MemberChoice, 'member'> & { title: string };

/** The batches of one file. @throws PlatError as readInput does */
export async function* readFile(
  read: FileReader,
  { title, ...wanted }: FileKind,
  spec: Part,
  output: Output,
  context: ReadContext,
  progress: Progress,
): AsyncGenerator<RowBatch> {
  const opened = await openSource(spec.source, { ...wanted, member: spec.member }, context, progress);
  try {
    yield* batchesOf(read({ source: opened, spec, output, context }), output, opened.name);
  } catch (cause) {
    context.signal.throwIfAborted();
    if (cause instanceof PlatError || (cause instanceof Error && 'syscall' in cause)) throw cause;
    const what = `Can't read ${opened.name} as ${title}`;
    throw formatError(`${what} (${messageOf(cause)}). Check the format and the file.`, cause);
  } finally {
    await opened.close();
  }
}

/** The batches of one source. The first batch is checked for coordinates that aren't degrees. */
export async function* batchesOf(
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
