import { listFilledFields } from '../../../shared/feeds/feed-statements.ts';
import type { LoadedData } from '../../../shared/model/loaded-data.ts';
import type { Filter } from '../../../shared/parcels/filter/declare-filter.ts';
import type { Coverage } from '../../v1/feeds/get-coverage.ts';
import { countyCoverage } from '../../v1/feeds/get-coverage.ts';
import { callEndpoint, type Visit } from '../frame/visit.ts';

export type Known = LoadedData & { coverage: Coverage };

/** @throws PlatError `not_found` */
export async function readKnown(visit: Visit, fips: string): Promise<Known> {
  const [coverage, filled] = await Promise.all([
    callEndpoint<Coverage>(visit, countyCoverage, { params: { fips } }),
    listFilledFields(visit.deps.db, Number(fips)),
  ]);
  return { coverage, filled };
}

/** Whether no parcel of a county can match, or be told from others, by a filter. */
export const isLacking = ({ needs }: Filter, known: Known | undefined): boolean =>
  known !== undefined && needs?.isLoaded(known) === false;

const and = new Intl.ListFormat('en-US');

/** `wetlands and slopes`, of several filters, each once. */
export const needsText = (filters: readonly Filter[]): string =>
  and.format(new Set(filters.map(({ label, needs }) => needs?.words ?? `“${label}”`)));
