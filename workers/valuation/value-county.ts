import { setImmediate as turn } from 'node:timers/promises';
import { boxSql, emptyBox, growBox, isEmptyBox, withMarginE7 } from '../../shared/geo/box.ts';
import { decodeBoundary, fromE7 } from '../../shared/geo/geometry-codec.ts';
import type { Box } from '../../shared/geo/geometry-types.ts';
import { hilbertOrder } from '../../shared/geo/hilbert.ts';
import { pointInMultiPolygon } from '../../shared/geo/point-in-polygon.ts';
import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import { landAt } from '../../shared/kernels/valuation/land-effects.ts';
import {
  type CountyEstimates,
  fitCounty,
  MODEL_VERSION,
  type Model,
  type OtherCounties,
  reachOf,
} from '../../shared/kernels/valuation/model.ts';
import { newChosenComps } from '../../shared/kernels/valuation/select.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { MAX_ACREAGE_CORRECTION } from '../../shared/model/sold-acres.ts';
import { packComps, packedBytes } from '../../shared/model/valuation-comps-codec.ts';
import { type CopiedColumns, copyBytes, openCopy, readCopy } from '../../shared/platform/copy.ts';
import type { Db } from '../../shared/platform/db.ts';
import { LOCKS } from '../../shared/platform/locks.ts';
import { compose, literal, sql } from '../../shared/platform/statements.ts';
import { openChanges, recordChanges } from '../changes/record-changes.ts';
import { type AssessorOpinion, readOpinions } from './assessed-land.ts';
import {
  assessSales,
  joinComps,
  LAND_COLUMNS,
  landTermsOf,
  readComps,
  type StoredComps,
} from './valuation-comps.ts';

export type ValuedCounty = {
  /** 'YYYY-MM-DD' */
  asOf: string;
  /** Sales of the county and of those near it: used ones, and outliers. */
  sales: number;
  outliers: number;
  parcels: number;
  valued: number;
};

export type JobControl = { signal: AbortSignal; progress?(share: number): void };

/** A parcel whose estimated value changes by more than this share is in the change feed. */
const MOVED_SHARE = 0.05;

/** Parcels between two looks at the signal, and turns of the event loop. */
const PARCELS_PER_TURN = 500;

const number = { type: 'float8', null: Number.NaN } as const;
/** The columns of valuation/copy_parcels; places in integers of 1e-7 degree. */
const PARCEL_COLUMNS = {
  id: { type: 'int8', null: Number.NaN },
  lon: number,
  lat: number,
  acres: number,
  ...LAND_COLUMNS,
} as const;

type Parcels = CopiedColumns<typeof PARCEL_COLUMNS>;

/**
 * Fits the market of a county to its comps and nearby ones, values every parcel, and replaces the stored
 * valuations atomically: readers see the old ones or the new ones. Clears the county's marks. Can be repeated
 * after a crash at any point.
 */
export function valueCounty(
  db: Db,
  { fips, asOf }: { fips: number; asOf?: string | undefined },
  watch: JobControl,
): Promise<ValuedCounty> {
  return db.transaction(async tx => {
    await lockCounty(tx, fips);
    // Before anything is read, so that marks set later stay.
    await tx.run('valuation/clear_marks', { fips });
    const day = asOf ?? (await defaultValuationDay(tx));
    await linkCompsToParcels(tx, fips);
    const copy = compose('valuation/copy_parcels', { fips: literal(fips) });
    const { rows, columns } = await readCopy(tx, copy, PARCEL_COLUMNS);
    await tx.run('changes/keep_valuations', {}, { fips: literal(fips) });
    await tx.run('valuation/delete_valuations', { fips });
    if (rows === 0) {
      await tx.run('valuation/store_reach', { fips, extent: null, reach: null, as_of: null });
      return { asOf: day, sales: 0, outliers: 0, parcels: 0, valued: 0 };
    }
    const extent = extentOf(columns);
    const { comps, compM, opinion } = await readMarket(tx, fips, extent, dayOf(day));
    const { model, outliers } = fitCounty(comps, fips, dayOf(day), await readOtherCounties(tx, fips));
    const reach = withMarginE7(extent, compM);
    const valued = await valueParcels(tx, model, day, columns, { comps, opinion }, watch);
    await tx.run('valuation/store_reach', {
      fips,
      extent: boxSql(extent),
      reach: boxSql(reach),
      as_of: valued === 0 ? null : day,
    });
    await openChanges(tx);
    const moved = { fips: literal(fips), share: literal(MOVED_SHARE) };
    await tx.run('changes/stage_moved_valuations', {}, moved);
    await recordChanges(tx);
    return { asOf: day, sales: model.sales.source.length, outliers: outliers.size, parcels: rows, valued };
  });
}

/** Locks the county's valuations against other writers until the transaction ends. */
export async function lockCounty(db: Db, fips: number): Promise<void> {
  await db.run('valuation/lock_county', { lock: LOCKS.countyValuations, fips });
}

/** The default as-of date of valuations: 'YYYY-MM-DD'. */
export async function defaultValuationDay(db: Db): Promise<string> {
  const rows = await db.run<{ day: string }>('valuation/get_as_of');
  return rows[0]!.day;
}

/**
 * The comps of a county, and those of others that matter to its parcels or to the price level of a comp's
 * place.
 * @param extent of the county's parcels. Empty if they don't matter
 * @returns `compM`: how far from a parcel its comps can be; `opinion`: the assessor's values of its parcels
 */
