import type { VNode } from 'preact';
import type { LoadedCounty } from '../../../shared/feeds/feed-statements.ts';
import { listOverlays } from '../../../shared/land/overlay-feeds.ts';
import type { Overlay } from '../../../shared/model/overlays.ts';
import { nameOfParcel } from '../../../shared/model/roll-text.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { undefinedIfRefused } from '../../http/error-responses.ts';
import type { ParcelSummary } from '../../v1/common/parcel-summary.ts';
import { filterParcels } from '../../v1/parcels/filter/filter-parcels.ts';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, type Visit } from '../frame/visit.ts';
import { boxOfCounties, countyParcelsBox, mapHead, mapOf } from '../parts/map-view.tsx';
import { NoBoundaries } from '../parts/no-parcels.tsx';
import { lookUpOnPage, refusalOf } from '../parts/parcel-phones.ts';
import { type Filters, listCounties, readFilters, type UrlFilters } from '../parts/read-filters.ts';
import { FilterForm } from './filter-form.tsx';
import { type Known, readKnown } from './filter-needs.ts';
import { readSwatches } from './map-colors.ts';
import { type Colored, MapLegend, readColored } from './map-legend.tsx';
import { explainNoResults, type NoResults } from './no-hits.tsx';
import { parcelCardPage } from './parcel-card.tsx';
import { ParcelPanel } from './parcel-panel.tsx';
import { readPlace } from './parcel-place.tsx';
import { spreadsPage } from './range-spreads.tsx';
import { readParcel } from './read-parcel.ts';
import { readRows } from './result-rows.ts';
import { inOrder, isTable, sizeOf } from './result-views.tsx';
import { resultsBoxPage, whereKey } from './results-box.ts';
import { type FoundRows, parcelsText, Results, type SearchResult, startHint } from './search-results.tsx';
import { sharePage } from './share-page.tsx';
import { findSearchedList, searchContextOf } from './tile-hits.ts';
import { countUnknownHits } from './unknown-hits.ts';

export const dataPage: Page = {
  path: '/data',
  access: 'app',
  async show(visit, { error }) {
    const refusal = error && refusalOf(error);
    return { ...(await show(visit, refusal?.words)), ...(refusal && { status: refusal.status }) };
  },
  actions: { default: lookUpOnPage },
};

/** @param refusal why the phone numbers were not looked up */
async function show(visit: Visit, refusal?: string) {
  const parcel = visit.url.searchParams.get('parcel');
  const listed = listCounties(visit);
  const fromUrl = await readFilters(visit, () => listed);
  const pending = {
    coloring: readColored(visit),
    ofCounty: readOverlays(visit, fromUrl.filters.county),
    knowing: readKnownCounty(visit, fromUrl),
  };
  const [{ side, noResults }, counties, shown, place, county, overlays, legend] = await Promise.all([
    parcel === null ? search(visit, listed, fromUrl, pending) : { side: undefined, noResults: undefined },
    listed,
    parcel === null ? undefined : readParcel(visit, parcel),
    parcel === null ? undefined : readPlace(visit, fromUrl),
    countyParcelsBox(visit, fromUrl.filters.county),
    listOverlays(visit.deps.db),
    readLegend(pending),
  ]);
  const body = (
    <div class="data">
      <section
        class="side"
        id="side"
        aria-label="Parcels"
        data-view={isTable(visit.url) && !shown ? 'table' : undefined}
      >
        {shown ? (
          <ParcelPanel {...shown} url={visit.url} place={place} phoneFault={refusal} now={visit.deps.now()} />
        ) : (
          side
        )}
      </section>
      {mapOf(visit, {
        layers: { overlays },
        draw: true,
        parcel: shown?.detail,
        together: shown?.assemblage?.members,
        start: county ?? boxOfCounties(counties, 0),
        key: (
          <MapLegend
            {...legend}
            url={visit.url}
            picked={shown && (shown.assemblage?.members.length ?? 1)}
            nearMiss={noResults?.nearMiss}
          />
        ),
      })}
    </div>
  );
  return {
    title: shown ? nameOfParcel(shown.detail) : 'Map',
    body,
    wide: true,
    assetNames: ['cards.css', 'parcel.css', 'phones.css', 'results.css', 'lists.css', 'exports.mjs'],
    head: mapHead(visit, ['map', 'live', 'results']),
  };
}

/** What the results and the legend both wait for. */
type Pending = {
  coloring: Promise<Colored>;
  ofCounty: Promise<Overlay[]>;
  knowing: Promise<Known | undefined>;
};

async function readLegend({ coloring, ofCounty, knowing }: Pending) {
  const [colored, overlays, known] = await Promise.all([coloring, ofCounty, knowing]);
  return { colored, overlays, known };
}

