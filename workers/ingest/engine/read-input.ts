import type { InputSpec } from '../../formats/format-input.ts';
import { readInput } from '../../formats/read-format.ts';
import { type ReadContext, type RowBatch, sizeOf } from '../../formats/row-batch.ts';
import type { RunContext } from './run-context.ts';

/**
 * Records the number of bytes read, and reports progress between two fractions.
 * @throws the signal's reason
 */
export async function* readBatches(
  run: RunContext,
  name: string,
  input: InputSpec,
  [from, to]: readonly [number, number] = [0, 0.6],
): AsyncGenerator<RowBatch> {
  const record = { input: name, source: [input.source].flat(), bytes: 0, ...run.states.get(name) };
  run.inputs.push(record);
  let rows = 0;
  const context: ReadContext = {
    ...readContext(run),
    // Recorded next to the number of rows read.
    onShortfall: announced => {
      run.counts.announced = { ...(run.counts.announced as object), [name]: announced };
    },
    onNote: note => run.progress(from, `${name}: ${note}`),
    onBytes(read, total) {
      record.bytes = read;
      if (total) run.progress(from + (to - from) * Math.min(1, read / total), `${name}: ${rows} rows`);
    },
  };
  try {
    for await (const batch of readInput(input, context)) {
      run.signal.throwIfAborted();
      rows += sizeOf(batch);
      yield batch;
    }
  } catch (error) {
    // Report the signal's reason rather than the reader's error.
    run.signal.throwIfAborted();
    throw error;
  }
}

/** The context for reading an input, without its callbacks. */
export function readContext(run: RunContext): ReadContext {
  const { baseDir, tmpDir, signal, env, checkpoint, workDir, sharedDir } = run;
  return {
    baseDir,
    tmpDir,
    signal,
    env,
    watermark: checkpoint,
    ...(workDir !== undefined && { workDir }),
    ...(sharedDir !== undefined && { sharedDir }),
  };
}
