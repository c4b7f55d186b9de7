import { setImmediate as turn } from 'node:timers/promises';
import type { Client } from '../../shared/db.ts';
import { fromE7 } from '../../shared/geo/codec.ts';
import type { Box } from '../../shared/geo/types.ts';
import { effectsByCounty, usesLand } from '../../shared/kernels/valuation/effects.ts';
import { landAt } from '../../shared/kernels/valuation/land.ts';
import { restoreModel } from '../../shared/kernels/valuation/model.ts';
import { newChosen } from '../../shared/kernels/valuation/select.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { compReachM } from './around.ts';
import { landTermsOf } from './land-columns.ts';
import type { StoredModel } from './model-store.ts';
import { alongCurve } from './order.ts';
import type { Parcels } from './parcels.ts';
import { readCompsAround } from './read-comps.ts';
import { openValuationWriter } from './write-valuations.ts';

/** Parcels between two looks at the signal, and turns of the event loop. */
const TURN = 500;

export type Watch = { signal: AbortSignal; progress?(share: number): void };

/**
 * Values parcels of a county by the comps in a box, and stores what they are worth.
 * @param takes whether a parcel's valuation, or that it has none, is what all comps would say: told how far in metres they could be
 *   to change it; what is not taken is not stored
 * @returns how many were stored
 */
export async function valueAndStore(
  client: Client,
  fips: number,
  { asOf, parameters }: StoredModel,
  parcels: Parcels,
  box: Box,
  { signal, progress }: Watch,
  takes: (parcel: number, reachM: number) => boolean,
): Promise<number> {
  const count = parcels.id.length;
  const { comps, outliers } = await readCompsAround(client, box, usesLand(parameters.effects));
  const landed = effectsByCounty(parameters.effects)(fips).land !== null;
  const land = landed ? landTermsOf(count, parcels) : undefined;
  const compReach = compReachM(parameters, fips);
  const chosen = newChosen();
  const value = createValuer(restoreModel(parameters, comps, outliers), chosen);
  const writer = openValuationWriter(client, asOf, comps.ids);
  let stored = 0;
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
      const reachM = valuation === null ? compReach : Math.max(valuation.reachM, valuation.levelReachM);
      if (!takes(i, reachM) || valuation === null) continue;
      stored++;
      const behind = writer.write(fips, parcels.id[i]!, valuation, chosen);
      if (behind) await behind;
    }
    await writer.end();
  } catch (error) {
    await writer.abort();
    throw error;
  }
  return stored;
}
