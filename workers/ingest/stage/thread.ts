// The thread of shared.ts: stages one batch after the other; null of one that it cannot.
import { type MessagePort, workerData } from 'node:worker_threads';
import type { RowBatch } from '../../formats/rows.ts';
import { openParcelStager, type ParcelTerms, type StagedBatch } from './parcel-batch.ts';

const { terms, firstRows, port } = workerData as {
  terms: ParcelTerms;
  firstRows: RowBatch['rows'];
  port: MessagePort;
};
const stageBatch = openParcelStager(terms, firstRows);

port.on('message', (batch: RowBatch) => {
  let staged: StagedBatch | null = null;
  try {
    staged = stageBatch(batch);
  } catch {}
  const bytes = [...(staged?.roll ?? []), ...(staged?.shape ?? [])];
  port.postMessage(
    staged,
    bytes.map(({ buffer }) => buffer as ArrayBuffer),
  );
});
