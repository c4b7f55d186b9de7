import { count } from '../../../shared/model/figures.ts';
import type { Filter, FilterBody } from '../../../shared/parcels/filter/declare-filter.ts';
import { selectionOf } from '../../../shared/parcels/filter/filter-selection.ts';
import { FILTERS } from '../../../shared/parcels/filter/filters.ts';
import { isKnownIn } from '../../../shared/parcels/filter/hit-statements.ts';
import { countParcels } from '../../../shared/parcels/map-statements.ts';
import { countyText, fiveDigits } from '../../../shared/regions/counties.ts';
import { filterBody } from '../../v1/parcels/filter/filter-body.ts';
import { countiesOf } from '../../v1/parcels/filter/filter-count.ts';
import { filterParcels } from '../../v1/parcels/filter/filter-parcels.ts';
import { Empty, Notice } from '../frame/layout.tsx';
import { callEndpoint, type Visit, withParam } from '../frame/visit.ts';
import { type Chip, chipsOf } from '../parts/filter-words.ts';
import { NoParcels, WhoLoads } from '../parts/no-parcels.tsx';
import { missingDataText } from './filter-needs.ts';

/**
 * Filters whose data is unknown for every parcel in the county, and the number of parcels that match without
 * them.
 */
type UnknownFields = { fips: number; filters: Filter[]; count: number };

