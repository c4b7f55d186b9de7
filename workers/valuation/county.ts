import { setImmediate as turn } from 'node:timers/promises';
import { type CopiedColumns, readCopy } from '../../shared/copy.ts';
import { type Client, compose, literal, type Pool, sql, transaction } from '../../shared/db.ts';
import { boxSql, emptyBox, growBox, withMarginE7 } from '../../shared/geo/box.ts';
import { fromE7 } from '../../shared/geo/codec.ts';
import { hilbertOrder } from '../../shared/geo/hilbert.ts';
import type { Box } from '../../shared/geo/types.ts';
import { effectsByCounty, usesLand } from '../../shared/kernels/valuation/effects.ts';
import { landAt } from '../../shared/kernels/valuation/land.ts';
import { type Parameters, restoreModel } from '../../shared/kernels/valuation/model.ts';
import { MOST_STEPS, newChosen } from '../../shared/kernels/valuation/select.ts';
import { LEVEL_STEPS } from '../../shared/kernels/valuation/surface.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { LAND_COLUMNS, landTermsOf, readCompsAround } from './comps.ts';
import { lockCounty, readModel, type StoredModel } from './model-store.ts';
import { openValuationWriter } from './write-valuations.ts';

export type ValuedParcels = { parcels: number; valued: number };

export type Watch = { signal: AbortSignal; progress?(share: number): void };

/** Parcels between two looks at the signal, and turns of the event loop. */
const TURN = 500;

/** The columns of valuation/copy_parcels; places in integers of 1e-7 degree. */
const PARCEL_COLUMNS = {
  id: { type: 'int8', null: Number.NaN },
  lon: { type: 'float8', null: Number.NaN },
  lat: { type: 'float8', null: Number.NaN },
  acres: { type: 'float8', null: Number.NaN },
  ...LAND_COLUMNS,
} as const;

type Parcels = CopiedColumns<typeof PARCEL_COLUMNS>;

/**
 * Values every parcel of a county with the model that there is, and replaces what is stored, atomically: readers see the
 * old valuations or the new ones. Takes the county's marks back.
 * @throws PlatError `no_model` when nothing was fitted yet
 */
export function valueCounty(pool: Pool, fips: number, watch: Watch): Promise<ValuedParcels> {
  return transaction(pool, async client => {
    await lockCounty(client, fips);
    const model = await readModel(client);
    await client.query(sql('valuation/clear_marks'), [fips]);
    const statement = compose('valuation/copy_parcels', { fips: literal(fips) });
    const { rows, columns } = await readCopy(client, statement, PARCEL_COLUMNS);
    await client.query(sql('valuation/delete_valuations'), [fips]);
    if (rows === 0) {
      await client.query(sql('valuation/forget_county'), [fips]);
      return { parcels: 0, valued: 0 };
    }
    const extent = extentOf(columns);
    const compBox = withMarginE7(extent, MOST_STEPS * stepMetres(model.parameters, [fips]));
    await client.query(sql('valuation/store_county'), [fips, boxSql(extent), boxSql(compBox)]);
    const { rows: counties } = await client.query<{ fips: number }>(
      sql('valuation/list_comp_counties'),
      compBox,
    );
    // The price level of a comp's place is told by the sales around it in turn.
    const levelReachM =
      LEVEL_STEPS * stepMetres(model.parameters, [fips, ...counties.map(county => county.fips)]);
    const valued = await valueParcels(
      client,
      fips,
      model,
      columns,
      withMarginE7(compBox, levelReachM),
      watch,
    );
    return { parcels: rows, valued };
  });
}

/** The longest step of some counties; -1 stands for those without sales. */
function stepMetres({ steps }: Parameters, counties: readonly number[]): number {
  const metres = new Map(steps);
  return Math.max(...counties.map(county => metres.get(county) ?? metres.get(-1)!));
}

/** In integers of 1e-7 degree. */
function extentOf({ lon, lat }: Parcels): Box {
  const extent = emptyBox();
  for (let i = 0; i < lon.length; i++) growBox(extent, [lon[i]!, lat[i]!, lon[i]!, lat[i]!]);
  return extent;
}

/** Values parcels of a county by the comps in a box, and stores what they are worth. @returns how many were */
async function valueParcels(
  client: Client,
  fips: number,
  { asOf, parameters }: StoredModel,
  parcels: Parcels,
  box: Box,
  { signal, progress }: Watch,
): Promise<number> {
  const { comps, outliers } = await readCompsAround(client, box, usesLand(parameters.effects));
  const count = parcels.id.length;
  const landed = effectsByCounty(parameters.effects)(fips).land !== null;
  const land = landed ? landTermsOf(count, parcels) : undefined;
  const chosen = newChosen();
  const value = createValuer(restoreModel(parameters, comps, outliers), chosen);
  const writer = openValuationWriter(client, fips, asOf, comps.ids);
  let stored = 0;
  try {
    // Neighbours are valued one after the other: the comps of one are still in the processor's cache for the next.
    const order = hilbertOrder(parcels.lon, parcels.lat);
    for (let n = 0; n < count; n++) {
      if (n % TURN === 0) {
        await turn();
        await writer.drain();
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
      stored++;
      writer.write(parcels.id[i]!, valuation, chosen);
    }
    await writer.end();
  } catch (error) {
    await writer.abort();
    throw error;
  }
  return stored;
}