export async function readMarket(
  db: Db,
  fips: number,
  extent: Box,
  asOfDay: number,
): Promise<{ comps: StoredComps; compM: number; opinion: AssessorOpinion }> {
  const own = await readComps(db, { fips });
  const opinion = await readOpinions(db, fips);
  assessSales(own, fips, opinion);
  const { compM, levelM } = reachOf(own, fips, asOfDay);
  const around: Box = [...extent];
  for (let i = 0; i < own.count; i++) {
    const [x, y] = [1e7 * own.lon[i]!, 1e7 * own.lat[i]!];
    growBox(around, [x, y, x, y]);
  }
  if (isEmptyBox(around)) return { comps: own, compM, opinion };
  const near = { box: withMarginE7(around, compM + levelM), exceptFips: fips };
  return { comps: joinComps(own, await readComps(db, near)), compM, opinion };
}

/** Model estimates from the sales of other counties. */
export async function readOtherCounties(db: Db, fips: number): Promise<OtherCounties> {
  const rows = await db.run<{ fips: number; estimates: CountyEstimates }>('valuation/list_estimates', {
    fips,
    model_version: MODEL_VERSION,
  });
  return new Map(rows.map(({ fips: other, estimates }) => [other, estimates]));
}

/** In integers of 1e-7 degree. */
function extentOf({ lon, lat }: Parcels): Box {
  const extent = emptyBox();
  for (let i = 0; i < lon.length; i++) growBox(extent, [lon[i]!, lat[i]!, lon[i]!, lat[i]!]);
  return extent;
}

/** Values parcels of the model's county, and stores what they are worth. @returns how many were */
async function valueParcels(
  db: Db,
  model: Model,
  asOf: string,
  parcels: Parcels,
  { comps: { ids }, opinion }: { comps: StoredComps; opinion: AssessorOpinion },
  { signal, progress }: JobControl,
): Promise<number> {
  const count = parcels.id.length;
  const land = model.effects.land === null ? undefined : landTermsOf(count, parcels);
  const chosen = newChosenComps();
  const value = createValuer(model, chosen);
  const copy = openCopy(db, sql('valuation/copy_valuations'));
  let stored = 0;
  try {
    // Neighbors are valued one after the other: the comps of one are still in the processor's
    // cache for the next.
    const order = hilbertOrder(parcels.lon, parcels.lat);
    for (let n = 0; n < count; n++) {
      if (n % PARCELS_PER_TURN === 0) {
        await turn();
        await copy.drain();
        signal.throwIfAborted();
        progress?.(n / count);
      }
      const i = order[n]!;
      const valuation = value({
        lon: fromE7(parcels.lon[i]!),
        lat: fromE7(parcels.lat[i]!),
        acres: parcels.acres[i]!,
        land: landAt(land, i),
        assessed: opinion(parcels.id[i]!, model.asOfDay),
        shore: parcels.shore[i]!,
      });
      if (valuation === null) continue;
      stored++;
      const { meanPrice, meanPpa, meanAdjustedPrice, meanAdjustedPpa, gini, confidence } = valuation;
      const { low, high, outOfSupport, neighborhood } = valuation;
      const packed = Buffer.allocUnsafe(packedBytes(chosen));
      packComps(chosen, ids, new DataView(packed.buffer, packed.byteOffset, packed.length), 0);
      copy.write(
        `${model.county}\t${parcels.id[i]!}\t${meanPrice}\t${meanPpa}\t${meanAdjustedPrice}\t${meanAdjustedPpa}\t${gini}\t` +
          `${confidence}\t${low}\t${high}\t${outOfSupport}\t${copyBytes(packed)}\t` +
          `${neighborhood?.ppa ?? '\\N'}\t${neighborhood?.weight ?? '\\N'}\t${asOf}\t${MODEL_VERSION}`,
      );
    }
    await copy.end();
  } catch (error) {
    await copy.abort();
    throw error;
  }
  return stored;
}

type Candidate = { id: string; property_id: number; x: number; y: number; boundary: Uint8Array };

/**
 * Finds the parcel of each comp of a county, and stores its land figures with the comp: by the comp's key or
 * number, else the parcel whose boundary contains its point. Skips parcels that were split or merged since,
 * because their land is not what was sold.
 */
export async function linkCompsToParcels(db: Db, fips: number): Promise<void> {
  if ((await db.rowCount('valuation/has_land', { fips })) === 0) {
    await db.run('valuation/forget_comp_land', { fips });
    return;
  }
  const county = { fips: literal(fips), most_correction: literal(MAX_ACREAGE_CORRECTION) };
  await db.run('valuation/link_comps', {}, county);
  const rows = await db.run<Candidate>('valuation/list_comps_on_land', {
    fips,
    most_correction: MAX_ACREAGE_CORRECTION,
  });
  const parcelOf = new Map<string, number>();
  for (const { id, property_id, x, y, boundary } of rows) {
    if (parcelOf.has(id)) continue;
    const side = pointInMultiPolygon([fromE7(x), fromE7(y)], decodeBoundary(boundary));
    if (side !== 'outside') parcelOf.set(id, property_id);
  }
  if (parcelOf.size === 0) return;
  const pairs = { ids: literal([...parcelOf.keys()]), parcels: literal([...parcelOf.values()]) };
  await db.run('valuation/store_comp_land', {}, { ...county, ...pairs });
}
