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

/** A filter or a color. */
type Needy = Pick<Filter, 'label' | 'needs'>;

/** Whether a county has no data for a filter or a color. */
export const isLacking = ({ needs }: Needy, known: Known | undefined): boolean =>
  known !== undefined && needs?.isLoaded(known) === false;

const or = new Intl.ListFormat('en-US', { type: 'disjunction' });

/**
 * The data that filters or colors need, such as "wetlands or slope data".
 * @param known skips data that the county has
 */
export function missingDataText(of: readonly Needy[], known?: Known): string {
  const words = of.flatMap(({ label, needs }) => {
    if (needs === undefined) return label.toLowerCase();
    const missing = (needs.parts ?? [needs]).filter(part => known === undefined || !part.isLoaded(known));
    return missing.map(part => part.words);
  });
  return `${or.format(new Set(words))} data`;
}
