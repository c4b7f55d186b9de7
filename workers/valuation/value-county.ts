import { setImmediate as turn } from 'node:timers/promises';
import { boxSql, emptyBox, growBox, isEmptyBox, withMarginE7 } from '../../shared/geo/box.ts';
import { decodeBoundary, fromE7 } from '../../shared/geo/geometry-codec.ts';
import type { Box } from '../../shared/geo/geometry-types.ts';
import { hilbertOrder } from '../../shared/geo/hilbert.ts';
import { pointInMultiPolygon } from '../../shared/geo/point-in-polygon.ts';
import { classifyFifths } from '../../shared/kernels/figure-classes.ts';
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
import type { Subject } from '../../shared/kernels/valuation/valuation-types.ts';
import { createValuer, withoutSupport } from '../../shared/kernels/valuation/value-parcel.ts';
import { MAX_ACREAGE_CORRECTION } from '../../shared/model/sold-acres.ts';
import { packComps, packedBytes } from '../../shared/model/valuation-comps-codec.ts';
import { type CopiedColumns, copyBytes, openCopy, readCopy } from '../../shared/platform/copy.ts';
import type { Db } from '../../shared/platform/db.ts';
import { LOCKS } from '../../shared/platform/locks.ts';
import { compose, literal, sql } from '../../shared/platform/statements.ts';
import { openChanges, recordChanges } from '../changes/record-changes.ts';
import { type AssessorOpinion, readOpinions } from './assessed-land.ts';
import { storeSaleFlags } from './flag-sales.ts';
import { type IsUnsellable, readUnsellable } from './unsellable-parcels.ts';
import {
  assessSales,
  joinComps,
  LAND_COLUMNS,
  landTermsOf,
  readComps,
  type StoredComps,
} from './valuation-comps.ts';
import { valueAssemblages } from './value-assemblages.ts';

export type ValuedCounty = {
  /** 'YYYY-MM-DD' */
  asOf: string;
  /** Number of sales that the model uses, in the county and nearby. `outliers` counts the excluded ones. */
  sales: number;
  outliers: number;
  parcels: number;
  valued: number;
};

export type JobControl = { signal: AbortSignal; progress?(share: number): void };

/** The change feed includes parcels whose estimated value changes by more than this share. */
const MOVED_SHARE = 0.05;

/** Parcels per turn of the event loop. The signal is checked after each turn. */
const PARCELS_PER_TURN = 500;

const number = { type: 'float8', null: Number.NaN } as const;
/** The columns of valuation/copy_parcels. Locations are in integers of 1e-7 degree. */
const PARCEL_COLUMNS = {
  id: { type: 'int8', null: Number.NaN },
  lon: number,
  lat: number,
  acres: number,
  ...LAND_COLUMNS,
} as const;

type Parcels = CopiedColumns<typeof PARCEL_COLUMNS>;

/**
 * Fits a county's market to its own and nearby comps, values every parcel, and replaces the stored valuations
 * atomically, so that readers see either the old or the new ones. Clears the county's marks. Can be repeated
 * after a crash at any point.
 */
