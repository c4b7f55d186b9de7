import copyStreams from 'pg-copy-streams';
import { readCopyBinary } from '../../shared/copy-binary.ts';
import { type Client, type Pool, sql, transaction } from '../../shared/db.ts';
import { PlatError } from '../../shared/errors.ts';
import { fromE7 } from '../../shared/kernels/geometry/codec.ts';
import { restoreModel } from '../../shared/kernels/valuation/model.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { farthestReachM, grown } from './around.ts';
import { holdModel, readModel, type StoredModel } from './model-store.ts';
import { type Box, indicesOf, readComps } from './read-comps.ts';
import { openValuationWriter } from './write-valuations.ts';

/** The columns of copy_parcels.sql. */
const COLUMNS = {
  id: { type: 'int8', null: Number.NaN },
  lon: { type: 'float8', null: Number.NaN },
  lat: { type: 'float8', null: Number.NaN },
  acres: { type: 'float8', null: Number.NaN },
} as const;

/** Parcels of one county in columns; places in integers of 1e-7 degree. */
export type Parcels = { id: Float64Array; lon: Float64Array; lat: Float64Array; acres: Float64Array };

export type ValuedParcels = { parcels: number; valued: number };

/** The first of a pair of advisory locks; any number that no other pair begins with. */
const COUNTY_LOCK = 7_152_811;
/** Parcels between two looks at the signal, and turns of the event loop. */
const TURN = 500;

type Watch = { signal: AbortSignal; progress?(share: number): void };

/**
 * Values every parcel of a county with the model that there is, and replaces what is stored, atomically: readers see the
 * old valuations or the new ones.
 * @throws PlatError `no_model` when nothing was fitted yet
 */
export function valueCounty(pool: Pool, fips: number, watch: Watch): Promise<ValuedParcels> {
  return transaction(pool, async client => {
    await client.query(sql('valuation/lock_county'), [COUNTY_LOCK, fips]);
    const model = await requireModel(client);
    await client.query(sql('valuation/set_county'), [fips]);
    const { columns } = await readCopyBinary(
      client.query(copyStreams.to(sql('valuation/copy_parcels'))),
      COLUMNS,
    );
    return valueAndStore(client, fips, model, columns, null, watch);
  });
}

/** The same for some parcels of it. */
export function valueParcels(
  pool: Pool,
  fips: number,
  parcels: Parcels,
  watch: Watch,
): Promise<ValuedParcels> {
  return transaction(pool, async client => {
    await client.query(sql('valuation/lock_county'), [COUNTY_LOCK, fips]);
    const model = await requireModel(client);
    return valueAndStore(client, fips, model, parcels, [...parcels.id], watch);
  });
}

async function requireModel(client: Client): Promise<StoredModel> {
  await holdModel(client);
  const model = await readModel(client);
  if (model === null)
    throw new PlatError(
      'no_model',
      'No valuation model was fitted yet: run `plat recompute valuations --all`.',
    );
  return model;
}

async function valueAndStore(
  client: Client,
  fips: number,
  { asOf, parameters, outliers }: StoredModel,
  parcels: Parcels,
  ids: number[] | null,
  { signal, progress }: Watch,
): Promise<ValuedParcels> {
  const count = parcels.id.length;
  await client.query(sql('valuation/delete_valuations'), [fips, ids]);
  if (count === 0) return { parcels: 0, valued: 0 };
  const box = grown(extentOf(parcels), farthestReachM(parameters, fips));
  const comps = await readComps(client, box);
  const value = createValuer(restoreModel(parameters, comps, indicesOf(comps, outliers)));
  const writer = openValuationWriter(client, asOf, comps.ids);
  let valued = 0;
  for (let i = 0; i < count; i++) {
    if (i % TURN === 0) {
      signal.throwIfAborted();
      progress?.(i / count);
    }
    const subject = {
      lon: fromE7(parcels.lon[i]!),
      lat: fromE7(parcels.lat[i]!),
      acres: parcels.acres[i]!,
      county: fips,
    };
    const valuation = value(subject);
    if (valuation === null) continue;
    valued++;
    await writer.write(fips, parcels.id[i]!, valuation);
  }
  await writer.end();
  return { parcels: count, valued };
}

function extentOf({ lon, lat }: Parcels): Box {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < lon.length; i++) {
    west = Math.min(west, lon[i]!);
    east = Math.max(east, lon[i]!);
    south = Math.min(south, lat[i]!);
    north = Math.max(north, lat[i]!);
  }
  return [fromE7(west), fromE7(south), fromE7(east), fromE7(north)];
}
