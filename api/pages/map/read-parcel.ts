import { type ConfidenceOrder, readConfidenceOrder } from '../../../shared/feeds/confidence-order.ts';
import { listOverlays } from '../../../shared/land/overlay-feeds.ts';
import { type AssemblageParts, readAssemblage } from '../../../shared/land/read-assemblage.ts';
import { type CompPlace, listCompPlaces } from '../../../shared/market/market-statements.ts';
import { narrowestBucket, sizes } from '../../../shared/model/buckets.ts';
import type { Overlay } from '../../../shared/model/overlays.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import type { FoundPhones } from '../../v1/common/found-phones.ts';
import type { RegionStats } from '../../v1/common/request-schemas.ts';
import type { Comp } from '../../v1/market/comp-schema.ts';
import { countyStats } from '../../v1/market/get-market-stats.ts';
import { listComps } from '../../v1/market/list-comps.ts';
import { ownerPortfolio, type Portfolio } from '../../v1/parcels/owner-portfolio.ts';
import { aiCompValue, type ExplainedValue } from '../../v1/valuation/ai-comp-value.ts';
import { callEndpoint, type Visit } from '../frame/visit.ts';
import { readPhones } from '../parts/parcel-phones.ts';
import { type Detail, readDetail } from '../parts/read-detail.ts';

export type Photo = {
  path: string;
  attribution: string;
  captured: string | null;
};

export type Missing = { why: string };

export type ParcelData = {
  detail: Detail;
  /** An aerial photo. */
  photo: Photo | undefined;
  value: ExplainedValue | Missing;
  /** Whether higher confidence means smaller errors in the county. */
  order: ConfidenceOrder | null;
  /** Where the comps of the estimate are. */
  places: ReadonlyMap<string, CompPlace>;
  comps: Comp[];
  /** Sales of similar lots in the county, if any. */
  market: SimilarSales | undefined;
  portfolio: Portfolio | Missing;
  phones: FoundPhones | undefined;
  /** The overlays that the page can show, with their labels and colors. */
  overlays: readonly Overlay[];
  assemblage: AssemblageParts | undefined;
};

/** The past year's sales of similar-size lots in the county, with the median price per acre in USD. */
export type SimilarSales = { fips: string; sizes: string; sales: number; medianPerAcre: number };

/** Comps within this distance (5 miles) are listed. */
const COMPS_M = 8_047;

/** Reads everything the page shows. @throws PlatError `not_found` */
export async function readParcel(visit: Visit, id: string): Promise<ParcelData> {
  const params = { property_id: id };
  const detail = await readDetail(visit, id);
  const valued = orWhyNot(
    callEndpoint<ExplainedValue>(visit, aiCompValue, { params, query: { explain: 'true' } }),
  );
  const [photo, value, order, places, portfolio, phones, market, overlays, assemblage, comps] =
    await Promise.all([
      readPhoto(visit, detail.property_id),
      valued,
      detail.fips === null ? null : readConfidenceOrder(visit.deps.db, Number(detail.fips)),
      valued.then(value =>
        'why' in value
          ? new Map()
          : listCompPlaces(
              visit.deps.db,
              value.explanation.comps.map(({ id }) => id),
            ),
      ),
      orWhyNot(callEndpoint<Portfolio>(visit, ownerPortfolio, { params })),
      readPhones(visit, detail),
      readSimilarSales(visit, detail),
      listOverlays(visit.deps.db),
      detail.assemblage === null ? undefined : readAssemblage(visit.deps.db, detail.property_id),
      detail.point === null
        ? undefined
        : callEndpoint<{ results: Comp[] }>(visit, listComps, {
            query: { point: detail.point.map(String), dist: String(COMPS_M), page_size: '100' },
          }),
    ]);
  const results = comps?.results ?? [];
  const found = { photo, value, order, places, comps: results, market, portfolio, phones, overlays };
  return { detail, ...found, assemblage };
}

/** Uses only the parcel's own size class, because small lots cost more per acre than large tracts. */
async function readSimilarSales(
  visit: Visit,
  { fips, effective_acres: acres }: Detail,
): Promise<SimilarSales | undefined> {
  const bucket = acres === null ? undefined : narrowestBucket(acres);
  if (bucket === undefined || fips === null) return undefined;
  const market = await orWhyNot(callEndpoint<RegionStats>(visit, countyStats, { params: { fips } }));
  if ('why' in market) return undefined;
  const stats = market.stats.find(({ type }) => type === bucket.label)?.data;
  const medianPerAcre = stats?.['Median Sold PPA'];
  if (typeof medianPerAcre !== 'number') return undefined;
  return { fips, sizes: sizes(bucket.label), sales: Number(stats!['Sold: 1yr']), medianPerAcre };
}

async function readPhoto({ deps }: Visit, id: number): Promise<Photo | undefined> {
  const { images } = deps.resources;
  try {
    const { key, imagery, ...caption } = await images.pictures.describe(id);
    // The land map shows the relief too.
    if (imagery !== 'aerial') return undefined;
    return { ...caption, path: (await images.addressOf(id, key, deps.now())).path };
  } catch (error) {
    // The parcel has no boundary, the boundary is too complex, or no imagery is available.
    if (error instanceof PlatError && [404, 422, 503].includes(error.status)) return undefined;
    throw error;
  }
}

async function orWhyNot<T>(answer: Promise<T>): Promise<T | Missing> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof PlatError && [400, 404, 422].includes(error.status))
      return { why: [error.details?.property_id ?? error.message].flat().join(' ') };
    throw error;
  }
}
