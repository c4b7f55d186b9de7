import type { Plat } from './connect.ts';
import type { components } from './openapi.ts';
import { unwrap } from './results.ts';
import { sleep } from './retries.ts';

export type NewExport = components['schemas']['NewExport'];
export type Export = components['schemas']['Export'];

const WAIT_MS = 1_000;

/**
 * Orders a file. @param idempotencyKey a repeat with the same key and order returns the same export
 * @throws PlatError
 */
export async function orderExport(plat: Plat, order: NewExport, idempotencyKey?: string): Promise<Export> {
  const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
  return (await unwrap(plat.POST('/api/public/v1/exports/', { body: order, headers }))) as Export;
}

/** Waits until a file is ready, or has failed for another reason. @throws PlatError */
export async function waitForExport(plat: Plat, id: string, signal?: AbortSignal): Promise<Export> {
  for (;;) {
    const found = await unwrap(plat.GET('/api/public/v1/exports/{id}/', { params: { path: { id } } }));
    if (found.state !== 'queued' && found.state !== 'running') return found;
    await sleep(WAIT_MS, signal);
  }
}
