import { renderToString } from 'preact-render-to-string';
import { search } from '../../v1/search/search.ts';
import type { SearchResult } from '../../v1/search/search-result.ts';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, type Visit } from '../frame/visit.ts';
import { Answers, Options } from './search-answers.tsx';

/** Shorter texts are refused by the endpoint. */
const MIN_QUERY = 2;

type Asked = { query: string; filters: string; results: SearchResult[] };

async function ask(visit: Visit): Promise<Asked> {
  const query = (visit.url.searchParams.get('q') ?? '').trim();
  const filters = visit.url.searchParams.get('filters') ?? '';
  if (query.length < MIN_QUERY) return { query, filters, results: [] };
  const near = visit.url.searchParams.get('near');
  const { results } = await callEndpoint<{ results: SearchResult[] }>(visit, search, {
    query: { q: query, ...(near !== null && { near }) },
  });
  return { query, filters, results };
}

/** What the search box of every page leads to without script, and by Enter before its answers have come. */
const searchPage: Page = {
  path: '/search',
  access: 'app',
  async get(visit) {
    const asked = await ask(visit);
    const body = (
      <div class="narrow">
        <h1>{asked.query === '' ? 'Search' : `Search: ${asked.query}`}</h1>
        {asked.results.length > 0 ? <Answers {...asked} /> : <NoAnswer query={asked.query} />}
      </div>
    );
    return { title: 'Search', body };
  },
};

const NoAnswer = ({ query }: { query: string }) => (
  <>
    {query.length >= MIN_QUERY && <p>Nothing is found for “{query}”.</p>}
    <p>
      Ask for an address, a parcel number, an owner, a town, a county, a ZIP, or latitude and longitude.
      Parcels and owners are found in the <a href="/coverage">counties that are loaded</a>.
    </p>
  </>
);

const optionsPage: Page = {
  path: '/search/options',
  access: 'app',
  async get(visit) {
    return { data: renderToString(<Options {...(await ask(visit))} />), type: 'text/html; charset=utf-8' };
  },
};

export const searchPages = [searchPage, optionsPage];
