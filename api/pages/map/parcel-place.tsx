import { count } from '../../../shared/model/figures.ts';
import { undefinedIfRefused } from '../../http/error-responses.ts';
import { filterParcels } from '../../v1/parcels/filter/filter-parcels.ts';
import { Icon } from '../frame/icons.tsx';
import { callEndpoint, type Visit, withParam } from '../frame/visit.ts';
import type { UrlFilters } from '../parts/read-filters.ts';
import { inOrder, sizeOf } from './result-views.tsx';
import type { SearchResult } from './search-results.tsx';

/** The open parcel's position in the results that it was opened from. `at` is undefined if it is unknown. */
export type ParcelPlace = {
  count: number;
  at: number | undefined;
  before: number | undefined;
  after: number | undefined;
};

/** Undefined if there is no search or the search is invalid. */
export async function readPlace(
  visit: Visit,
  { filters, fault }: UrlFilters,
): Promise<ParcelPlace | undefined> {
  if (fault !== undefined || Object.keys(filters).length === 0) return undefined;
  const one = (page: number) =>
    callEndpoint<SearchResult>(visit, filterParcels, {
      body: inOrder(filters),
      query: { page: String(page), page_size: '1' },
    });
  const at = positionOf(visit.url);
  const pages = await Promise.all([
    at !== undefined && at > 1 ? one(at - 1) : undefined,
    one(at === undefined ? 1 : at + 1),
  ]).catch(undefinedIfRefused);
  if (pages === undefined) return undefined;
  const [before, after] = pages;
  return {
    count: after.count,
    at: at !== undefined && at <= after.count ? at : undefined,
    before: before?.results[0]?.property_id,
    after: at === undefined ? undefined : after.results[0]?.property_id,
  };
}

function positionOf(url: URL): number | undefined {
  const at = Number(url.searchParams.get('at'));
  return Number.isInteger(at) && at > 0 && at < 1e9 ? at : undefined;
}

/** Links back to the page of results that has the parcel, and to the previous and next parcel. */
export function Neighbors({ url, place }: { url: URL; place: ParcelPlace | undefined }) {
  const back = new URL(url);
  for (const name of ['parcel', 'at']) back.searchParams.delete(name);
  const page = Math.ceil((place?.at ?? 1) / sizeOf(url));
  if (place) back.searchParams.delete('page');
  const to = page > 1 ? withParam(back, 'page', String(page)) : back.pathname + back.search;
  return (
    <nav class="neighbors" aria-label="Results">
      <a href={to} class="button quiet small">
        ‹ {place === undefined ? 'Map' : `${count(place.count)} ${place.count === 1 ? 'parcel' : 'parcels'}`}
      </a>
      {place?.at !== undefined && (
        <>
          <span>
            {count(place.at)} of {count(place.count)}
          </span>
          <Step url={url} to={place.before} at={place.at - 1} words="Previous parcel" icon="arrow-up" />
          <Step url={url} to={place.after} at={place.at + 1} words="Next parcel" icon="arrow-down" />
        </>
      )}
    </nav>
  );
}

type StepProps = {
  url: URL;
  to: number | undefined;
  at: number;
  words: string;
  icon: 'arrow-up' | 'arrow-down';
};

function Step({ url, to, at, words, icon }: StepProps) {
  if (to === undefined) return null;
  const opens = new URL(withParam(url, 'parcel', String(to)), url);
  return (
    <a
      href={withParam(opens, 'at', String(at))}
      class="button second small only"
      aria-label={words}
      title={words}
    >
      <Icon name={icon} />
    </a>
  );
}
