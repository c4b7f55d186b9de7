import { PlatError } from '../../../shared/base/errors.ts';
import { acres } from '../../../shared/domain/figures.ts';
import { FIELD_GROUPS } from '../../../shared/domain/parcel-fields.ts';
import { countyText, fiveDigits } from '../../../shared/regions/counties.ts';
import type { ParcelSummary } from '../../v1/common/parcel-summary.ts';
import { type Filter, labelOf } from '../../v1/parcels/filter/declare-filter.ts';
import { filterParcels } from '../../v1/parcels/filter/filter-parcels.ts';
import { FILTERS } from '../../v1/parcels/filter/filters.ts';
import { Field, Notice, Select } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, json, type Visit, withParam } from '../frame/visit.ts';
import { countyOf } from './county-filter.ts';
import { boxOfCounties, countyParcelsBox, mapHead, mapOf } from './map-view.tsx';
import { findUnknown, NoHits, type Unknown } from './no-hits.tsx';
import { ParcelPanel, readParcel } from './parcel-panel.tsx';

type County = { fips: string; name: string; state: string };
type SearchResult = { count: number; results: ParcelSummary[] };

const NOT_FILTERS = new Set(['parcel', 'page', 'page_size', 'near', 'sent']);
const PAGE_SIZE = 25;
/** Hits that the map marks: the API's largest page. */
const MAX_MARKS = 500;
/** Counties with parcels that the field offers; others are entered by FIPS code. */
const MAX_COUNTIES = 300;

/** What a person asks first; the rest is one click away. */
const FIRST = ['county', 'zips_include', 'acres_min', 'acres_max', 'owner_name_includes', 'vacant_only'];
const FILTER_BY_NAME: ReadonlyMap<string, Filter> = new Map(FILTERS.map(filter => [filter.name, filter]));

export const dataPage: Page = {
  path: '/data',
  access: 'app',
  async get(visit) {
    const parcel = visit.url.searchParams.get('parcel');
    const listed = listCounties(visit);
    const { filters, fault } = await readFilters(visit, () => listed);
    const isSearch = parcel === null && Object.keys(filters).length > 0;
    const [counties, hits, shown, county] = await Promise.all([
      listed,
      isSearch ? (fault ?? search(visit, filters)) : undefined,
      parcel === null ? undefined : readParcel(visit, parcel),
      countyParcelsBox(visit, filters.county),
    ]);
    const isEmpty = hits !== undefined && !(hits instanceof PlatError) && hits.count === 0;
    const unknown = isEmpty ? await findUnknown(visit, filters) : undefined;
    const body = (
      <div class="data">
        <section class="side" id="side" aria-label="Parcels">
          {shown ? (
            <ParcelPanel {...shown} back={withParam(visit.url, 'parcel')} />
          ) : (
            <>
              <details class="filters" open={hits === undefined || hits instanceof PlatError}>
                <summary>
                  <h1>Find parcels</h1>
                </summary>
                <FilterForm params={visit.url.searchParams} county={filters.county} />
                <datalist id="counties">
                  {counties.map(({ name, state }) => (
                    <option value={`${name}, ${state}`} />
                  ))}
                </datalist>
              </details>
              <div id="results" aria-live="polite">
                {hits && <Results hits={hits} visit={visit} filters={filters} unknown={unknown} />}
              </div>
            </>
          )}
        </section>
        {mapOf(visit, {
          layers: true,
          draw: true,
          parcel: shown?.detail,
          start: county ?? boxOfCounties(counties, 0),
        })}
      </div>
    );
    return {
      title: shown ? `Parcel ${shown.detail.apn ?? shown.detail.property_id}` : 'Map',
      body,
      wide: true,
      head: mapHead(visit),
    };
  },
};

/** The hits of the page's filters with their places, for the map. */
const hitsPage: Page = {
  path: '/data/hits.json',
  access: 'app',
  async get(visit) {
    const { filters, fault } = await readFilters(visit, () => listCounties(visit));
    if (fault) throw fault;
    const { results } = await callEndpoint<SearchResult>(visit, filterParcels, {
      body: filters,
      query: { page_size: String(MAX_MARKS) },
    });
    const features = results.flatMap(({ property_id, point }) =>
      point === null
        ? []
        : [{ type: 'Feature', properties: { property_id }, geometry: { type: 'Point', coordinates: point } }],
    );
    return json({ type: 'FeatureCollection', features });
  },
};

