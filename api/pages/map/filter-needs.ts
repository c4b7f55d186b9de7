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

/** Whether a county has no data for a filter. */
export const isLacking = ({ needs }: Filter, known: Known | undefined): boolean =>
  known !== undefined && needs?.isLoaded(known) === false;

const or = new Intl.ListFormat('en-US', { type: 'disjunction' });

/** The data that filters need, such as "wetlands or slope data". */
export const missingDataText = (filters: readonly Filter[]): string =>
  `${or.format(new Set(filters.map(({ label, needs }) => needs?.words ?? label.toLowerCase())))} data`;
