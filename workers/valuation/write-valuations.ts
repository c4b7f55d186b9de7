import { type CopyWriter, copyBytes, openCopy } from '../../shared/copy.ts';
import { type Client, sql } from '../../shared/db.ts';
import { type CompColumns, packComps, packedBytes } from '../../shared/domain/valuation.ts';
import { MODEL_VERSION } from '../../shared/kernels/valuation/model.ts';
import type { Valuation } from '../../shared/kernels/valuation/types.ts';

export type ValuationWriter = Omit<CopyWriter, 'write'> & {
  write(propertyId: number, valuation: Valuation, comps: CompColumns): void;
};

/**
 * Copies valuations of a county into the table, within the caller's transaction.
 * @param asOf 'YYYY-MM-DD'
 * @param ids of the listings, 16 bytes each, by the index that the valuations' comps have
 */
export function openValuationWriter(
  client: Client,
  fips: number,
  asOf: string,
  ids: Uint8Array,
): ValuationWriter {
  const copy = openCopy(client, sql('valuation/copy_valuations'));
  return {
    ...copy,
    write(propertyId, v, comps) {
      const packed = Buffer.allocUnsafe(packedBytes(comps));
      packComps(comps, ids, new DataView(packed.buffer, packed.byteOffset, packed.length), 0);
      const values = [
        ...[fips, propertyId, v.meanPrice, v.meanPpa, v.meanAdjustedPrice, v.meanAdjustedPpa, v.gini],
        ...[v.confidence, v.low, v.high, v.outOfSupport, copyBytes(packed), asOf, MODEL_VERSION],
      ];
      copy.write(values.join('\t'));
    },
  };
}