async function search(
  visit: Visit,
  listed: Promise<LoadedCounty[]>,
  { filters, fault }: UrlFilters,
  { coloring, ofCounty, knowing }: Pending,
): Promise<{ side: VNode; noResults: NoResults | undefined }> {
  const hasFilters = Object.keys(filters).length > 0;
  const [counties, hits, known, list, overlays] = await Promise.all([
    listed,
    hasFilters ? (fault ?? findParcels(visit, filters, coloring)) : undefined,
    knowing,
    searchContextOf(visit, filters).then(asking => findSearchedList(visit, filters, asking)),
    ofCounty,
  ]);
  const isFound = hits !== undefined && !(hits instanceof PlatError);
  const noResults = isFound && hits.count === 0 ? await explainNoResults(visit, filters) : undefined;
  const unknownHits = isFound && hits.count > 0 ? await countUnknownHits(visit, filters, hits.count) : [];
  const side = (
    <>
      <h1 class="unseen">Find parcels</h1>
      {list && (
        <p class="crumb">
          <a href={`/lists/${list.id}`}>‹ {list.name}</a>
        </p>
      )}
      <FilterForm
        url={visit.url}
        county={filters.county}
        counties={counties}
        known={known}
        unknownHits={unknownHits}
        overlays={overlays}
        shows={isFound ? `Show ${parcelsText(hits.count)}` : 'Show parcels'}
        open={hits === undefined}
        isSavable={isFound && filters.list_id === undefined}
      />
      <div
        id="results"
        aria-live="polite"
        data-where={isFound && hits.count > 0 ? whereKey(filters) : undefined}
      >
        {isFound && hits.count > 0 && <Unplaced visit={visit} rows={hits.rows} known={known} />}
        {hits ? (
          <Results
            hits={hits}
            visit={visit}
            filters={filters}
            noResults={noResults}
            unknownHits={unknownHits}
          />
        ) : (
          await startHint(visit, counties)
        )}
      </div>
    </>
  );
  return { side, noResults };
}

/** Undefined if the search doesn't name one county. */
async function readKnownCounty(visit: Visit, { filters, fault }: UrlFilters): Promise<Known | undefined> {
  if (fault !== undefined || filters.county === undefined) return undefined;
  return readKnown(visit, String(filters.county)).catch(undefinedIfRefused);
}

/** The overlays of a county, or of all counties. */
async function readOverlays({ deps }: Visit, county: unknown): Promise<Overlay[]> {
  const fips = /^\d{4,5}$/.test(String(county)) ? Number(county) : null;
  return listOverlays(deps.db, fips);
}

type UnplacedProps = { visit: Visit; rows: FoundRows['rows']; known: Known | undefined };

/** Shows a notice if the map can't draw the county's parcels. */
function Unplaced({ visit, rows, known }: UnplacedProps) {
  if (known === undefined || known.coverage.with_boundary > 0) return null;
  const isPlaced = rows.some(({ point }) => point !== null);
  return <NoBoundaries visit={visit} fips={Number(known.coverage.fips)} isPlaced={isPlaced} />;
}

async function findParcels(
  visit: Visit,
  body: Filters,
  coloring: Promise<Colored>,
): Promise<FoundRows | PlatError> {
  const page = visit.url.searchParams.get('page') ?? '1';
  const hits = await callEndpoint<SearchResult>(visit, filterParcels, {
    body: inOrder(body),
    query: { page, page_size: String(sizeOf(visit.url)) },
  }).catch(orThrow);
  if (hits instanceof PlatError) return hits;
  const { count, results } = hits;
  const [rows, { acres }, swatches] = await Promise.all([
    readRows(visit, results),
    coloring,
    isTable(visit.url) ? undefined : swatchesOfResults(visit, results, coloring),
  ]);
  for (const row of rows) row.swatch = swatches?.get(row.property_id);
  return { count, acres, rows };
}

/** The colors of results on the map. Undefined if they all have the same color. */
async function swatchesOfResults(
  { deps }: Visit,
  results: readonly ParcelSummary[],
  coloring: Promise<Colored>,
): Promise<ReadonlyMap<number, string> | undefined> {
  const { by, classes } = await coloring;
  if (by === undefined || classes === undefined) return undefined;
  return readSwatches(
    deps.db,
    by,
    classes,
    results.map(({ property_id }) => property_id),
  );
}

/** Returns errors that the user can fix. The error page shows all others. */
function orThrow(error: unknown): PlatError {
  if (error instanceof PlatError && error.status < 500) return error;
  throw error;
}

export const dataPages = [dataPage, parcelCardPage, resultsBoxPage, sharePage, spreadsPage];
