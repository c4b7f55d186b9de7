import { setImmediate as turn } from 'node:timers/promises';
import copyStreams from 'pg-copy-streams';
import { type CopiedColumns, readCopyBinary } from '../../shared/copy-binary.ts';
import { type Client, type Pool, sql, transaction } from '../../shared/db.ts';
import { PlatError } from '../../shared/errors.ts';
import { fromE7 } from '../../shared/kernels/geometry/codec.ts';
import { effectsByCounty, usesLand } from '../../shared/kernels/valuation/effects.ts';
import { landAt } from '../../shared/kernels/valuation/land.ts';
import { restoreModel } from '../../shared/kernels/valuation/model.ts';
import { newChosen } from '../../shared/kernels/valuation/select.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { compReachM, grown, levelReachM } from './around.ts';
import { lockCounty } from './county-lock.ts';
import { LAND_COLUMNS, landTermsOf } from './land-columns.ts';
import { holdModel, readModel, type StoredModel } from './model-store.ts';
import { alongCurve } from './order.ts';
import { type Box, listCompCounties, readCompsAround } from './read-comps.ts';
import { openValuationWriter } from './write-valuations.ts';

/** The columns of copy_parcels.sql. */
const COLUMNS = {
  id: { type: 'int8', null: Number.NaN },
  lon: { type: 'float8', null: Number.NaN },
  lat: { type: 'float8', null: Number.NaN },
  acres: { type: 'float8', null: Number.NaN },
  ...LAND_COLUMNS,
} as const;

/** Parcels of one county in columns; places in integers of 1e-7 degree. */
type Parcels = CopiedColumns<typeof COLUMNS>;
type Parcel = { [Column in keyof typeof COLUMNS]: number | null };

/** A place and size of a comp that came, changed or went. Integers of 1e-7 degree. */
export type Change = { lon: number; lat: number; acres: number };

export type ValuedParcels = { parcels: number; valued: number };

/** Parcels between two looks at the signal, and turns of the event loop. */
const TURN = 500;

type Watch = { signal: AbortSignal; progress?(share: number): void };

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
      COLUMNS,
    );
    await client.query(sql('valuation/delete_valuations'), [fips, null]);
    if (rows === 0) {
      await client.query(sql('valuation/forget_county'), [fips]);
      return { parcels: 0, valued: 0 };
    }
    const extent = extentOf(columns);
    const { valued, farthestM } = await valueAndStore(client, fips, model, columns, extent, watch);
    const reachM = Math.max(farthestM, compReachM(model.parameters, fips));
    await client.query(sql('valuation/store_county'), [fips, ...extent, reachM]);
    return { parcels: rows, valued };
  });
}

/** The same for the parcels of it that changed comps can reach, and some besides. */
export function valueReached(
  pool: Pool,
  fips: number,
  changes: readonly Change[],
  besides: readonly number[],
  watch: Watch,
): Promise<ValuedParcels> {
  return transaction(pool, async client => {
    const model = await beginCounty(client, fips);
    // Only now: whoever held the lock before may have brought valuations that reach farther.
    const { rows } = await client.query<Parcel>(sql('valuation/list_reached_parcels'), [
      changes.map(({ lon }) => lon),
      changes.map(({ lat }) => lat),
      changes.map(({ acres }) => acres),
      fips,
      besides,
    ]);
    if (rows.length === 0) return { parcels: 0, valued: 0 };
    const parcels = inColumns(rows);
    await client.query(sql('valuation/delete_valuations'), [fips, [...parcels.id]]);
    const extent = extentOf(parcels);
    const { valued, farthestM } = await valueAndStore(client, fips, model, parcels, extent, watch);
    await client.query(sql('valuation/widen_county'), [fips, farthestM]);
    return { parcels: rows.length, valued };
  });
}

async function beginCounty(client: Client, fips: number): Promise<StoredModel> {
  await lockCounty(client, fips);
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
  { asOf, parameters }: StoredModel,
  parcels: Parcels,
  extent: Box,
  { signal, progress }: Watch,
): Promise<{ valued: number; farthestM: number }> {
  const count = parcels.id.length;
  const around = grown(extent.map(fromE7) as unknown as Box, compReachM(parameters, fips));
  const counties = [fips, ...(await listCompCounties(client, around))];
  const box = grown(around, levelReachM(parameters, counties));
  const { comps, outliers } = await readCompsAround(client, box, usesLand(parameters.effects));
  const landed = effectsByCounty(parameters.effects)(fips).land !== null;
  const land = landed ? landTermsOf(count, parcels) : undefined;
  const chosen = newChosen();
  const value = createValuer(restoreModel(parameters, comps, outliers), chosen);
  const writer = openValuationWriter(client, asOf, comps.ids);
  let valued = 0;
  let farthestM = 0;
  try {
    const order = alongCurve(parcels.lon, parcels.lat);
    for (let n = 0; n < count; n++) {
      if (n % TURN === 0) {
        await turn();
        signal.throwIfAborted();
        progress?.(n / count);
      }
      const i = order[n]!;
      const valuation = value({
        lon: fromE7(parcels.lon[i]!),
        lat: fromE7(parcels.lat[i]!),
        acres: parcels.acres[i]!,
        county: fips,
        land: landAt(land, i),
      });
      if (valuation === null) continue;
      valued++;
      farthestM = Math.max(farthestM, valuation.levelReachM);
      const behind = writer.write(fips, parcels.id[i]!, valuation, chosen);
      if (behind) await behind;
    }
    await writer.end();
  } catch (error) {
    await writer.abort();
    throw error;
  }
  return { valued, farthestM };
}

/** West, south, east, north. */
function extentOf({ lon, lat }: Pick<Parcels, 'lon' | 'lat'>): Box {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < lon.length; i++) {
    west = Math.min(west, lon[i]!);
    east = Math.max(east, lon[i]!);
    south = Math.min(south, lat[i]!);
    north = Math.max(north, lat[i]!);
  }
  return [west, south, east, north];
}

function inColumns(rows: readonly Parcel[]): Parcels {
  const names = Object.keys(COLUMNS) as (keyof Parcels)[];
  return Object.fromEntries(
    names.map(name => [name, Float64Array.from(rows, row => row[name] ?? Number.NaN)]),
  ) as Parcels;
}
