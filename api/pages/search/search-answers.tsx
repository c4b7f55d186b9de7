import type { ComponentChildren } from 'preact';
import { titleCase } from '../../../shared/model/roll-text.ts';
import { SCOPES } from '../../../shared/parcels/filter/filter-schema.ts';
import { groupOf } from '../../v1/search/search.ts';
import type { SearchResult } from '../../v1/search/search-result.ts';
import { Icon, type IconName } from '../frame/icons.tsx';

const GROUPS: readonly (readonly [group: ReturnType<typeof groupOf>, title: string, icon: IconName])[] = [
  ['parcels', 'Parcels', 'map-pin'],
  ['places', 'Places', 'map'],
  ['owners', 'Owners', 'user'],
];

type Group = { group: string; title: string; icon: IconName; results: SearchResult[] };

function grouped(results: readonly SearchResult[]): Group[] {
  const first = results[0] && groupOf(results[0]);
  return GROUPS.map(([group, title, icon]) => ({
    group,
    title,
    icon,
    results: results.filter(result => groupOf(result) === group),
  }))
    .filter(group => group.results.length > 0)
    .sort((a, b) => Number(b.group === first) - Number(a.group === first));
}

/** Parameters that define the place. A new place replaces them and keeps the other filters. */
const WHERE = [...SCOPES, 'property_id', 'state'];
const NOT_KEPT = ['parcel', 'at', 'page', 'q', 'map'];

/** Half the width of the box around a place that has no outline: about half a mile. */
const AROUND_DEG = 0.008;

function around([lon, lat]: readonly number[]): string {
  const across = AROUND_DEG / Math.cos((lat! * Math.PI) / 180);
  const corners = [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
    [-1, -1],
  ].map(([x, y]) => `${(lon! + x! * across).toFixed(5)} ${(lat! + y! * AROUND_DEG).toFixed(5)}`);
  return `POLYGON ((${corners.join(', ')}))`;
}

/** The page that a result opens. @param filters the map's current query */
export function addressOf(result: SearchResult, filters: string): string {
  const { type, fips, zip, zips, property_id: id, point } = result;
  const params = new URLSearchParams(filters);
  for (const name of NOT_KEPT) params.delete(name);
  if (id !== undefined) params.set('parcel', String(id));
  else {
    for (const name of WHERE) params.delete(name);
    if (type === 'owner') return `/data?${new URLSearchParams({ county: fips!, owner_name: result.label })}`;
    if (type === 'county') params.set('county', fips!);
    else if (type === 'place') params.set('geom_intersects', around(point!));
    else if (type === 'coordinates') params.set('geom_intersects', `POINT (${point!.join(' ')})`);
    else params.set('zips_include', zip ?? zips!.join(','));
  }
  return `/data?${params}`;
}

const pathOf = (query: string, filters: string, group?: string) =>
  `/search?${new URLSearchParams({ q: query, ...(filters && { filters }), ...(group && { group }) })}`;

export type AnswersProps = {
  results: readonly SearchResult[];
  query: string;
  filters: string;
  /** The list with a letter about the parcel that the query names. */
  list: string | null;
};

const repliesPath = (query: string) => `/replies?${new URLSearchParams({ q: query })}`;

const Letter = ({ list }: { list: string }) => (
  <>
    <Icon name="mail" />
    <span>
      Log a reply<small>{list}</small>
    </span>
  </>
);

/** The listbox under the search box. */
export function Options({ results, query, filters, list }: AnswersProps) {
  let at = 0;
  return (
    <div role="listbox" id="found" aria-label="Results">
      {grouped(results).map(({ title, icon, results: own }) => (
        <fieldset aria-label={title}>
          <span class="head" aria-hidden="true">
            {title}
          </span>
          {own.map(result => (
            <Option at={++at} to={addressOf(result, filters)}>
              <Icon name={icon} />
              <Answer result={result} query={query} />
            </Option>
          ))}
        </fieldset>
      ))}
      {list !== null && (
        <Option at={++at} to={repliesPath(query)}>
          <Letter list={list} />
        </Option>
      )}
      {results.length > 0 && (
        <Option at={++at} to={pathOf(query, filters)}>
          <Icon name="search" />
          <span>See all results</span>
        </Option>
      )}
    </div>
  );
}

const Option = ({ at, to, children }: { at: number; to: string; children: ComponentChildren }) => (
  <a role="option" id={`found-${at}`} aria-selected="false" tabindex={-1} href={to}>
    {children}
  </a>
);

/** Number of results per group on the page: of every group, and of the only one. */
const FEW = 10;
export const MANY = 50;

/** @param only the group to show */
export function Answers({ results, query, filters, list, only }: AnswersProps & { only: string | null }) {
  const groups = grouped(results);
  const shown = groups.filter(({ group }) => group === only);
  const all = shown.length > 0 ? shown : groups;
  const most = all.length === 1 ? MANY : FEW;
  const sections = all.map(({ group, title, icon, results: own }) => (
    <section class="found">
      <h2>{title}</h2>
      <ul>
        {own.slice(0, most).map(result => (
          <li>
            <a href={addressOf(result, filters)}>
              <Icon name={icon} />
              <Answer result={result} query={query} />
            </a>
          </li>
        ))}
      </ul>
      {own.length > most && most === FEW && (
        <p>
          <a href={pathOf(query, filters, group)}>More {title.toLowerCase()}</a>
        </p>
      )}
      {own.length > MANY && most === MANY && (
        <p>
          Showing the best {MANY} {title.toLowerCase()}. Add a word to narrow the search.
        </p>
      )}
    </section>
  ));
  if (list === null) return sections;
  return (
    <>
      {sections}
      <section class="found">
        <h2>Letters</h2>
        <ul>
          <li>
            <a href={repliesPath(query)}>
              <Letter list={list} />
            </a>
          </li>
        </ul>
      </section>
    </>
  );
}

/** Rolls have addresses and owners in all caps. Places are already in title case. */
export const textOf = ({ type, label }: SearchResult): string =>
  type === 'address' || type === 'owner' || type === 'property' ? titleCase(label) : label;

/** Parts of the detail, such as the address of a parcel that was found by its number, can be in all caps. */
export const detailOf = ({ detail }: SearchResult): string => detail.split(' · ').map(titleCase).join(' · ');

const Answer = ({ result, query }: { result: SearchResult; query: string }) => (
  <span>
    {marked(textOf(result), query)}
    <small>{detailOf(result)}</small>
  </span>
);

function marked(label: string, query: string) {
  const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return label;
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${words.join('|')})`, 'giu');
  return label.split(pattern).map((part, at) => (at % 2 === 1 ? <mark>{part}</mark> : part));
}
