import { notFound } from '../../http/error-responses.ts';
import type { ParcelSummary } from '../../v1/common/parcel-summary.ts';
import { getProperty, type TimelineEntry } from '../../v1/parcels/property-detail.ts';
import { callEndpoint, type Visit } from '../frame/visit.ts';

export type Detail = ParcelSummary & { timeline: TimelineEntry[] } & Record<string, unknown>;

/** @throws PlatError `not_found` */
export function readDetail(visit: Visit, id: string): Promise<Detail> {
  if (!/^\d{12,13}$/.test(id)) throw notFound("We can't find that parcel.");
  return callEndpoint<Detail>(visit, getProperty, {
    params: { property_id: id },
    query: { timeline: 'true' },
  });
}
