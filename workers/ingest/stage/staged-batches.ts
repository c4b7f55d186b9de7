import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { readUnread } from '../../formats/features.ts';
import type { RowBatch, SourceRow } from '../../formats/rows.ts';
import { openParcelStager, type ParcelTerms, type StageBatch, type StagedBatch } from './parcel-batch.ts';

/** Batches that the thread has, so that it is never without work. */
const AT_THREAD = 3;

/** Batches that are held: where the thread gets no processor, those behind its own wait for it. */
const HELD = 8;

/** What is made of a row is soon forgotten, but V8 lets it grow to 48 MB and more. A thread that needs more ends, and its work is done here. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 128 };

/** Batches, about 7,000 rows, before the thread is worth its start. */
const WITHOUT_THREAD = 25;

const THREAD = join(import.meta.dirname, 'batch-thread.ts');

/** Null where the thread has not answered yet; 'failed' is done again here, for its error. */
type Held = { batch: RowBatch; staged: StagedBatch | 'failed' | null };

/**
 * Batches and what they come to, in their order: a part of the work is done here, and the rest by a thread that gets the next batch whenever it
 * has not enough. A small file needs none.
 */
export async function* stagedBatches(
  batches: AsyncIterable<RowBatch>,
  terms: ParcelTerms,
): AsyncGenerator<readonly [RowBatch, StagedBatch]> {
  let stageHere: StageBatch | undefined;
  let thread: ReturnType<typeof startThread> | undefined;
  let firstRows: SourceRow[] = [];
  let count = 0;
  const held: Held[] = [];
  const next = () => {
    const { batch, staged } = held.shift()!;
    return [batch, staged === 'failed' ? stageHere!(batch) : staged!] as const;
  };
  try {
    for await (const batch of batches) {
      if (stageHere === undefined || firstRows.length === 0) {
        firstRows = [...readUnread(batch, [])];
        stageHere = openParcelStager(terms, firstRows);
      }
      if (++count > WITHOUT_THREAD && !terms.incomplete) {
        const program = bundled();
        if (program !== null) thread ??= startThread(program, terms, firstRows);
      }
      const one: Held = { batch, staged: null };
      held.push(one);
      if (!thread?.takes(one)) one.staged = stageHere(batch);
      for (; held.length > 0; yield next()) {
        if (held[0]!.staged !== null) continue;
        if (held.length <= HELD) break;
        await thread!.answer();
      }
    }
    for (; held.length > 0; yield next()) while (held[0]!.staged === null) await thread!.answer();
  } finally {
    await thread?.end();
  }
}

let program: string | Error | null | undefined;

/** The thread's program in one piece, made once a process: what runs TypeScript took 30 MB and a third of a second more. @returns null while it is being made */
function bundled(): string | null {
  if (program instanceof Error) throw program;
  if (program !== undefined) return program;
  program = null;
  const define = { 'import.meta.url': JSON.stringify(pathToFileURL(THREAD).href) };
  const options = { bundle: true, platform: 'node', logLevel: 'silent', define } as const;
  build({ ...options, entryPoints: [THREAD], write: false }).then(
    ({ outputFiles }) => {
      program = outputFiles[0]!.text;
    },
    (error: Error) => {
      program = error;
    },
  );
  return null;
}

function startThread(code: string, terms: ParcelTerms, firstRows: SourceRow[]) {
  const { port1: port, port2 } = new MessageChannel();
  const workerData = { terms, firstRows, port: port2 };
  const worker = new Worker(code, {
    ...{ eval: true, workerData, transferList: [port2], resourceLimits: RESOURCE_LIMITS },
  });
  const asked: Held[] = [];
  let broken = false;
  let wake = () => {};
  // An answer may come after the end of a thread whose batches have been given up.
  const settle = (staged: Held['staged']) => {
    const one = asked.shift();
    if (one !== undefined) one.staged = staged;
    wake();
  };
  port.on('message', settle);
  worker.on('error', () => {
    broken = true;
    while (asked.length > 0) settle('failed');
  });

  return {
    /** @returns false where it has enough to do or cannot be sent the batch: a geometry of thousands of levels */
    takes(one: Held): boolean {
      // Its answers are looked for, as they are not told before this thread has nothing else to do.
      for (let got = receiveMessageOnPort(port); got; got = receiveMessageOnPort(port)) settle(got.message);
      if (broken || asked.length >= AT_THREAD) return false;
      try {
        port.postMessage(one.batch);
      } catch {
        return false;
      }
      asked.push(one);
      return true;
    },
    answer: () =>
      new Promise<void>(resolve => {
        wake = resolve;
      }),
    async end() {
      port.close();
      await worker.terminate();
    },
  };
}
