import { hash } from 'node:crypto';
import type { RegionFields } from '../domain/market-stats.ts';
import { METRIC_COUNT, type StatsTable } from '../kernels/stats/stats-table.ts';
import { etagOf } from './etag.ts';

/**
 * Raised whenever the same region and figures are encoded to other bytes than before: it makes every stored response
 * differ, and so be written anew.
 */
const RESPONSE_FORMAT = 1;

/** No figure in hundredths is negative; null must not depend on which of the many NaN it is. */
const NULL = -1;

let scratch = new Float64Array(0);

/**
 * The etag of a region's response, from what its bytes are made of. Equal etags mean equal bytes, so a recompute
 * encodes only the responses that changed: hashing the figures takes a fraction of the time of encoding and hashing
 * the bytes.
 */
export function statsEtag(
  { id, type, name, state, county_name, fips }: RegionFields,
  table: StatsTable,
): string {
  const { filled, hundredths } = table;
  const most = filled.length * (1 + METRIC_COUNT);
  if (scratch.length < most) scratch = new Float64Array(most);
  let at = 0;
  for (let bucket = 0; bucket < filled.length; bucket++) {
    if (filled[bucket] === 0) continue;
    scratch[at++] = bucket;
    const from = bucket * METRIC_COUNT;
    for (let i = from; i < from + METRIC_COUNT; i++) {
      const figure = hundredths[i]!;
      scratch[at++] = figure >= 0 ? figure : NULL;
    }
  }
  const figures = hash('sha256', new Uint8Array(scratch.buffer, 0, 8 * at), 'hex');
  return etagOf(JSON.stringify([RESPONSE_FORMAT, id, type, name, state, county_name, fips, figures]));
}
