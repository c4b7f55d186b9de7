// The thread of staged-batches.ts: stages one batch after the other; 'failed' of one that it cannot.
import { type MessagePort, workerData } from 'node:worker_threads';
import type { RowBatch } from '../../formats/rows.ts';
import { openParcelStager, type ParcelTerms } from './parcel-batch.ts';

const { terms, firstRows, port } = workerData as {
  terms: ParcelTerms;
  firstRows: RowBatch['rows'];
  port: MessagePort;
};
const stageBatch = openParcelStager(terms, firstRows.splice(0));

port.on('message', (batch: RowBatch) => {
  try {
    const staged = stageBatch(batch);
    const bytes = [...staged.roll, ...staged.shape].map(({ buffer }) => buffer as ArrayBuffer);
    port.postMessage(staged, bytes);
  } catch {
    port.postMessage('failed');
  }
});
