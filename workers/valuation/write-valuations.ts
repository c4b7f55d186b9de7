import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import copyStreams from 'pg-copy-streams';
import { encodeCopyBinary } from '../../shared/copy-binary.ts';
import { type Client, sql } from '../../shared/db.ts';
import { type CompColumns, packComps, packedBytes } from '../../shared/domain/valuation.ts';
import { MODEL_VERSION } from '../../shared/kernels/valuation/model.ts';
import type { Valuation } from '../../shared/kernels/valuation/types.ts';

/** The columns of valuation/copy_valuations. */
const TYPES = [
  ...([
    'int4',
    'int8',
    'float8',
    'float8',
    'float8',
    'float8',
    'float4',
    'float4',
    'float8',
    'float8',
  ] as const),
  ...(['bool', 'bytes', 'date', 'bytes'] as const),
];

export type ValuationWriter = {
  /** @returns something to wait for when the connection is behind */
  write(propertyId: number, valuation: Valuation, comps: CompColumns): Promise<unknown> | undefined;
  end(): Promise<void>;
  /** Ends the copy without its rows, so that the connection can roll back. */
  abort(): Promise<void>;
};

/**
 * Copies valuations of a county into the table, within the caller's transaction.
 * @param day days since 1970-01-01
 * @param ids of the listings, 16 bytes each, by the index that the valuations' comps have
 */
export function openValuationWriter(
  client: Client,
  fips: number,
  day: number,
  ids: Uint8Array,
): ValuationWriter {
  const stream = client.query(copyStreams.from(sql('valuation/copy_valuations')));
  let failure: Error | undefined;
  stream.on('error', error => {
    failure = error;
  });
  const version = Buffer.from(MODEL_VERSION);
  const encoder = encodeCopyBinary(TYPES);

  function send(bytes: Buffer | undefined): Promise<unknown> | undefined {
    if (failure) throw failure;
    // Rejects when the stream fails.
    return bytes === undefined || stream.write(bytes) ? undefined : once(stream, 'drain');
  }

  return {
    write(propertyId, v, comps) {
      const packed = Buffer.allocUnsafe(packedBytes(comps));
      packComps(comps, ids, new DataView(packed.buffer, packed.byteOffset, packed.length), 0);
      return send(
        encoder.row([
          ...[fips, propertyId, v.meanPrice, v.meanPpa, v.meanAdjustedPrice, v.meanAdjustedPpa, v.gini],
          ...[v.confidence, v.low, v.high, v.outOfSupport ? 1 : 0, packed, day, version],
        ]),
      );
    },
    async end() {
      await send(encoder.end());
      stream.end();
      await finished(stream);
    },
    async abort() {
      if (failure) return;
      stream.destroy(new Error('given up'));
      await finished(stream).catch(() => {});
    },
  };
}
