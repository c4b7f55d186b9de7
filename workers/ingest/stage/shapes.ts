import { on } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { buildSync } from 'esbuild';
import type { RowBatch, SourceRow } from '../../formats/rows.ts';
import { type Shape, shapeOf } from './boundary.ts';

/** A row and what its geometry comes to; null without one. */
export type ShapedRow = SourceRow & { shape: Shape | null };
export type ShapedBatch = Omit<RowBatch, 'rows'> & { rows: ShapedRow[] };

/** Batches that are read ahead of the one that is staged: the thread is never without work, and few rows are held. */
const AHEAD = 2;

/** Of the thread's youngest objects, which V8 would let grow to 48 MB: what is made of a batch is soon forgotten. */
const YOUNG_MB = 8;

type Waiting = { batch: RowBatch; shapes: (Shape | null)[] | null };

/**
 * The same batches with the shapes of their rows, a third of the work of staging: a thread makes them while the rows that follow are
 * read and those before are mapped. The first batch's are made here, so that a small file waits for no thread.
 */
export async function* withShapes(batches: AsyncIterable<RowBatch>): AsyncGenerator<ShapedBatch> {
  let thread: { worker: Worker; answers: AsyncIterator<[Waiting['shapes']]> } | undefined;
  let first = true;
  const waiting: Waiting[] = [];
  const next = async (): Promise<ShapedBatch> => {
    const { batch, shapes } = waiting.shift()!;
    const made = shapes ?? (await thread!.answers.next()).value[0];
    return { ...batch, rows: batch.rows.map((row, i) => Object.assign(row, { shape: made[i] })) };
  };
  try {
    for await (const batch of batches) {
      if (!first) thread ??= startThread();
      first = false;
      waiting.push({ batch, shapes: askFor(batch, thread?.worker) });
      if (waiting.length > AHEAD) yield await next();
    }
    while (waiting.length > 0) yield await next();
  } finally {
    await thread?.worker.terminate();
  }
}

let program: string | undefined;

/** Its program in one piece, made once a process: what runs TypeScript took 30 MB and a third of a second more. */
function startThread() {
  program ??= buildSync({
    ...{ entryPoints: [join(import.meta.dirname, 'shape-thread.ts')], write: false },
    ...{ bundle: true, platform: 'node', logLevel: 'silent' },
  }).outputFiles[0]!.text;
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
  const worker = new Worker(program, { eval: true, resourceLimits });
  return { worker, answers: on(worker, 'message') as AsyncIterator<[Waiting['shapes']]> };
}

/** Asks the thread for the shapes of a batch. @returns them, where there is none or it cannot be asked: a geometry of thousands of levels */
function askFor({ rows }: RowBatch, worker: Worker | undefined): Waiting['shapes'] {
  const geometries = rows.map(row => row.geometry);
  try {
    worker?.postMessage(geometries);
    if (worker) return null;
  } catch {}
  return geometries.map(shapeOf);
}
