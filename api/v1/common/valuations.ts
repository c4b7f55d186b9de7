import type { Db } from '../../../shared/platform/db.ts';
import { batch } from '../../http/batch.ts';

/** A row from the valuations table. All fields are null for a parcel without relevant comps. */
export type StoredValuation =
  | {
      mean_price: number;
      mean_ppa: number;
      mean_adjusted_price: number;
      mean_adjusted_ppa: number;
      confidence_score: number;
      gini_index: number;
      low_price: number;
      high_price: number;
      out_of_support: boolean;
      comps: Buffer | null;
      /** Null together, with too few sales, and in estimates of older models. */
      neighborhood_ppa: number | null;
      neighborhood_weight: number | null;
      as_of: string;
      model_version: string;
    }
  | { mean_price: null };

/** Returns undefined if the parcel is unknown or off the roll. Comps are null unless requested. */
export type ReadValuation = (
  fips: number,
  propertyId: number,
  withComps: boolean,
) => Promise<StoredValuation | undefined>;

type ParcelKey = { fips: number; propertyId: number };
type Row = StoredValuation & { property_id: number };

/** Reads stored valuations. Concurrent reads share a statement, which costs a third less. */
export function openValuations(db: Db): ReadValuation {
  const read = batch<ParcelKey, Row | undefined>(async keys => {
    const wanted = [...new Map(keys.map(key => [key.propertyId, key])).values()];
    const byParcel = new Map((await readRows(wanted, false)).map(row => [row.property_id, row]));
    return keys.map(({ propertyId }) => byParcel.get(propertyId));
  });
  // Comps take up to 340 bytes per parcel and are rarely requested, so they have their own statement.
  return async (fips, propertyId, withComps) =>
    withComps ? (await readRows([{ fips, propertyId }], true))[0] : read({ fips, propertyId });

  function readRows(wanted: ParcelKey[], withComps: boolean): Promise<Row[]> {
    return db.run<Row>('valuation/read_valuations', {
      fips: wanted.map(({ fips }) => fips),
      property_ids: wanted.map(({ propertyId }) => propertyId),
      with_comps: withComps,
    });
  }
}
