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
import { needsText } from './filter-needs.ts';

/** What is not known of any parcel of the county that was searched, and how many match without it. */
type Unknown = { fips: number; filters: Filter[]; count: number };

/** What is not known of a county's parcels; undefined where all that was asked is known of some parcel. */
async function findUnknown(visit: Visit, filters: Record<string, unknown>): Promise<Unknown | undefined> {
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
/** Scopes that are no place by name. */
const ELSEWHERE = ['geom_intersects', 'owner_parcel_id', 'list_id'];
/** Counties that are named where a place has no parcels. */
const MAX_NAMED = 3;

type Loosened = Chip & { count: number };

/** A search that finds something where the one that was asked does not. */
export type Almost = { words: string; count: number; search: string };

/** A county in which a search finds nothing, whatever else it asks for. */
type EmptyPlace = { fips: number; parcels: number };

export type Zero = {
  /** The counties of the place, where it has no parcels at all. */
  empty: EmptyPlace[];
  unknown: Unknown | undefined;
  /** Parcels of the place, whatever they are. */
  all: number;
  /** Without each filter alone, from the one that leaves most. */
  loosened: Loosened[];
  almost: Almost | undefined;
};

export async function explainZero(visit: Visit, filters: Record<string, unknown>): Promise<Zero> {
  const unknown = await findUnknown(visit, filters);
  const scopes = FILTERS.filter(({ scope, name }) => scope && filters[name] !== undefined);
  const kept = new Set(['order', ...scopes.map(({ name }) => name)]);
  const chips = chipsOf(visit.url);
  const loosened: Loosened[] = [];
  for (const chip of chips.slice(0, MAX_TRIED)) {
    // Without its only place it would be no search.
    if (scopes.every(({ name }) => chip.names.includes(name))) continue;
    loosened.push({ ...chip, count: await countWithout(visit, filters, chip.names) });
  }
  loosened.sort((a, b) => b.count - a.count);
  const others = Object.keys(filters).filter(name => !kept.has(name));
  const all = others.length === 0 ? 0 : await countWithout(visit, filters, others);
  return {
    empty: all === 0 ? await findEmptyPlaces(visit, filters) : [],
    unknown,
    loosened,
    all,
    almost: almostOf(visit, chips, unknown, loosened),
  };
}

/** The counties that a search names, by themselves or by ZIP codes. */
async function findEmptyPlaces(visit: Visit, filters: Record<string, unknown>): Promise<EmptyPlace[]> {
  const body = filterBody.safeParse(filters).data;
  if (body === undefined || ELSEWHERE.some(name => body[name] !== undefined)) return [];
  const { db } = visit.deps;
  const counties = await countiesOf({ zips_include: [], ...body }, db, visit.work);
  const loaded = await countParcels(db, counties);
  return counties.map(fips => loaded.find(county => county.fips === fips) ?? { fips, parcels: 0 });
}

function almostOf(
  visit: Visit,
  chips: readonly Chip[],
  unknown: Unknown | undefined,
  [first]: readonly Loosened[],
): Almost | undefined {
  if (unknown && unknown.count > 0)
    return {
      words: wordsOf(chips, unknown).join(' and '),
      count: unknown.count,
      search: addressWithout(visit, unknown).search,
    };
  if (!first?.count) return undefined;
  return { words: `“${first.words}”`, count: first.count, search: first.without.replace(/^[^?]*/, '') };
}

const addressWithout = (visit: Visit, { filters }: Unknown): URL =>
  filters.reduce(
    (address, { name }) => new URL(withParam(address, name), address),
    new URL(withParam(visit.url, 'page'), visit.url),
  );

/** The chips of what is not known. */
const wordsOf = (chips: readonly Chip[], { filters }: Unknown): string[] =>
  chips
    .filter(({ names }) => filters.some(({ name }) => names.includes(name)))
    .map(({ words }) => `“${words}”`);

async function isKnown(visit: Visit, filter: Filter, body: FilterBody, fips: number): Promise<boolean> {
  // Scopes are places and owners, which are there or not.
  if (body[filter.name] === undefined || filter.scope || filter.where === undefined) return true;
  const others = FILTERS.filter(each => each.where === undefined).map(({ name }) => [name, body[name]]);
  const alone = { ...Object.fromEntries(others), [filter.name]: body[filter.name] };
  const selection = selectionOf(alone, { asOf: visit.deps.now() });
  return isKnownIn(visit.deps.db, selection, fips);
}

type NoHitsProps = { visit: Visit; filters: Record<string, unknown>; zero: Zero };

export function NoHits({ visit, filters, zero: { empty, unknown, all, loosened } }: NoHitsProps) {
  if (empty.length > 0) return <NothingThere visit={visit} empty={empty} />;
  return (
    <>
      {unknown && <NotLoaded visit={visit} unknown={unknown} />}
      {loosened.length > 0 ? (
        <Loosening of={loosened} all={all} county={filters.county} />
      ) : (
        unknown === undefined && (
          <Empty icon="search-x" title="Nothing matches.">
            Fewer filters, or wider ones, find more.
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

function NothingThere({ visit, empty }: { visit: Visit; empty: readonly EmptyPlace[] }) {
  const loaded = empty.filter(({ parcels }) => parcels > 0).slice(0, MAX_NAMED);
  if (loaded.length === 0)
    return <NoParcels visit={visit} counties={empty.slice(0, MAX_NAMED).map(({ fips }) => fips)} />;
  return (
    <Notice kind="warn">
      <b>No parcel of {loaded.map(({ fips }) => countyText(fips)).join('; ')} is told to be there.</b> Where a
      roll has no ZIP codes, the county finds its parcels:
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

function NotLoaded({ visit, unknown }: { visit: Visit; unknown: Unknown }) {
  const { filters, fips, count: hits } = unknown;
  const url = addressWithout(visit, unknown);
  const dropped = wordsOf(chipsOf(visit.url), unknown);
  const words = needsText(filters);
  return (
    <Notice kind="warn">
      <b>
        {words[0]!.toUpperCase() + words.slice(1)} are not loaded for {countyText(fips)}
      </b>
      <br />
      What is not known never matches, so {dropped.join(' and ')} {dropped.length > 1 ? 'leave' : 'leaves'}{' '}
      nothing. <b>{count(hits)}</b> match without {dropped.length > 1 ? 'these filters' : 'this filter'}.{' '}
      <WhoLoads visit={visit} fips={fips} coverage={`/coverage/${fiveDigits(fips)}`} />
      <span class="buttons">
        <a href={url.pathname + url.search} class="button small">
          Drop {dropped.join(' and ')}, show {count(hits)}
        </a>
      </span>
    </Notice>
  );
}

function Loosening({ of, all, county }: { of: readonly Loosened[]; all: number; county: unknown }) {
  return (
    <section class="card flush loosening" aria-labelledby="loosening">
      <table>
        <caption id="loosening">What is left with one filter off</caption>
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
                {county === undefined ? 'All parcels there' : `All parcels in ${countyText(Number(county))}`}
              </th>
              <td class="figure">{count(all)}</td>
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
}
