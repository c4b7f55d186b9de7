import {
  type Candidate,
  MAX_CANDIDATES,
  type MarketBucket,
  type PriceTrend,
  type ReportSnapshot,
} from '../../shared/comping/comp-report.ts';
import { boxOf } from '../../shared/geo/box.ts';
import { geodesicDistanceM } from '../../shared/geo/distance.ts';
import { decodeBoundary, fromE7 } from '../../shared/geo/geometry-codec.ts';
import { dayOf, isoDay } from '../../shared/kernels/stats/calendar.ts';
import { candidatesOf } from '../../shared/kernels/valuation/candidates.ts';
import { LAND_TERMS, writeLandTerms } from '../../shared/kernels/valuation/land-effects.ts';
import { MODEL_VERSION, type Model } from '../../shared/kernels/valuation/model.ts';
import { type ChosenComps, newChosenComps } from '../../shared/kernels/valuation/select.ts';
import { logAt } from '../../shared/kernels/valuation/time-curve.ts';
import { DAYS_PER_YEAR, type Subject } from '../../shared/kernels/valuation/valuation-types.ts';
import { createValuer } from '../../shared/kernels/valuation/value-parcel.ts';
import { readOverlayWords } from '../../shared/land/overlay-words.ts';
import { narrowestBucket } from '../../shared/model/buckets.ts';
import { uuidText } from '../../shared/model/uuid.ts';
import type { Db } from '../../shared/platform/db.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';
import type { AssessorOpinion } from '../valuation/assessed-land.ts';
import type { StoredComps } from '../valuation/valuation-comps.ts';

export type SnapshotRequest = {
  id: string;
  /** Whether the report has no snapshot yet. */
  is_new: boolean;
  property_id: number;
  wanted: string;
  on_roll: boolean;
  kept: Candidate[] | null;
  x: number | null;
  y: number | null;
  acres: number | null;
  boundary: Uint8Array | null;
  waterfront: boolean | null;
  stated_acres: number | null;
  calculated_acres: number | null;
  land_use_code: string | null;
} & Omit<ReportSnapshot['subject'], 'fips' | 'lon' | 'lat' | 'acres' | 'outline' | 'overlays'>;

export type Market = { asOf: string; comps: StoredComps; model: Model; opinion: AssessorOpinion };

export async function snapshotOf(
  db: Db,
  fips: number,
  market: Market,
  wanted: SnapshotRequest,
): Promise<ReportSnapshot> {
  const { asOf, comps, model } = market;
  const {
    id: _id,
    is_new: _isNew,
    property_id: parcel,
    wanted: _at,
    on_roll,
    kept,
    x,
    y,
    acres,
    boundary,
    waterfront,
    stated_acres,
    calculated_acres,
    land_use_code,
    ...known
  } = wanted;
  const place = { lon: fromE7(x!), lat: fromE7(y!), acres: acres! };
  const shore = waterfront === null ? Number.NaN : Number(waterfront);
  const subject = { ...place, land: landOf(known), shore, assessed: market.opinion(parcel, dayOf(asOf)) };
  const chosen = newChosenComps();
  const machine = createValuer(model, chosen)(subject);
  const used = new Set(machine === null ? [] : chosen.source.subarray(0, chosen.count));
  const candidates = await readCandidates(db, market, subject, used);
  const here = new Set(candidates.map(({ id }) => id));
  const gone = (kept ?? []).filter(({ id }) => !here.has(id));
  return {
    as_of: asOf,
    made_at: new Date().toISOString(),
    model_version: MODEL_VERSION,
    subject: {
      ...known,
      ...place,
      fips: fiveDigits(fips),
      outline: outlineOf(boundary),
      overlays: await readOverlayWords(db, parcel),
    },
    parcel: { fips, retired: !on_roll, acres: stated_acres, calculated_acres, land_use_code },
    elasticity: model.effects.elasticity,
    weight_edges: { listing: chosen.edge[0]!, sale: chosen.edge[1]! },
    neighborhood: neighborhoodOf(
      model,
      machine === null ? model.kriging.at(subject, model.asOfDay, -1).logPpa : chosen.neighborhood,
    ),
    trend: trendOf(model),
    calibration: model.calibration,
    discount: model.discount,
    machine,
    candidates: [...candidates, ...gone.map(comp => ({ ...comp, gone: true, used: false }))],
    comps: comps.count,
    ...(await readMarkets(db, fiveDigits(fips), known.zip, acres!)),
  };
}

type KnownLand = Pick<
  SnapshotRequest,
  'steep_percent' | 'frontage_ft' | 'flood_percent' | 'wetlands_percent'
>;