/** Undefined if every filter has data for some parcel in the county. */
async function findUnknown(
  visit: Visit,
  filters: Record<string, unknown>,
): Promise<UnknownFields | undefined> {
  const body = filterBody.safeParse(filters).data;
  if (body?.county === undefined) return undefined;
  const fips = body.county as number;
  const unknown: Filter[] = [];
  // Run these one after another, so that a page uses only one connection.
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

/** Maximum number of filters to try removing. */
const MAX_TRIED = 8;
/** Scopes other than named places. */
const OTHER_SCOPES = ['geom_intersects', 'owner_parcel_id', 'list_id'];
/** Maximum number of counties to name when a place has no parcels. */
const MAX_NAMED = 3;

type RelaxedFilter = Chip & { count: number };

/** A search that has fewer filters and does have results. */
export type NearMiss = { words: string; count: number; search: string };

/** A county with no parcels in the searched place. `parcels` is the number in the whole county. */
type EmptyPlace = { fips: number; parcels: number };

/** Why a search has no results, and similar searches that do have results. */
export type NoResults = {
  /** The place's counties, if it has no parcels at all. */
  empty: EmptyPlace[];
  unknown: UnknownFields | undefined;
  /** The number of parcels in the place, ignoring other filters. */
  all: number;
  /** Number of results without each filter, in descending order. */
  relaxed: RelaxedFilter[];
  nearMiss: NearMiss | undefined;
};

export async function explainNoResults(visit: Visit, filters: Record<string, unknown>): Promise<NoResults> {
  const unknown = await findUnknown(visit, filters);
  const scopes = FILTERS.filter(({ scope, name }) => scope && filters[name] !== undefined);
  const kept = new Set(['order', ...scopes.map(({ name }) => name)]);
  const chips = chipsOf(visit.url);
  const relaxed: RelaxedFilter[] = [];
  for (const chip of chips.slice(0, MAX_TRIED)) {
    // Every search needs a place.
    if (scopes.every(({ name }) => chip.names.includes(name))) continue;
    relaxed.push({ ...chip, count: await countWithout(visit, filters, chip.names) });
  }
  relaxed.sort((a, b) => b.count - a.count);
  const others = Object.keys(filters).filter(name => !kept.has(name));
  const all = others.length === 0 ? 0 : await countWithout(visit, filters, others);
  return {
    empty: all === 0 ? await findEmptyPlaces(visit, filters) : [],
    unknown,
    relaxed,
    all,
    nearMiss: findNearMiss(visit, chips, unknown, relaxed),
  };
}

/** The counties of a search, named directly or by ZIP code. */
async function findEmptyPlaces(visit: Visit, filters: Record<string, unknown>): Promise<EmptyPlace[]> {
  const body = filterBody.safeParse(filters).data;
  if (body === undefined || OTHER_SCOPES.some(name => body[name] !== undefined)) return [];
  const { db } = visit.deps;
  const counties = await countiesOf({ zips_include: [], ...body }, db, visit.work);
  const loaded = await countParcels(db, counties);
  return counties.map(fips => loaded.find(county => county.fips === fips) ?? { fips, parcels: 0 });
}

function findNearMiss(
  visit: Visit,
  chips: readonly Chip[],
  unknown: UnknownFields | undefined,
  [first]: readonly RelaxedFilter[],
): NearMiss | undefined {
  if (unknown && unknown.count > 0)
    return {
      words: wordsOf(chips, unknown).join(' and '),
      count: unknown.count,
      search: urlWithout(visit, unknown).search,
    };
  if (!first?.count) return undefined;
  return { words: `“${first.words}”`, count: first.count, search: first.without.replace(/^[^?]*/, '') };
}

const urlWithout = (visit: Visit, { filters }: UnknownFields): URL =>
  filters.reduce(
    (address, { name }) => new URL(withParam(address, name), address),
    new URL(withParam(visit.url, 'page'), visit.url),
  );

/** The labels of active filters that the county has no data for. */
const wordsOf = (chips: readonly Chip[], { filters }: UnknownFields): string[] =>
  chips
    .filter(({ names }) => filters.some(({ name }) => names.includes(name)))
    .map(({ words }) => `“${words}”`);

async function isKnown(visit: Visit, filter: Filter, body: FilterBody, fips: number): Promise<boolean> {
  // Places and owners are never unknown.
  if (body[filter.name] === undefined || filter.scope || filter.where === undefined) return true;
  const others = FILTERS.filter(each => each.where === undefined).map(({ name }) => [name, body[name]]);
  const alone = { ...Object.fromEntries(others), [filter.name]: body[filter.name] };
  const selection = selectionOf(alone, { asOf: visit.deps.now() });
  return isKnownIn(visit.deps.db, selection, fips);
}

type NoHitsProps = { visit: Visit; filters: Record<string, unknown>; noResults: NoResults };

export function NoHits({ visit, filters, noResults: { empty, unknown, all, relaxed } }: NoHitsProps) {
  if (empty.length > 0) return <EmptyPlaces visit={visit} empty={empty} />;
  return (
    <>
      {unknown && <MissingData visit={visit} unknown={unknown} />}
      {relaxed.length > 0 ? (
        <RelaxedFilters of={relaxed} all={all} county={filters.county} />
      ) : (
        unknown === undefined && (
          <Empty icon="search-x" title="No parcels match">
            Remove a filter or widen a range.
          </Empty>
        )
      )}
    </>
  );
}

function inCounty(url: URL, fips: number): string {
  const params = new URLSearchParams(url.search);
  for (const name of ['counties', 'zips_include', 'state', 'page']) params.delete(name);
  params.set('county', fiveDigits(fips));
  return `/data?${params}`;
}

function EmptyPlaces({ visit, empty }: { visit: Visit; empty: readonly EmptyPlace[] }) {
  const loaded = empty.filter(({ parcels }) => parcels > 0).slice(0, MAX_NAMED);
  if (loaded.length === 0)
    return <NoParcels visit={visit} counties={empty.slice(0, MAX_NAMED).map(({ fips }) => fips)} />;
  return (
    <Notice kind="warn">
      <b>No parcels found in this part of {loaded.map(({ fips }) => countyText(fips)).join('; ')}.</b> The
      roll may have no ZIP codes. Search the whole county instead:
      <span class="buttons">
        {loaded.map(({ fips }) => (
          <a href={inCounty(visit.url, fips)} class="button small">
            Search all of {countyText(fips)}
          </a>
        ))}
      </span>
    </Notice>
  );
}

function MissingData({ visit, unknown }: { visit: Visit; unknown: UnknownFields }) {
  const { filters, fips, count: hits } = unknown;
  const url = urlWithout(visit, unknown);
  const dropped = wordsOf(chipsOf(visit.url), unknown);
  return (
    <Notice kind="warn">
      <b>
        No {missingDataText(filters)} for {countyText(fips)}
      </b>
      <br />
      {dropped.join(' and ')} {dropped.length > 1 ? 'match' : 'matches'} nothing until this data is loaded.{' '}
      <b>{count(hits)}</b> {hits === 1 ? 'parcel matches' : 'parcels match'} without{' '}
      {dropped.length > 1 ? 'them' : 'it'}.{' '}
      <WhoLoads visit={visit} fips={fips} coverage={`/coverage/${fiveDigits(fips)}`} />
      <span class="buttons">
        <a href={url.pathname + url.search} class="button small">
          Remove {dropped.join(' and ')} · show {count(hits)}
        </a>
      </span>
    </Notice>
  );
}

function RelaxedFilters({ of, all, county }: { of: readonly RelaxedFilter[]; all: number; county: unknown }) {
  return (
    <section class="card flush loosening" aria-labelledby="loosening">
      <table>
        <caption id="loosening">Results without each filter</caption>
        <tbody>
          {of.map(({ words, without, count: hits }) => (
            <tr>
              <th scope="row">{hits > 0 ? <a href={without}>Without “{words}”</a> : `Without “${words}”`}</th>
              <td class="figure">{count(hits)}</td>
            </tr>
          ))}
          {all > 0 && (
            <tr>
              <th scope="row">
                {county === undefined
                  ? 'All parcels in this place'
                  : `All parcels in ${countyText(Number(county))}`}
              </th>
              <td class="figure">{count(all)}</td>
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
}
