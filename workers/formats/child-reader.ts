import { rm } from 'node:fs/promises';
import { deserialize } from 'node:v8';
import { type ErrorOptions, PlatError } from '../../shared/platform/errors.ts';
import { type Limits, scratchFolder } from '../../shared/platform/http/download-context.ts';
import { programPath } from '../../shared/platform/root.ts';
import { damagedFileError, readChildOutput } from './child-output.ts';
import { fetchSource } from './fetch-source.ts';
import type { FileFormat } from './file-formats.ts';
import type { Part } from './parts.ts';
import type { FileKind } from './read-file.ts';
import type { Output, ReadContext, RowBatch } from './row-batch.ts';
import type { Progress } from './source.ts';

/** The task for reader-child.ts: plain data, sent as JSON. */
export type Task = {
  format: FileFormat;
  kind: FileKind;
  spec: Part;
  /** Number of rows read before the first row of this file. */
  rowNo: number;
  baseDir: string;
  tmpDir: string;
  limits: Partial<Limits>;
  maxMb: number;
};

/** Messages from v8.serialize, each preceded by its length in four bytes. */
export type Frame =
  | { started: true }
  | { batch: RowBatch; rowNo: number }
  | { expect: number }
  | { add: number }
  | { error: Fault }
  | { done: true };

type Fault =
  | { plat: true; code: string; message: string; options: ErrorOptions }
  | { plat: false; code: string; message: string; syscall: string };

/**
 * The batches of one file, read in its own process. URLs are downloaded here, so the process reads only
 * bytes.
 * @throws PlatError as readInput does; `feed_source` if the reader hung or needed too much memory
 */
export async function* readInChild(
  format: FileFormat,
  maxMb: number,
  kind: FileKind,
  spec: Part,
  output: Output,
  context: ReadContext,
  progress: Progress,
): AsyncGenerator<RowBatch> {
  const source = await fetchSource(spec.source, kind, context);
  const tmpDir = await scratchFolder(context, 'reader-');
  const task: Task = {
    format,
    spec: { ...spec, source: source.path },
    rowNo: output.rowNo,
    kind: { ...kind, name: source.name },
    baseDir: context.baseDir,
    tmpDir,
    limits: context.limits ?? {},
    maxMb,
  };
  const command = {
    program: process.execPath,
    args: [`--max-old-space-size=${maxMb}`, programPath('workers/formats/reader-child.ts')],
    input: JSON.stringify(task),
  };
  const crashed = (code: number | string, detail: string) =>
    damagedFileError(source.name, `its reader exited with ${code} (${detail})`);
  try {
    let done = false;
    for await (const frame of framesOf(readChildOutput(command, source.name, context, crashed))) {
      if ('batch' in frame) {
        output.rowNo = frame.rowNo;
        yield frame.batch;
      } else if ('expect' in frame) progress.expect(frame.expect);
      else if ('add' in frame) progress.add(frame.add);
      else if ('error' in frame) throw errorOf(frame.error);
      else if ('done' in frame) done = true;
    }
    if (!done) throw damagedFileError(source.name, 'its reader did not finish');
  } finally {
    await rm(tmpDir, { recursive: true, force: true });
    await source.remove();
  }
}

async function* framesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let pending: Buffer[] = [];
  let bytes = 0;
  let wanted = 4;
  for await (const chunk of chunks) {
    pending.push(chunk);
    bytes += chunk.length;
    if (bytes < wanted) continue;
    const all = Buffer.concat(pending);
    let at = 0;
    for (wanted = 4; at + wanted <= all.length; wanted = 4) {
      wanted += all.readUInt32LE(at);
      if (at + wanted > all.length) break;
      yield deserialize(all.subarray(at + 4, at + wanted)) as Frame;
      at += wanted;
    }
    pending = [all.subarray(at)];
    bytes = all.length - at;
  }
}

function errorOf(fault: Fault): Error {
  if (fault.plat) return new PlatError(fault.code, fault.message, fault.options);
  const { code, message, syscall } = fault;
  return Object.assign(new Error(message), { code, syscall });
}