function landOf({ steep_percent, frontage_ft, flood_percent, wetlands_percent }: KnownLand): Float64Array {
  const unknown = Number.NaN;
  return writeLandTerms(
    {
      steepPercent: steep_percent ?? unknown,
      frontageFt: frontage_ft ?? unknown,
      floodPercent: flood_percent ?? unknown,
      wetlandsPercent: wetlands_percent ?? unknown,
    },
    new Float64Array(LAND_TERMS),
  );
}

/**
 * The comps nearest to the subject, with how the model uses each one.
 * @param used comps behind the subject's value
 */
async function readCandidates(
  db: Db,
  { asOf, comps, model }: Market,
  subject: Subject,
  used: ReadonlySet<number>,
): Promise<Candidate[]> {
  const near = candidatesOf(model, comps, subject, MAX_CANDIDATES);
  const ids = Array.from(near.source.subarray(0, near.count), source =>
    uuidText(Buffer.from(comps.ids.subarray(16 * source, 16 * source + 16)).toString('hex')),
  );
  const rows = await db.run<Listing>('comping/list_comps', { ids, as_of: asOf });
  const listings = new Map(rows.map(row => [row.id, row]));
  return ids.flatMap((id, i): Candidate[] => {
    const listing = listings.get(id);
    // The feed removed this comp after the comps were read.
    if (listing === undefined) return [];
    const source = near.source[i]!;
    const [lon, lat] = [comps.lon[source]!, comps.lat[source]!];
    return [
      {
        ...listing,
        lon,
        lat,
        price: near.price[i]!,
        steps: near.steps[i]!,
        distance_m: Math.round(geodesicDistanceM(subject.lon, subject.lat, lon, lat)),
        age: listing.sold_date === null ? null : dayOf(asOf) - dayOf(listing.sold_date),
        adjustments: adjustmentsOf(near, i),
        left_out: near.market[i] !== model.sales && near.market[i] !== model.asking,
        used: used.has(source),
      },
    ];
  });
}

function neighborhoodOf(model: Model, logPpa: number): ReportSnapshot['neighborhood'] {
  return { log_ppa: Number.isNaN(logPpa) ? null : logPpa, share: model.neighborhoodShare };
}

/** The report's words on the trend are about the last five years. */
const TREND_YEARS = 5;

function trendOf({ effects, sales, county, asOfDay }: Model): PriceTrend {
  const days = sales.day.filter((_, i) => sales.county[i] === county);
  const first = days.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY);
  const from = Math.max(effects.time.knots[0]!, asOfDay - TREND_YEARS * DAYS_PER_YEAR);
  return {
    yearly: -logAt(effects.time, from) / ((asOfDay - from) / DAYS_PER_YEAR),
    sales: days.length,
    since: days.length === 0 ? null : Number(isoDay(first).slice(0, 4)),
  };
}

type Listing = Omit<
  Candidate,
  'lon' | 'lat' | 'distance_m' | 'age' | 'steps' | 'adjustments' | 'left_out' | 'used' | 'gone'
>;

function adjustmentsOf(
  { size, time, location, land, asking }: ChosenComps,
  i: number,
): Candidate['adjustments'] {
  return {
    size: size[i]!,
    time: time[i]!,
    location: location[i]!,
    land: Number.isNaN(land[i]!) ? null : land[i]!,
    asking: asking[i]!,
  };
}

type Region = {
  name: string;
  county_name: string;
  state: string;
  as_of: string | null;
  stats: { type: string; data: Record<string, number | null> }[];
};

async function readMarkets(db: Db, fips: string, zip: string, acres: number) {
  const bucket = narrowestBucket(acres)?.label ?? null;
  const rows = await db.run<{ type: string; body: string }>('comping/read_markets', { fips, zip });
  const marketOf = (wanted: string): MarketBucket | null => {
    const row = rows.find(({ type }) => type === wanted);
    if (row === undefined) return null;
    const { name, county_name, state, as_of, stats }: Region = JSON.parse(row.body);
    return {
      name: wanted === 'zip' ? `ZIP ${name}` : `${county_name}, ${state}`,
      as_of,
      data: stats.find(({ type }) => type === bucket)?.data ?? null,
    };
  };
  return { bucket, county_market: marketOf('county'), zip_market: marketOf('zip') };
}

/** Width of the report's outline in steps. Smaller details wouldn't be visible. */
const OUTLINE_STEPS = 500;

/** The rings of a boundary, without vertices that would not be visible. */
function outlineOf(boundary: Uint8Array | null): [number, number][][] {
  if (boundary === null) return [];
  const shape = decodeBoundary(boundary);
  const [west, south, east, north] = boxOf(shape);
  const step = Math.max(east - west, north - south) / OUTLINE_STEPS;
  return shape.flat().map(ring => {
    const kept: [number, number][] = [];
    for (const [lon, lat] of ring) {
      const last = kept.at(-1);
      if (last === undefined || Math.hypot(lon - last[0], lat - last[1]) >= step) kept.push([lon, lat]);
    }
    return kept;
  });
}