export function valueCounty(
  db: Db,
  { fips, asOf }: { fips: number; asOf?: string | undefined },
  watch: JobControl,
): Promise<ValuedCounty> {
  return db.transaction(async tx => {
    await lockCounty(tx, fips);
    // Clear marks before reading anything, so that marks set later remain.
    await tx.run('valuation/clear_marks', { fips });
    const day = asOf ?? (await defaultValuationDay(tx));
    await linkCompsToParcels(tx, fips);
    const copy = compose('valuation/copy_parcels', { fips: literal(fips) });
    const { rows, columns } = await readCopy(tx, copy, PARCEL_COLUMNS);
    await tx.run('changes/keep_valuations', {}, { fips: literal(fips) });
    await tx.run('valuation/delete_valuations', { fips });
    if (rows === 0) {
      const none = { extent: null, reach: null, as_of: null, breaks: null, counts: null };
      await tx.run('valuation/store_valued', { fips, ...none });
      await storeSaleFlags(tx, fips, null);
      return { asOf: day, sales: 0, outliers: 0, parcels: 0, valued: 0 };
    }
    const extent = extentOf(columns);
    const { comps, compM, opinion } = await readMarket(tx, fips, extent, dayOf(day));
    const others = await readOtherCounties(tx, fips);
    const { model, known, outliers } = fitCounty(comps, fips, dayOf(day), others);
    const reach = withMarginE7(extent, compM);
    const unsellable = await readUnsellable(tx, fips);
    const perAcre = await valueParcels(tx, model, day, columns, { comps, opinion, unsellable }, watch);
    const valued = perAcre.length;
    const { breaks, counts } = classifyFifths(perAcre);
    await tx.run('valuation/store_valued', {
      fips,
      extent: boxSql(extent),
      reach: boxSql(reach),
      ...(valued === 0 ? { as_of: null, breaks: null, counts: null } : { as_of: day, breaks, counts }),
    });
    await storeSaleFlags(tx, fips, { comps, known, excluded: outliers });
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
 * A county's comps, and the comps of other counties that affect its parcels or the price level around its
 * comps.
 * @param extent the box of the county's parcels, or empty if they aren't needed
 * @returns `compM` (the maximum distance of a parcel's comps) and `opinion` (the assessed values of the
 * county's parcels)
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

/** The box around parcels, in integers of 1e-7 degree. */
function extentOf({ lon, lat }: Parcels): Box {
  const extent = emptyBox();
  for (let i = 0; i < lon.length; i++) growBox(extent, [lon[i]!, lat[i]!, lon[i]!, lat[i]!]);
  return extent;
}

type ValuationInput = { comps: StoredComps; opinion: AssessorOpinion; unsellable: IsUnsellable };

/** Values the parcels of the model's county and stores the values. @returns the values per acre */
async function valueParcels(
  db: Db,
  model: Model,
  asOf: string,
  parcels: Parcels,
  { comps: { ids }, opinion, unsellable }: ValuationInput,
  { signal, progress }: JobControl,
): Promise<Float64Array> {
  const count = parcels.id.length;
  const perAcre = new Float64Array(count);
  const land = model.effects.land === null ? undefined : landTermsOf(count, parcels);
  const chosen = newChosenComps();
  const value = createValuer(model, chosen);
  const subjectAt = (i: number): Subject => ({
    lon: fromE7(parcels.lon[i]!),
    lat: fromE7(parcels.lat[i]!),
    acres: parcels.acres[i]!,
    land: landAt(land, i),
    assessed: opinion(parcels.id[i]!, model.asOfDay),
    shore: parcels.shore[i]!,
  });
  const copy = openCopy(db, sql('valuation/copy_valuations'));
  let stored = 0;
  try {
    // Values neighbors one after the other, while the comps they share are still in the CPU cache.
    const order = hilbertOrder(parcels.lon, parcels.lat);
    for (let n = 0; n < count; n++) {
      if (n % PARCELS_PER_TURN === 0) {
        await turn();
        await copy.drain();
        signal.throwIfAborted();
        progress?.(n / count);
      }
      const i = order[n]!;
      const estimate = value(subjectAt(i));
      if (estimate === null) continue;
      const valuation = unsellable(parcels.id[i]!, parcels.acres[i]!) ? withoutSupport(estimate) : estimate;
      const { meanPrice, meanPpa, meanAdjustedPrice, meanAdjustedPpa, gini, confidence } = valuation;
      const { low, high, outOfSupport, neighborhood } = valuation;
      perAcre[stored++] = meanAdjustedPpa;
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
  const places = new Map(Array.from(parcels.id, (id, i) => [id, i]));
  await valueAssemblages(db, model.county, value, id => {
    const i = places.get(id);
    return i === undefined ? undefined : subjectAt(i);
  });
  return perAcre.subarray(0, stored);
}

type Candidate = { id: string; property_id: number; x: number; y: number; boundary: Uint8Array };

/**
 * Finds the parcel of each comp in a county, and stores the parcel's land figures with the comp. Uses the
 * comp's key or parcel number, or else the boundary that contains its point. Skips parcels that were split or
 * merged after the sale, because their land is no longer what was sold.
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
