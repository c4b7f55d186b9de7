import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import copyStreams from 'pg-copy-streams';
import { type Client, sql } from '../../shared/db.ts';
import { packComps } from '../../shared/domain/valuation.ts';
import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import { MODEL_VERSION } from '../../shared/kernels/valuation/model.ts';
import type { Valuation } from '../../shared/kernels/valuation/types.ts';

/** https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS-BINARY */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const END = Buffer.from([0xff, 0xff]);
const COLUMNS = 17;
/** 2000-01-01 in days since 1970-01-01. */
const POSTGRES_EPOCH_DAY = 10_957;
/** Bytes of a row apart from its comps, length words included. */
const FIXED_BYTES = 512;
const CHUNK_BYTES = 1 << 18;

export type ValuationWriter = {
  write(fips: number, propertyId: number, valuation: Valuation): Promise<void>;
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
  let at = HEADER.copy(chunk);

  const float8 = (value: number) => {
    at = chunk.writeInt32BE(8, at);
    at = chunk.writeDoubleBE(value, at);
  };
  const float4 = (value: number) => {
    at = chunk.writeInt32BE(4, at);
    at = chunk.writeFloatBE(value, at);
  };
  const int4 = (value: number) => {
    at = chunk.writeInt32BE(4, at);
    at = chunk.writeInt32BE(value, at);
  };
  const bytes = (value: Buffer) => {
    at = chunk.writeInt32BE(value.length, at);
    at += value.copy(chunk, at);
  };

  async function flush(): Promise<void> {
    if (failure) throw failure;
    const full = chunk.subarray(0, at);
    chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    at = 0;
    // Rejects when the stream fails.
    if (!stream.write(full)) await once(stream, 'drain');
  }

  return {
    async write(fips, propertyId, valuation) {
      const comps = packComps(valuation.comps, ids);
      if (at + FIXED_BYTES + comps.length > CHUNK_BYTES) await flush();
      at = chunk.writeInt16BE(COLUMNS, at);
      int4(fips);
      at = chunk.writeInt32BE(8, at);
      at = chunk.writeBigInt64BE(BigInt(propertyId), at);
      float8(valuation.meanPrice);
      float8(valuation.meanPpa);
      float8(valuation.meanAdjustedPrice);
      float8(valuation.meanAdjustedPpa);
      float4(valuation.gini);
      float4(valuation.confidence);
      float8(valuation.low);
      float8(valuation.high);
      at = chunk.writeInt32BE(1, at);
      at = chunk.writeUInt8(valuation.outOfSupport ? 1 : 0, at);
      float4(valuation.reachM);
      float4(valuation.reachLogAcres);
      float4(valuation.levelReachM);
      bytes(comps);
      int4(day);
      bytes(version);
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
