import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import copyStreams from 'pg-copy-streams';
import { POSTGRES_EPOCH_DAY } from '../../shared/copy-binary.ts';
import { type Client, sql } from '../../shared/db.ts';
import { type CompColumns, packComps, packedBytes } from '../../shared/domain/valuation.ts';
import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import { MODEL_VERSION } from '../../shared/kernels/valuation/model.ts';
import type { Valuation } from '../../shared/kernels/valuation/types.ts';

/** https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS-BINARY */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const END = Buffer.from([0xff, 0xff]);
const COLUMNS = 17;
/** Bytes of a row apart from its comps, length words included. */
const FIXED_BYTES = 512;
const CHUNK_BYTES = 1 << 18;

const viewOf = (bytes: Buffer) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

export type ValuationWriter = {
  /** @returns something to wait for when the connection is behind */
  write(
    fips: number,
    propertyId: number,
    valuation: Valuation,
    comps: CompColumns,
  ): Promise<unknown> | undefined;
  end(): Promise<void>;
  /** Ends the copy without its rows, so that the connection can roll back. */
  abort(): Promise<void>;
};

/**
 * Copies valuations into the table, within the caller's transaction.
 * @param asOf 'YYYY-MM-DD'
 * @param ids of the listings, 16 bytes each, by the index that the valuations' comps have
 */
export function openValuationWriter(client: Client, asOf: string, ids: Uint8Array): ValuationWriter {
  const stream = client.query(copyStreams.from(sql('valuation/copy_valuations')));
  let failure: Error | undefined;
  stream.on('error', error => {
    failure = error;
  });
  const day = dayOf(asOf) - POSTGRES_EPOCH_DAY;
  const version = Buffer.from(MODEL_VERSION);
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let data = viewOf(chunk);
  let at = HEADER.copy(chunk);

  const int4 = (value: number) => {
    data.setInt32(at, 4);
    data.setInt32(at + 4, value);
    at += 8;
  };
  const int8 = (value: number) => {
    data.setInt32(at, 8);
    data.setInt32(at + 4, Math.floor(value / 2 ** 32));
    data.setUint32(at + 8, value % 2 ** 32);
    at += 12;
  };
  const float4 = (value: number) => {
    data.setInt32(at, 4);
    data.setFloat32(at + 4, value);
    at += 8;
  };
  const float8 = (value: number) => {
    data.setInt32(at, 8);
    data.setFloat64(at + 4, value);
    at += 12;
  };

  function flush(): Promise<unknown> | undefined {
    if (failure) throw failure;
    const full = chunk.subarray(0, at);
    chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    data = viewOf(chunk);
    at = 0;
    // Rejects when the stream fails.
    return stream.write(full) ? undefined : once(stream, 'drain');
  }

  function put(fips: number, propertyId: number, valuation: Valuation, comps: CompColumns): void {
    data.setInt16(at, COLUMNS);
    at += 2;
    int4(fips);
    int8(propertyId);
    float8(valuation.meanPrice);
    float8(valuation.meanPpa);
    float8(valuation.meanAdjustedPrice);
    float8(valuation.meanAdjustedPpa);
    float4(valuation.gini);
    float4(valuation.confidence);
    float8(valuation.low);
    float8(valuation.high);
    data.setInt32(at, 1);
    data.setUint8(at + 4, valuation.outOfSupport ? 1 : 0);
    at += 5;
    float4(valuation.reachM);
    float4(valuation.reachLogAcres);
    float4(valuation.levelReachM);
    data.setInt32(at, packedBytes(comps));
    packComps(comps, ids, data, at + 4);
    at += 4 + packedBytes(comps);
    int4(day);
    data.setInt32(at, version.length);
    at += 4 + version.copy(chunk, at + 4);
  }

  return {
    write(fips, propertyId, valuation, comps) {
      const full = at + FIXED_BYTES + packedBytes(comps) > CHUNK_BYTES;
      const flushed = full ? flush() : undefined;
      put(fips, propertyId, valuation, comps);
      return flushed;
    },
    async end() {
      if (at + END.length > CHUNK_BYTES) await flush();
      at += END.copy(chunk, at);
      await flush();
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
