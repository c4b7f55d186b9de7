import { renderToString } from 'preact-render-to-string';
import { search } from '../../v1/search/search.ts';
import type { SearchResult } from '../../v1/search/search-result.ts';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, type Visit } from '../frame/visit.ts';
import { Answers, Options } from './search-answers.tsx';

/** The endpoint rejects shorter queries. */
const MIN_QUERY = 2;

type SearchView = { query: string; filters: string; results: SearchResult[] };

async function runSearch(visit: Visit): Promise<SearchView> {
  const query = (visit.url.searchParams.get('q') ?? '').trim();
  const filters = visit.url.searchParams.get('filters') ?? '';
  if (query.length < MIN_QUERY) return { query, filters, results: [] };
  const near = visit.url.searchParams.get('near');
  const { results } = await callEndpoint<{ results: SearchResult[] }>(visit, search, {
    query: { q: query, ...(near !== null && { near }) },
  });
  return { query, filters, results };
}

/** The page that the search box opens without JavaScript, or when Enter is pressed before results load. */
const searchPage: Page = {
  path: '/search',
  access: 'app',
  async get(visit) {
    const view = await runSearch(visit);
    const body = (
      <div class="narrow">
        <h1>{view.query === '' ? 'Search' : `Search: ${view.query}`}</h1>
        {view.results.length > 0 ? <Answers {...view} /> : <NoResults query={view.query} />}
      </div>
    );
    return { title: 'Search', body };
  },
};

const NoResults = ({ query }: { query: string }) => (
  <>
    {query.length >= MIN_QUERY && <p>No results for “{query}”.</p>}
    <p>
      Try an address, parcel number, owner, town, county, ZIP code, or latitude and longitude. Results include
      parcels and owners only for <a href="/coverage">counties with data</a>.
    </p>
  </>
);

const optionsPage: Page = {
  path: '/search/options',
  access: 'app',
  async get(visit) {
    return {
      data: renderToString(<Options {...(await runSearch(visit))} />),
      type: 'text/html; charset=utf-8',
    };
  },
};

export const searchPages = [searchPage, optionsPage];
