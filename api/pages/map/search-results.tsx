import type { VNode } from 'preact';
import type { LoadedCounty } from '../../../shared/feeds/feed-statements.ts';
import { count } from '../../../shared/model/figures.ts';
import { tokensText } from '../../../shared/model/prices.ts';
import { labelOf } from '../../../shared/parcels/filter/declare-filter.ts';
import { hasScope } from '../../../shared/parcels/filter/filter-schema.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import type { ParcelSummary } from '../../v1/common/parcel-summary.ts';
import { pricesOf } from '../../v1/parcels/filter/filter-prices.ts';
import { Empty, IconButton, Notice } from '../frame/layout.tsx';
import type { Visit } from '../frame/visit.ts';
import { readParts } from '../parts/county-part.ts';
import { FILTER_BY_NAME, type Filters } from '../parts/read-filters.ts';
import { Chips } from './filter-chips.tsx';
import { NoHits, type NoResults } from './no-hits.tsx';
import { ResultList } from './result-list.tsx';
import type { ResultRow } from './result-rows.ts';
import { ResultTable } from './result-table.tsx';
import { inOrder, isTable, Pages, SortField, Views } from './result-views.tsx';
import { SelectionBar } from './selection-bar.tsx';
import type { UnknownHits } from './unknown-hits.ts';

export type SearchResult = { count: number; results: ParcelSummary[] };

/** Search results with the extra fields that the list and table show. */
export type FoundRows = {
  count: number;
  rows: readonly ResultRow[];
  /** The total for all results. Unknown acres count as zero. */
  acres: number | undefined;
};

/** Maximum number of suggested counties. */
const MAX_NAMED = 8;

export const parcelsText = (hits: number): string => `${count(hits)} ${hits === 1 ? 'parcel' : 'parcels'}`;

/** What the page shows before a search. */
export async function startHint({ deps }: Visit, counties: readonly LoadedCounty[]): Promise<VNode> {
  const named = counties.slice(0, MAX_NAMED);
  const parts = await readParts(
    deps.db,
    named.map(({ fips }) => Number(fips)),
  );
  if (counties.length === 0)
    return (
      <Empty icon="map" title="No counties yet">
        An operator can add the first one in <a href="/admin/counties">Admin</a>.
      </Empty>
    );
  return (
    <Empty icon="map-pin" title="Choose a county">
      Enter a county above, draw an area on the map, or start with one of these:{' '}
      {named.map(({ fips, name, state }, i) => (
        <>
          {i > 0 && '; '}
          <a href={`/data?county=${fips}`}>
            {name}, {state}
          </a>
          {parts.has(Number(fips)) && <small> ({parts.get(Number(fips))})</small>}
        </>
      ))}
    </Empty>
  );
}

type ResultsProps = {
  hits: FoundRows | PlatError;
  visit: Visit;
  filters: Filters;
  /** Set only if nothing was found. */
  noResults: NoResults | undefined;
  unknownHits: readonly UnknownHits[];
};

/** Without JavaScript, a form also submits empty fields, which every link would repeat. */
function withoutBlanks(address: URL): URL {
  const url = new URL(address);
  for (const [name, value] of address.searchParams) if (value === '') url.searchParams.delete(name, value);
  return url;
}

export function Results({ hits, visit, filters, noResults, unknownHits }: ResultsProps) {
  const url = withoutBlanks(visit.url);
  if (hits instanceof PlatError)
    return (
      <>
        <Chips url={url} />
        <Notice kind="bad">
          {!hasScope(filters) ? (
            'Choose a county above, or draw an area on the map.'
          ) : hits.details === undefined ? (
            hits.message
          ) : (
            <FieldErrors of={hits.details} />
          )}
        </Notice>
      </>
    );
  const { rows } = hits;
  return (
    <>
      <Chips url={url} unknownHits={unknownHits} />
      <SelectionBar
        filters={filters}
        hits={hits.count}
        links={<SearchActions hits={hits.count} url={url} filters={filters} />}
      >
        <h2>
          <output id="count">{count(hits.count)}</output> {hits.count === 1 ? 'parcel' : 'parcels'}
          {hits.acres !== undefined && hits.acres > 0 && <small>{count(hits.acres)} acres</small>}
        </h2>
        {isTable(url) && <Views url={url} />}
      </SelectionBar>
      {noResults && <NoHits visit={visit} filters={filters} noResults={noResults} />}
      {hits.count > 0 && isTable(url) && (
        <>
          <SortField url={url} />
          <ResultTable url={url} rows={rows} filters={filters} />
        </>
      )}
      {hits.count > 0 && !isTable(url) && (
        <>
          <div class="viewrow">
            <SortField url={url} />
            <Views url={url} />
          </div>
          <ResultList url={url} rows={rows} />
        </>
      )}
      <Pages url={url} total={hits.count} />
      <ApiCall filters={filters} visit={visit} found={hits.count} />
    </>
  );
}

/** Links to save or export the results. For a list, these are on the list's own page. */
function SearchActions({ hits, url, filters }: { hits: number; url: URL; filters: Filters }) {
  if (filters.list_id !== undefined) return null;
  return (
    <>
      <IconButton words="Save search" icon="bookmark" href={`/searches${url.search}`} data-dialog />
      <IconButton
        words={`Export (up to ${tokensText(pricesOf(hits).export)})`}
        icon="download"
        href={`/exports${url.search}`}
        data-dialog
      />
    </>
  );
}

function FieldErrors({ of }: { of: Readonly<Record<string, readonly string[]>> }) {
  return (
    <>
      {Object.entries(of).map(([field, messages]) => (
        <span>{faultWords(field, messages.join(', '))} </span>
      ))}
    </>
  );
}

/** Puts the field's label before a message, unless the message is a full sentence. */
const faultWords = (field: string, message: string): string =>
  /^\p{Ll}/u.test(message)
    ? `${labelOf(FILTER_BY_NAME.get(field) ?? { name: field, label: field.replaceAll('_', ' ') })} ${message}.`
    : message;

/** The API's price for the search. Searching in the app is free. */
function apiPriceText(found: number): string {
  const { page_25, all_pages } = pricesOf(found);
  const all = all_pages > page_25 ? ` (${tokensText(all_pages)} for all results)` : '';
  return `Free in the app. With the API, this search costs ${tokensText(page_25)} per page of up to 500 parcels${all}.`;
}

function ApiCall({ filters, visit, found }: { filters: Filters; visit: Visit; found: number }) {
  const address = visit.apiUrl || '$PLAT_URL';
  const body = JSON.stringify(inOrder(filters)).replaceAll("'", "'\\''");
  return (
    <details>
      <summary>API request</summary>
      <p>{found === 0 ? 'Free with the API, because nothing matches.' : apiPriceText(found)}</p>
      <pre tabindex={0}>{`curl -X POST ${address}/api/public/v1/properties/filter/ \\
  -H "Authorization: Bearer $PLAT_KEY" -H "Content-Type: application/json" \\
  -d '${body}'`}</pre>
    </details>
  );
}
