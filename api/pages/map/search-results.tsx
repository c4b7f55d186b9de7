import type { VNode } from 'preact';
import type { LoadedCounty } from '../../../shared/feeds/feed-statements.ts';
import { count } from '../../../shared/model/figures.ts';
import { tokensText } from '../../../shared/model/prices.ts';
import { labelOf } from '../../../shared/parcels/filter/declare-filter.ts';
import { hasScope } from '../../../shared/parcels/filter/filter-schema.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import type { ParcelSummary } from '../../v1/common/parcel-summary.ts';
import { pricesOf } from '../../v1/parcels/filter/filter-prices.ts';
import { Empty, Notice } from '../frame/layout.tsx';
import type { Visit } from '../frame/visit.ts';
import { readParts } from '../parts/county-part.ts';
import { FILTER_BY_NAME, type Filters } from '../parts/read-filters.ts';
import { Chips } from './filter-chips.tsx';
import { NoHits, type Zero } from './no-hits.tsx';
import { ResultList } from './result-list.tsx';
import type { ResultRow } from './result-rows.ts';
import { ResultTable } from './result-table.tsx';
import { isTable, Pages, SortField, Views } from './result-views.tsx';
import { SelectionBar } from './selection-bar.tsx';
import type { UnknownHits } from './unknown-hits.ts';

export type SearchResult = { count: number; results: ParcelSummary[] };

/** The same with what list and table show besides. */
export type FoundRows = {
  count: number;
  rows: readonly ResultRow[];
  /** Of all that were found, as far as these are known. */
  acres: number | undefined;
};

/** Counties that are named where none is chosen. */
const MAX_NAMED = 8;

export const parcelsText = (hits: number): string => `${count(hits)} ${hits === 1 ? 'parcel' : 'parcels'}`;

export async function noQuestion({ deps }: Visit, counties: readonly LoadedCounty[]): Promise<VNode> {
  const named = counties.slice(0, MAX_NAMED);
  const parts = await readParts(
    deps.db,
    named.map(({ fips }) => Number(fips)),
  );
  if (counties.length === 0)
    return (
      <Empty icon="map" title="No county is loaded yet">
        An operator adds the first one under <a href="/admin/counties">Admin</a>.
      </Empty>
    );
  return (
    <Empty icon="map-pin" title="Where?">
      Name a county above, draw an area on the map, or begin with one that is loaded:{' '}
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
  /** Where nothing was found. */
  zero: Zero | undefined;
  unknownHits: readonly UnknownHits[];
};

/** Without script a form sends what is left empty, too; it would be in the link of every row. */
function withoutBlanks(address: URL): URL {
  const url = new URL(address);
  for (const [name, value] of address.searchParams) if (value === '') url.searchParams.delete(name, value);
  return url;
}

export function Results({ hits, visit, filters, zero, unknownHits }: ResultsProps) {
  const url = withoutBlanks(visit.url);
  if (hits instanceof PlatError)
    return (
      <>
        <Chips url={url} />
        <Notice kind="bad">
          {!hasScope(filters) ? (
            'Where? Name a county above, or draw an area on the map.'
          ) : hits.details === undefined ? (
            hits.message
          ) : (
            <Faults of={hits.details} />
          )}
        </Notice>
      </>
    );
  const { rows } = hits;
  return (
    <>
      <Chips url={url} unknownHits={unknownHits} />
      <SelectionBar filters={filters} some={hits.count > 0}>
        <h2>
          <output id="count">{count(hits.count)}</output> {hits.count === 1 ? 'parcel' : 'parcels'}
          {hits.acres !== undefined && hits.acres > 0 && <small> · {count(hits.acres)} acres</small>}
        </h2>
        {hits.count > 0 && <Prices of={hits.count} url={url} filters={filters} />}
        {isTable(url) && <Views url={url} />}
      </SelectionBar>
      {zero && <NoHits visit={visit} filters={filters} zero={zero} />}
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

/** What it costs to take the results along; here they are free. A list has its own page for that. */
function Prices({ of, url, filters }: { of: number; url: URL; filters: Filters }) {
  const { all_pages, export: file } = pricesOf(of);
  if (filters.list_id !== undefined) return <small id="prices">{tokensText(all_pages)} over the API</small>;
  return (
    <small id="prices">
      <a href={`/searches${url.search}`}>Save search</a> ·{' '}
      <a href={`/exports${url.search}`}>Export for at most {tokensText(file)}</a> · {count(all_pages)} over
      the API
    </small>
  );
}

function Faults({ of }: { of: Readonly<Record<string, readonly string[]>> }) {
  return (
    <>
      {Object.entries(of).map(([field, messages]) => (
        <span>{faultWords(field, messages.join(', '))} </span>
      ))}
    </>
  );
}

/** A message that goes on after the field's name, or that is a sentence. */
const faultWords = (field: string, message: string): string =>
  /^\p{Ll}/u.test(message)
    ? `${labelOf(FILTER_BY_NAME.get(field) ?? { name: field, label: field.replaceAll('_', ' ') })} ${message}.`
    : message;

function ApiCall({ filters, visit, found }: { filters: object; visit: Visit; found: number }) {
  const address = visit.apiUrl || '$PLAT_URL';
  const body = JSON.stringify(filters).replaceAll("'", "'\\''");
  return (
    <details>
      <summary>As API call</summary>
      <p>
        {found === 0
          ? 'Free, as nothing matches.'
          : `The same question costs ${tokensText(pricesOf(found).page_25)} a page, up to 500 a page; here it is free.`}
      </p>
      <pre tabindex={0}>{`curl -X POST ${address}/api/public/v1/properties/filter/ \\
  -H "Authorization: Bearer $PLAT_KEY" -H "Content-Type: application/json" \\
  -d '${body}'`}</pre>
    </details>
  );
}