const listCounties = ({ deps }: Visit): Promise<County[]> =>
  deps.resources.database.run<County>('feeds/list_counties', { limit: MAX_COUNTIES });

type Filters = Record<string, unknown>;

/**
 * The filters of the address as the API takes them: text becomes what the filter's type says, a county's name
 * its code. @returns `fault` where no county, or more than one, is called so
 */
async function readFilters(
  visit: Visit,
  counties: () => Promise<readonly County[]>,
): Promise<{ filters: Filters; fault?: PlatError }> {
  const params = visit.url.searchParams;
  const filters: Filters = {};
  for (const name of new Set(params.keys())) {
    if (NOT_FILTERS.has(name)) continue;
    const values = params
      .getAll(name)
      .map(text => text.trim())
      .filter(Boolean);
    if (values.length > 0) filters[name] = parseFilter(FILTER_BY_NAME.get(name), values);
  }
  const { county } = filters;
  if (typeof county !== 'string' || /^\d+$/.test(county)) return { filters };
  const meant = countyOf(county, new Set((await counties()).map(({ fips }) => Number(fips))));
  return meant instanceof PlatError
    ? { filters, fault: meant }
    : { filters: { ...filters, county: fiveDigits(meant) } };
}

function parseFilter(filter: Filter | undefined, values: string[]): unknown {
  const text = values.at(-1)!;
  if (filter?.type === 'list of strings')
    return values
      .flatMap(value => value.split(/[,\n]/))
      .map(part => part.trim())
      .filter(Boolean);
  if (filter?.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (filter?.type === 'number' || filter?.type === 'integer')
    return Number.isNaN(Number(text)) ? text : Number(text);
  return text;
}

/** Parcels a page; programs that read pages may ask for more, as of the API. */
const sizeOf = (url: URL): number => Number(url.searchParams.get('page_size') ?? PAGE_SIZE);

async function search(visit: Visit, body: Record<string, unknown>): Promise<SearchResult | PlatError> {
  const page = visit.url.searchParams.get('page') ?? '1';
  try {
    return await callEndpoint<SearchResult>(visit, filterParcels, {
      body,
      query: { page, page_size: String(sizeOf(visit.url)) },
    });
  } catch (error) {
    if (error instanceof PlatError && error.status < 500) return error;
    throw error;
  }
}

function FilterForm({ params, county }: { params: URLSearchParams; county: unknown }) {
  const given = (name: string) => params.getAll(name).join(', ');
  const input = (filter: Filter) => (
    <FilterInput
      filter={filter}
      given={(filter.name === 'county' && countyText(Number(county))) || given(filter.name)}
    />
  );
  const rest = FILTERS.filter(({ name }) => !FIRST.includes(name));
  const groups = FIELD_GROUPS.map(title => ({ title, members: rest.filter(({ group }) => group === title) }));
  return (
    <form method="get" action="/data" class="stack" data-live="results">
      {FIRST.map(name => input(FILTER_BY_NAME.get(name)!))}
      {groups.map(({ title, members }) => {
        const used = members.filter(({ name }) => params.get(name)).length;
        return (
          members.length > 0 && (
            <details open={used > 0}>
              <summary>
                {title} {used > 0 && <b class="count">{used}</b>}
              </summary>
              <div class="stack">{members.map(input)}</div>
            </details>
          )
        );
      })}
      {rest.filter(({ group }) => group === undefined).map(input)}
      <div class="buttons">
        <button type="submit">Find</button>
        <a href="/data" class="button second">
          Clear
        </a>
      </div>
    </form>
  );
}

/** What goes into a field, by its name or its type. */
const PLACEHOLDERS: Record<string, string> = {
  county: 'Sullivan, NH',
  geom_intersects: 'drawn on the map, or WKT',
  date: 'YYYYMMDD',
  'list of strings': 'one, another',
};

function FilterInput({ filter, given }: { filter: Filter; given: string }) {
  const { name, type, unit, description, values } = filter;
  const words = labelOf(filter);
  const label = unit && !words.toLowerCase().includes(unit) ? `${words} (${unit})` : words;
  const choices =
    name === 'county' ? undefined : (values ?? (type === 'boolean' ? ['true', 'false'] : undefined));
  return (
    <Field
      label={label}
      name={name}
      hint={description}
      value={given}
      placeholder={PLACEHOLDERS[name] ?? PLACEHOLDERS[type]}
      inputmode={type === 'number' || type === 'integer' ? 'decimal' : undefined}
      autocomplete="off"
      list={name === 'county' ? 'counties' : undefined}
    >
      {choices && (
        <Select
          name={name}
          aria-describedby={`${name}-told`}
          options={[
            ['', 'any'],
            ...choices.map((choice): [string, string] => [String(choice), answerOf(choice)]),
          ]}
          given={given}
        />
      )}
    </Field>
  );
}

const answerOf = (choice: string | number): string =>
  choice === 'true' ? 'yes' : choice === 'false' ? 'no' : String(choice);

type ResultsProps = {
  hits: SearchResult | PlatError;
  visit: Visit;
  filters: object;
  unknown: Unknown | undefined;
};

function Results({ hits, visit, filters, unknown }: ResultsProps) {
  if (hits instanceof PlatError)
    return (
      <Notice kind="bad">
        {hits.details === undefined
          ? hits.message
          : Object.entries(hits.details).map(([field, messages]) => (
              <span>
                {labelOf(FILTER_BY_NAME.get(field) ?? { name: field })} {messages.join(', ')}.{' '}
              </span>
            ))}
      </Notice>
    );
  const page = Number(visit.url.searchParams.get('page') ?? 1);
  const size = sizeOf(visit.url);
  const pages = Math.ceil(hits.count / size);
  return (
    <>
      <h2>
        <output id="count">{hits.count.toLocaleString('en-US')}</output>{' '}
        {hits.count === 1 ? 'parcel' : 'parcels'}
      </h2>
      {hits.count === 0 && <NoHits visit={visit} unknown={unknown} />}
      {hits.count > MAX_MARKS && <small>The map marks the first {MAX_MARKS}.</small>}
      {hits.count > 0 && (
        <ol class="hits" start={(page - 1) * size + 1}>
          {hits.results.map(parcel => (
            <li>
              <a
                href={withParam(visit.url, 'parcel', String(parcel.property_id))}
                data-parcel={parcel.property_id}
                data-point={parcel.point?.join(',')}
              >
                <b>{parcel.situs_address || `APN ${parcel.apn ?? parcel.property_id}`}</b>
                <span>
                  {parcel.effective_acres === null
                    ? 'acres unknown'
                    : `${acres(parcel.effective_acres)} acres`}
                </span>
                <small>{parcel.owner_name ?? 'owner unknown'}</small>
              </a>
            </li>
          ))}
        </ol>
      )}
      {pages > 1 && (
        <nav class="pages" aria-label="Pages">
          {page > 1 && <a href={withParam(visit.url, 'page', String(page - 1))}>Previous</a>}
          <span>
            {page} of {pages.toLocaleString('en-US')}
          </span>
          {page < pages && <a href={withParam(visit.url, 'page', String(page + 1))}>Next</a>}
        </nav>
      )}
      <ApiCall filters={filters} visit={visit} count={hits.count} />
    </>
  );
}

function ApiCall({ filters, visit, count }: { filters: object; visit: Visit; count: number }) {
  const address = visit.apiUrl || '$PLAT_URL';
  const body = JSON.stringify(filters).replaceAll("'", "'\\''");
  return (
    <details>
      <summary>As API call</summary>
      <p>
        {count === 0
          ? 'Free, as nothing matches.'
          : 'The same question costs 30 tokens a page; here it is free.'}
      </p>
      <pre tabindex={0}>{`curl -X POST ${address}/api/public/v1/properties/filter/ \\
  -H "Authorization: Bearer $PLAT_KEY" -H "Content-Type: application/json" \\
  -d '${body}'`}</pre>
    </details>
  );
}

export const dataPages = [dataPage, hitsPage];
