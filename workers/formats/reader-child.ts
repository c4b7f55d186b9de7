// Reads one file with a library's reader, in its own process. It receives its task on standard input and
// writes frames to standard output (child-reader.ts).
import { Console } from 'node:console';
import { readFileSync } from 'node:fs';
import { serialize } from 'node:v8';
import { messageOf, PlatError } from '../../shared/platform/errors.ts';
import { guardProcess, writeAll } from './child-guard.mjs';
import type { Frame, Task } from './child-reader.ts';
import { FILE_FORMATS } from './file-formats.ts';
import { readFile } from './read-file.ts';
import { isTooDeep, newOutput, type ReadContext, type RowBatch, TOO_DEEP } from './row-batch.ts';

const task = JSON.parse(readFileSync(0, 'utf8')) as Task;
guardProcess(task.maxMb);
// Keeps a library's messages off standard output.
globalThis.console = new Console(process.stderr);

try {
  await main();
} catch (error) {
  send({ error: errorFrame(error) });
}
process.exit(0);

async function main(): Promise<void> {
  const { format, kind, spec, rowNo, baseDir, tmpDir, limits } = task;
  const context: ReadContext = { baseDir, tmpDir, limits, signal: new AbortController().signal, env: {} };
  const output = newOutput(spec.crs);
  output.rowNo = rowNo;
  const progress = {
    expect: (bytes: number) => send({ expect: bytes }),
    add: (bytes: number) => send({ add: bytes }),
  };
  const read = await FILE_FORMATS[format].load();
  send({ started: true });
  for await (const batch of readFile(read, kind, spec, output, context, progress))
    sendBatch(batch, output.rowNo);
  send({ done: true });
}

function sendBatch(batch: RowBatch, rowNo: number): void {
  try {
    send({ batch, rowNo });
  } catch (error) {
    // The serializer is recursive, so it fails on rows that are nested too deeply.
    const deep = batch.rows.filter(isTooDeep);
    if (deep.length === 0) throw error;
    const rows = batch.rows.filter(row => !deep.includes(row));
    const bad = deep.map(row => ({ ...TOO_DEEP, rowNo: row.rowNo, raw: '' }));
    send({ batch: { ...batch, rows, bad: [...batch.bad, ...bad] }, rowNo });
  }
}

function send(frame: Frame): void {
  const bytes = serialize(frame);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  writeAll(Buffer.concat([length, bytes]));
}

function errorFrame(error: unknown): Extract<Frame, { error: unknown }>['error'] {
  const message = messageOf(error);
  if (error instanceof PlatError) {
    const { code, status, details, retryable } = error;
    return { plat: true, code, message, options: { status, retryable, ...(details && { details }) } };
  }
  const { code = 'error', syscall = '' } = error as NodeJS.ErrnoException;
  return { plat: false, code, message, syscall };
}
