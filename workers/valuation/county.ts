import copyStreams from 'pg-copy-streams';
import { readCopyBinary } from '../../shared/copy-binary.ts';
import { type Client, type Pool, sql, transaction } from '../../shared/db.ts';
import { PlatError } from '../../shared/errors.ts';
import { createReachGrid, noteReach, packReaches } from '../../shared/kernels/valuation/reach-grid.ts';
import { compReachM } from './around.ts';
import { lockCounty } from './county-lock.ts';
import { holdModel, readModel, type StoredModel } from './model-store.ts';
import { extentOf, PARCEL_COLUMNS } from './parcels.ts';
import { boxOfComps } from './read-comps.ts';
import { valueAndStore, type Watch } from './value-and-store.ts';

export type ValuedParcels = { parcels: number; valued: number };

/**
 * Values every parcel of a county with the model that there is, and replaces what is stored, atomically: readers see the
 * old valuations or the new ones. Takes the county's marks back.
 * @throws PlatError `no_model` when nothing was fitted yet
 */
export function valueCounty(pool: Pool, fips: number, watch: Watch): Promise<ValuedParcels> {
  return transaction(pool, async client => {
    const model = await beginCounty(client, fips);
    // Before the parcels are read: a mark that comes later stays.
    await client.query(sql('valuation/clear_county_marks'), [fips]);
    await client.query(sql('valuation/set_county'), [fips]);
    const { rows, columns } = await readCopyBinary(
      client.query(copyStreams.to(sql('valuation/copy_parcels'))),
      PARCEL_COLUMNS,
    );
    await client.query(sql('valuation/delete_valuations'), [fips, null]);
    if (rows === 0) {
      await client.query(sql('valuation/forget_county'), [fips]);
      return { parcels: 0, valued: 0 };
    }
    const extent = extentOf(columns);
    const box = await boxOfComps(client, fips, model, extent);
    const reaches = createReachGrid(extent, rows);
    let farthestM = compReachM(model.parameters, fips);
    const valued = await valueAndStore(client, fips, model, columns, box, watch, (i, reachM) => {
      noteReach(reaches, columns.lon[i]!, columns.lat[i]!, reachM);
      farthestM = Math.max(farthestM, reachM);
      return true;
    });
    await client.query(sql('valuation/store_county'), [fips, ...extent, farthestM, packReaches(reaches)]);
    return { parcels: rows, valued };
  });
}

/** For the transaction that writes valuations of a county: the model that they are to be by, which stays until its end. */
export async function beginCounty(client: Client, fips: number, atHand?: StoredModel): Promise<StoredModel> {
  await lockCounty(client, fips);
  await holdModel(client);
  const model = await readModel(client, atHand);
  if (model === null)
    throw new PlatError(
      'no_model',
      'No valuation model was fitted yet: run `plat recompute valuations --all`.',
    );
  return model;
}
