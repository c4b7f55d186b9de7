import { type Client, type Pool, sql, transaction } from '../../shared/db.ts';
import { enqueue } from '../../shared/jobs.ts';
import { addTo } from '../../shared/kernels/groups.ts';
import { dayOf } from '../../shared/kernels/stats/calendar.ts';
import { effectsByCounty } from '../../shared/kernels/valuation/effects.ts';
import { LAND_TERMS, type LandFigures, writeLandTerms } from '../../shared/kernels/valuation/land.ts';
import { isLateOutlier } from '../../shared/kernels/valuation/latecomers.ts';
import { defaultDay } from './default-day.ts';
import { valuationCounty, valuationFit } from './jobs.ts';
import { linkComps } from './link-comps.ts';
import { groupMarks, type LandChanges, type Mark, type PlaceMark } from './marks.ts';
import { lockModel, readModel, type StoredModel } from './model-store.ts';
import { type Change, valueReached } from './reached.ts';
import { secondOf } from './second-records.ts';

type Sale = { id: string; fips: number; sold_date: string; acres: number; price: number } & {
  [Figure in keyof LandFigures]: number | null;
};

export type Refreshed = {
  /** Parcels that were valued anew here. */
  parcels: number;
  /** Jobs that do the rest. */
  jobs: string[];
};

/**
 * Deals with what merges have marked, and the chunks that compute what the land layers tell. A mark goes when what it asks
 * for is done: those of places and of parcels' land here, those of counties and of the market with their jobs. Killed
 * before that, the next refresh finds it.
 */
export async function refreshValuations(pool: Pool, signal: AbortSignal): Promise<Refreshed> {
  const { rows } = await pool.query<Mark>(sql('valuation/list_marks'));
  if (rows.length === 0) return { parcels: 0, jobs: [] };
  const marks = groupMarks(rows);
  const known = marks.market ? null : await takeStock(pool, marks.places, marks.land);
  if (known === null) return { parcels: 0, jobs: [(await enqueue(pool, valuationFit, {})).id] };

  // Where the land has no effect on prices there is nothing to be valued anew.
  const effectsOf = effectsByCounty(known.model.parameters.effects);
  const landed = (fips: number) => effectsOf(fips).land !== null;
  const landedCounties = [...marks.land.counties].filter(landed);
  if (landedCounties.length > 0) await pool.query(sql('valuation/mark_counties'), [landedCounties]);
  const whole = new Set([...marks.counties, ...landedCounties]);
  const jobs: string[] = [];
  for (const fips of whole) jobs.push((await enqueue(pool, valuationCounty, { fips })).id);

  let parcels = 0;
  for (const fips of await reachedCounties(pool, [...marks.places, ...known.changes], marks.land)) {
    signal.throwIfAborted();
    // What a whole county is owed covers what its parcels are.
    if (whole.has(fips)) continue;
    const changes = landed(fips) ? [...marks.places, ...known.changes] : marks.places;
    const besides = landed(fips) ? (marks.land.parcels.get(fips) ?? []) : [];
    if (changes.length + besides.length === 0) continue;
    parcels += (await valueReached(pool, fips, { changes, besides, model: known.model }, { signal })).parcels;
  }
  await pool.query(sql('valuation/clear_marks'), [marks.done]);
  return { parcels, jobs };
}

async function reachedCounties(
  pool: Pool,
  places: readonly Change[],
  land: LandChanges,
): Promise<Iterable<number>> {
  const { rows } = await pool.query<{ fips: number }>(sql('valuation/list_reached_counties'), [
    places.map(({ lon }) => lon),
    places.map(({ lat }) => lat),
  ]);
  return new Set([...rows.map(({ fips }) => fips), ...land.parcels.keys()]);
}

/**
 * Looks at the comps that came or changed, and at those whose land did: finds their parcels anew, and says which of the
 * sales that came are outliers of the model, or told before by another feed.
 * @returns the model, and the comps of land that changed; null when there is no model that the comps can be looked at with
 */
function takeStock(
  pool: Pool,
  places: readonly PlaceMark[],
  land: LandChanges,
): Promise<{ model: StoredModel; changes: Change[] } | null> {
  return transaction(pool, async (client: Client) => {
    await lockModel(client);
    const model = await readModel(client);
    if (model === null) return null;
    const comps = await listMarked(client, model, places);
    if (await isPast(client, model, comps)) return null;
    await linkMarked(client, comps);
    for (const fips of land.counties) await linkComps(client, { fips });
    const changes: Change[] = [];
    for (const [fips, parcels] of land.parcels) {
      const { rows } = await client.query<Change & { id: string }>(sql('valuation/list_parcel_comps'), [
        fips,
        parcels,
      ]);
      await linkComps(client, { fips, ids: rows.map(({ id }) => id) });
      changes.push(...rows);
    }
    await judgeSales(client, model, places);
    return { model, changes };
  });
}

/**
 * Whether comps came that a model fitted now looks at and this one, for its day, must not: the first of a day, or the first
 * that are of no snapshot.
 */
async function isPast(client: Client, { asOf }: StoredModel, comps: readonly MarkedComp[]): Promise<boolean> {
  // Without a later day another fit would be the same again.
  return comps.some(({ later }) => later) && (await defaultDay(client)) > asOf;
}

const columnsOf = (places: readonly PlaceMark[]) => [
  places.map(({ lon }) => lon),
  places.map(({ lat }) => lat),
  places.map(({ acres }) => acres),
];

/** `later`: of a day that the model must not look at. */
type MarkedComp = { id: string; fips: number; later: boolean };

async function listMarked(
  client: Client,
  { asOf }: StoredModel,
  places: readonly PlaceMark[],
): Promise<MarkedComp[]> {
  if (places.length === 0) return [];
  const values = [...columnsOf(places), asOf];
  return (await client.query<MarkedComp>(sql('valuation/list_marked_comps'), values)).rows;
}

async function linkMarked(client: Client, comps: readonly MarkedComp[]): Promise<void> {
  const idsOfCounty = new Map<number, string[]>();
  for (const { id, fips } of comps) addTo(idsOfCounty, fips, id);
  for (const [fips, ids] of idsOfCounty) await linkComps(client, { fips, ids });
}

async function judgeSales(client: Client, model: StoredModel, places: readonly PlaceMark[]): Promise<void> {
  if (places.length === 0) return;
  const { rows: sales } = await client.query<Sale>(sql('valuation/list_marked_sales'), columnsOf(places));
  const second = await secondOf(client, idsOf(sales));
  const leftOut = sales.filter(
    ({ id, fips, sold_date, acres, price, ...figures }) =>
      second.has(id) ||
      isLateOutlier(model.parameters, {
        ...{ county: fips, day: dayOf(sold_date), acres, price },
        land: landTerms(figures),
      }),
  );
  await client.query(sql('valuation/judge_sales'), [idsOf(sales), idsOf(leftOut)]);
}

function landTerms(figures: { [Figure in keyof LandFigures]: number | null }): Float64Array {
  const { steepPercent, frontageFt, floodPercent, wetlandsPercent } = figures;
  return writeLandTerms(
    {
      steepPercent: steepPercent ?? Number.NaN,
      frontageFt: frontageFt ?? Number.NaN,
      floodPercent: floodPercent ?? Number.NaN,
      wetlandsPercent: wetlandsPercent ?? Number.NaN,
    },
    new Float64Array(LAND_TERMS),
  );
}

const idsOf = (sales: readonly Sale[]) => sales.map(({ id }) => id);
