import { PlatError } from '../../../shared/base/errors.ts';
import type { Comp } from '../../v1/market/comp-schema.ts';
import { listComps } from '../../v1/market/list-comps.ts';
import { ownerPortfolio, type Portfolio } from '../../v1/parcels/owner-portfolio.ts';
import { aiCompValue, type ExplainedValue } from '../../v1/valuation/ai-comp-value.ts';
import { callEndpoint, type Visit } from '../frame/visit.ts';
import { type LookedUp, readPhones } from './parcel-phones.ts';
import { type Detail, readDetail } from './read-detail.ts';

/** The parcel's picture; undefined where none is to be had. */
export type Photo = {
  path: string;
  imagery: 'aerial' | 'relief';
  attribution: string;
  captured: string | null;
};

/** Why something is not known, in words. */
export type Missing = { why: string };

export type ParcelData = {
  detail: Detail;
  photo: Photo | undefined;
  value: ExplainedValue | Missing;
  comps: Comp[];
  portfolio: Portfolio | Missing;
  phones: LookedUp | undefined;
};

/** Comps are listed from this far around: 5 miles. */
const COMPS_M = 8_047;

/** All that the endpoints say about a parcel. @throws PlatError `not_found` */
export async function readParcel(visit: Visit, id: string): Promise<ParcelData> {
  const params = { property_id: id };
  const detail = await readDetail(visit, id);
  const [photo, value, portfolio, phones, comps] = await Promise.all([
    readPhoto(visit, detail.property_id),
    orWhyNot(callEndpoint<ExplainedValue>(visit, aiCompValue, { params, query: { explain: 'true' } })),
    orWhyNot(callEndpoint<Portfolio>(visit, ownerPortfolio, { params })),
    readPhones(visit, detail),
    detail.point === null
      ? undefined
      : callEndpoint<{ results: Comp[] }>(visit, listComps, {
          query: { point: detail.point.map(String), dist: String(COMPS_M), page_size: '100' },
        }),
  ]);
  return { detail, photo, value, comps: comps?.results ?? [], portfolio, phones };
}

async function readPhoto({ deps }: Visit, id: number): Promise<Photo | undefined> {
  const { images } = deps.resources;
  try {
    const { key, ...caption } = await images.pictures.describe(id);
    return { ...caption, path: (await images.addressOf(id, key, deps.now())).path };
  } catch (error) {
    // The parcel has no boundary, or one that is too complex; or no imagery is to be had. The
    // page says all else.
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
