import { count } from '../../../shared/domain/figures.ts';
import type { Filter, FilterBody } from '../../../shared/parcels/filter/declare-filter.ts';
import { selectionOf } from '../../../shared/parcels/filter/filter-selection.ts';
import { FILTERS } from '../../../shared/parcels/filter/filters.ts';
import { countyText } from '../../../shared/regions/counties.ts';
import { filterBody } from '../../v1/parcels/filter/filter-body.ts';
import { filterParcels } from '../../v1/parcels/filter/filter-parcels.ts';
import { Empty, Notice } from '../frame/layout.tsx';
import { callEndpoint, type Visit, withParam } from '../frame/visit.ts';
import { type Chip, chipsOf } from './filter-chips.tsx';
import { needsText } from './filter-needs.ts';

/** What is not known of any parcel of the county that was searched, and how many match without it. */
export type Unknown = { fips: number; filters: Filter[]; count: number };

/** Why a county's search found nothing; undefined where all that was asked is known of some parcel. */
export async function findUnknown(
  visit: Visit,
  filters: Record<string, unknown>,
): Promise<Unknown | undefined> {
  const body = filterBody.safeParse(filters).data;
  if (body?.county === undefined) return undefined;
  const fips = body.county as number;
  const unknown: Filter[] = [];
  // One after the other: a page of many filters takes no more than one connection.
  for (const filter of FILTERS) if (!(await isKnown(visit, filter, body, fips))) unknown.push(filter);
  if (unknown.length === 0) return undefined;
  const names = unknown.map(({ name }) => name);
  return { fips, filters: unknown, count: await countWithout(visit, filters, names) };
}

async function countWithout(
  visit: Visit,
  filters: Record<string, unknown>,
  names: readonly string[],
): Promise<number> {
  const others = Object.entries(filters).filter(([name]) => !names.includes(name));
  const { count } = await callEndpoint<{ count: number }>(visit, filterParcels, {
    body: Object.fromEntries(others),
    query: { page_size: '1' },
  });
  return count;
}

/** Filters of a search that are tried without, when it found nothing. */
const MAX_TRIED = 8;

export type Loosened = Chip & { count: number };

/** The filters without which something matches, from the one that leaves most. */
export async function findLoosened(visit: Visit, filters: Record<string, unknown>): Promise<Loosened[]> {
  const tried: Loosened[] = [];
  const scopes = FILTERS.filter(({ scope, name }) => scope && filters[name] !== undefined);
  for (const chip of chipsOf(visit.url).slice(0, MAX_TRIED)) {
    // Without its only place it would be no search.
    if (scopes.every(({ name }) => chip.names.includes(name))) continue;
    tried.push({ ...chip, count: await countWithout(visit, filters, chip.names) });
  }
  return tried.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count);
}

async function isKnown(visit: Visit, filter: Filter, body: FilterBody, fips: number): Promise<boolean> {
  // Scopes are places and owners, which are there or not.
  if (body[filter.name] === undefined || filter.scope || filter.where === undefined) return true;
  const others = FILTERS.filter(each => each.where === undefined).map(({ name }) => [name, body[name]]);
  const alone = { ...Object.fromEntries(others), [filter.name]: body[filter.name] };
  const { from, where, values } = selectionOf(alone, { asOf: visit.deps.now() });
  const { database } = visit.deps.resources;
  const [row] = await database.runComposed<{ known: boolean }>(
    'parcels/is_known',
    { from, where },
    { ...values, fips },
  );
  return row!.known;
}

type NoHitsProps = { visit: Visit; unknown: Unknown | undefined; loosened: readonly Loosened[] };

export function NoHits({ visit, unknown, loosened }: NoHitsProps) {
  if (unknown === undefined) return <Loosening of={loosened} />;
  const { filters, fips, count: hits } = unknown;
  const url = filters.reduce(
    (address, { name }) => new URL(withParam(address, name), address),
    new URL(withParam(visit.url, 'page'), visit.url),
  );
  const dropped = chipsOf(visit.url)
    .filter(({ names }) => filters.some(({ name }) => names.includes(name)))
    .map(({ words }) => `“${words}”`);
  const words = needsText(filters);
  return (
    <Notice kind="warn">
      <b>
        {words[0]!.toUpperCase() + words.slice(1)} are not loaded for {countyText(fips)}
      </b>
      <br />
      What is not known never matches, so {dropped.join(' and ')} {dropped.length > 1 ? 'leave' : 'leaves'}{' '}
      nothing. <b>{count(hits)}</b> match without {dropped.length > 1 ? 'these filters' : 'this filter'}.{' '}
      <a href="/coverage">What is loaded</a>
      <span class="buttons">
        <a href={url.pathname + url.search} class="button small">
          Drop {dropped.join(' and ')}, show {count(hits)}
        </a>
      </span>
    </Notice>
  );
}

function Loosening({ of }: { of: readonly Loosened[] }) {
  if (of.length === 0)
    return (
      <Empty icon="search-x" title="Nothing matches.">
        Fewer filters, or wider ones, find more.
      </Empty>
    );
  return (
    <Empty icon="search-x" title="Nothing matches.">
      Without one filter:
      {of.map(({ words, without, count: hits }) => (
        <>
          <br />
          <a href={without}>
            {count(hits)} without “{words}”
          </a>
        </>
      ))}
    </Empty>
  );
}
