import { renderToString } from 'preact-render-to-string';
import { findRepliedRows } from '../../../shared/lists/replies.ts';
import { parcelNamedBy } from '../../../shared/model/row-reference.ts';
import { checkInput } from '../../http/validate.ts';
import { type Question, search, searchAll } from '../../v1/search/search.ts';
import type { SearchResult } from '../../v1/search/search-result.ts';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, requireAccount, type Visit } from '../frame/visit.ts';
import { Answers, type AnswersProps, MANY, Options } from './search-answers.tsx';

/** The endpoint rejects shorter queries. */
const MIN_QUERY = 2;

type Asked = { q: string; near?: string };

async function runSearch(
  visit: Visit,
  run: (asked: Asked) => Promise<SearchResult[]>,
): Promise<AnswersProps> {
  const { url } = visit;
  const query = (url.searchParams.get('q') ?? '').trim();
  const filters = url.searchParams.get('filters') ?? '';
  const near = url.searchParams.get('near');
  const asked = { q: query, ...(near !== null && { near }) };
  if (query.length < MIN_QUERY) return { query, filters, results: [], list: null };
  const [results, list] = await Promise.all([run(asked), findLetter(visit, query)]);
  return { query, filters, results, list };
}

/** The list of the company's latest letter about the parcel that the text names. */
async function findLetter(visit: Visit, query: string): Promise<string | null> {
  const id = parcelNamedBy(query);
  if (id === null) return null;
  const [row] = await findRepliedRows(visit.deps.db, (await requireAccount(visit)).companyId, [id]);
  return row?.list_name ?? null;
}

/** More results than the endpoint returns. One more per group shows whether there are others. */
function searchMore({ deps }: Visit, asked: Asked): Promise<SearchResult[]> {
  const { query } = checkInput(search, { params: {}, query: asked, body: undefined });
  return searchAll(deps.db, query as Question, { total: 3 * (MANY + 1), reserved: MANY + 1 });
}

/** The page that the search box opens without JavaScript, or when Enter is pressed before results load. */
const searchPage: Page = {
  path: '/search',
  access: 'app',
  async get(visit) {
    const view = await runSearch(visit, asked => searchMore(visit, asked));
    const body = (
      <div class="narrow">
        <h1>{view.query === '' ? 'Search' : `Search: ${view.query}`}</h1>
        {view.results.length > 0 || view.list !== null ? (
          <Answers {...view} only={visit.url.searchParams.get('group')} />
        ) : (
          <NoResults query={view.query} />
        )}
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
    const view = await runSearch(visit, async query => {
      return (await callEndpoint<{ results: SearchResult[] }>(visit, search, { query })).results;
    });
    return { data: renderToString(<Options {...view} />), type: 'text/html; charset=utf-8' };
  },
};

export const searchPages = [searchPage, optionsPage];
