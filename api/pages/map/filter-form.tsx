import type { LoadedCounty } from '../../../shared/feeds/feed-statements.ts';
import { count } from '../../../shared/model/figures.ts';
import { SLOPE_GRADES } from '../../../shared/model/land-layers.ts';
import { FIELD_GROUPS } from '../../../shared/model/parcel-fields.ts';
import { type Filter, labelOf } from '../../../shared/parcels/filter/declare-filter.ts';
import { FILTERS } from '../../../shared/parcels/filter/filters.ts';
import { countyText } from '../../../shared/regions/counties.ts';
import { Icon } from '../frame/icons.tsx';
import { Field, Notice, Select } from '../frame/layout.tsx';
import { SWITCHES, switchOf } from '../parts/filter-switches.ts';
import { chipsOf } from '../parts/filter-words.ts';
import { FILTER_BY_NAME, isoDay } from '../parts/read-filters.ts';
import { isLacking, type Known, needsText } from './filter-needs.ts';
import { SPREADS } from './range-spreads.tsx';
import type { UnknownHits } from './unknown-hits.ts';

type FormProps = {
  url: URL;
  county: unknown;
  counties: readonly LoadedCounty[];
  known: Known | undefined;
  unknownHits: readonly UnknownHits[];
  shows: string;
  open: boolean;
  /** Whether the question is one that can be followed. */
  isSavable: boolean;
};

/** Shown by themselves; flags that a switch is all of. */
const ELSEWHERE = new Set([
  'county',
  'list_id',
  'order',
  ...SWITCHES.map(({ name }) => name).filter(name => FILTER_BY_NAME.get(name)!.flag),
]);
const FIRST_RANGES: readonly string[] = SPREADS.map(({ of }) => of);

/** How results are shown, and which list they are of, stays when the question changes. */
const KEPT = ['view', 'page_size', 'color', 'list_id', 'known'];

/** Ids of what a new question changes, besides its own fields. */
const LIVE = [
  'results',
  'shown',
  'on',
  'save',
  'legend',
  ...SWITCHES.map(({ name }) => `unknown-${name}`),
].join(' ');

const UNITS: Record<string, string> = { USD: '$', percent: '%', 'square feet': 'sq ft', feet: 'ft' };

/** The question: works without script; with it, it is answered as one types. */
export function FilterForm({ url, county, counties, known, unknownHits, shows, open, isSavable }: FormProps) {
  const params = url.searchParams;
  const on = chipsOf(url).length;
  return (
    <form method="get" action="/data" id="filters" data-live={LIVE}>
      {KEPT.map(name => params.has(name) && <input type="hidden" name={name} value={params.get(name)!} />)}
      <div class="where">
        <Icon name="map-pin" />
        <input
          name="county"
          value={countyText(Number(county)) ?? params.getAll('county').join(', ')}
          aria-label="County"
          placeholder="County, such as Sullivan, NH"
          autocomplete="off"
          list="counties"
        />
        <datalist id="counties">
          {counties.map(({ name, state }) => (
            <option value={`${name}, ${state}`} />
          ))}
        </datalist>
      </div>
      <details class="filters" open={open}>
        <summary class="button second">
          <Icon name="sliders-horizontal" />
          Filters <span id="on">{on > 0 && <b class="count">{on}</b>}</span>
        </summary>
        <Switches params={params} known={known} unknownHits={unknownHits} />
        <div id="more">
          {FIRST_RANGES.map(of => (
            <Range of={of} params={params} known={known} />
          ))}
          <MoreFilters params={params} known={known} />
        </div>
        <div class="foot">
          <button type="submit">
            <span id="shown">{shows}</span>
          </button>
          <span id="save">
            {isSavable && (
              <a href={`/searches${url.search}`} class="button second">
                <Icon name="bookmark" />
                Save search
              </a>
            )}
          </span>
          <a href="/data" class="button quiet">
            Clear
          </a>
        </div>
      </details>
    </form>
  );
}

type QuestionProps = { params: URLSearchParams; known: Known | undefined };

/** What is asked most; those that ask for what the county lacks are marked. */
function Switches({ params, known, unknownHits }: QuestionProps & Pick<FormProps, 'unknownHits'>) {
  const filters = SWITCHES.map(({ name }) => FILTER_BY_NAME.get(name)!);
  const lacking = filters.filter(filter => isLacking(filter, known));
  return (
    <div id="switches">
      <div class="switches">
        {SWITCHES.map(one => (
          <label class={lacking.some(({ name }) => name === one.name) ? 'switch unknown' : 'switch'}>
            <Icon name={one.icon} />
            <span>
              {one.label}
              <small id={`unknown-${one.name}`}>{unknownText(one.name, unknownHits)}</small>
            </span>
            <input
              type="checkbox"
              name={one.name}
              value={one.value}
              checked={params.getAll(one.name).includes(one.value)}
            />
          </label>
        ))}
      </div>
      {known && lacking.length > 0 && (
        <Notice kind="warn">
          Dotted: {needsText(lacking)} are not loaded for {known.coverage.name}, {known.coverage.state}.{' '}
          <a href="/coverage">What is loaded</a>
        </Notice>
      )}
    </div>
  );
}

/** "60 match · 12 unknown", if a switch keeps parcels for which its field is unknown. */
function unknownText(name: string, unknownHits: readonly UnknownHits[]): string {
  const hits = unknownHits.find(({ filter }) => filter === name);
  return hits === undefined ? '' : `${count(hits.known)} match · ${count(hits.unknown)} unknown`;
}

function MoreFilters({ params, known }: QuestionProps) {
  const rest = FILTERS.filter(
    ({ name, range }) => !ELSEWHERE.has(name) && !FIRST_RANGES.includes(range?.of ?? ''),
  );
  // What a switch sets already is not shown twice.
  const given = (name: string) => {
    const texts = params.getAll(name).filter(text => switchOf(name, text) === undefined);
    return texts.join(', ');
  };
  return (
    <>
      <h2>More filters</h2>
      {FIELD_GROUPS.map(title => {
        const members = rest.filter(({ group }) => group === title);
        const used = members.filter(({ name }) => given(name) !== '').length;
        return (
          <details open={used > 0}>
            <summary>
              {title} {used > 0 && <b class="count">{used}</b>}
            </summary>
            <div class="stack">
              {members.map(filter =>
                filter.range?.bound === 'max' ? null : filter.range ? (
                  <Range of={filter.range.of} params={params} known={known} />
                ) : (
                  <FilterInput
                    filter={filter}
                    given={given(filter.name)}
                    lacking={isLacking(filter, known)}
                  />
                ),
              )}
            </div>
          </details>
        );
      })}
    </>
  );
}

function Range({ of, params, known }: QuestionProps & { of: string }) {
  const bounds = [FILTER_BY_NAME.get(`${of}_min`)!, FILTER_BY_NAME.get(`${of}_max`)!];
  const { unit } = bounds[0]!;
  const { label } = bounds[0]!;
  const isNamed = unit === undefined || unit === label.toLowerCase();
  return (
    <fieldset
      class={isLacking(bounds[0]!, known) ? 'range unknown' : 'range'}
      data-of={FIRST_RANGES.includes(of) ? of : undefined}
    >
      <legend>
        <span>{label}</span>
        {isNamed ? '' : ` (${UNITS[unit] ?? unit})`}
      </legend>
      <div>
        {bounds.map((filter, i) => (
          <>
            {i === 1 && <span aria-hidden="true">to</span>}
            <Bound filter={filter} given={params.get(filter.name) ?? ''} />
          </>
        ))}
      </div>
    </fieldset>
  );
}

function Bound({ filter, given }: { filter: Filter; given: string }) {
  const input = { name: filter.name, 'aria-label': labelOf(filter), autocomplete: 'off' };
  return filter.type === 'date' ? (
    <input type="date" {...input} value={isoDay(given)} />
  ) : (
    <input inputmode="decimal" {...input} value={given} />
  );
}

const NAMES = 'e.g. Smith; Jones LLC';
const ZIPS = 'e.g. 03280; 03284';

const PLACEHOLDERS: Record<string, string> = {
  geom_intersects: 'Drawn on the map, or WKT',
  zips_include: ZIPS,
  zips_exclude: ZIPS,
  owner_name_includes: NAMES,
  owner_name_excludes: NAMES,
  seller_name_contains: NAMES,
};

const CHOICES: Record<string, string> = { true: 'Yes', false: 'No', Y: 'Yes', N: 'No' };

function FilterInput({ filter, given, lacking }: { filter: Filter; given: string; lacking: boolean }) {
  const { name, type, unit, description, values, flag } = filter;
  const words = labelOf(filter);
  if (flag)
    return (
      <label class={lacking ? 'switch unknown' : 'switch'} title={description}>
        <span>{words}</span>
        <input type="checkbox" name={name} value="true" checked={given === 'true'} />
      </label>
    );
  return (
    <Field
      kind={lacking ? 'unknown' : undefined}
      label={unit === undefined ? words : `${words} (${UNITS[unit] ?? unit})`}
      name={name}
      hint={description}
      value={given}
      placeholder={PLACEHOLDERS[name] ?? (type === 'list of strings' ? 'One; or several' : undefined)}
      inputmode={type === 'number' || type === 'integer' ? 'decimal' : undefined}
      autocomplete="off"
    >
      {values || type === 'boolean' ? (
        <Select name={name} aria-describedby={`${name}-told`} options={choicesOf(filter)} given={given} />
      ) : undefined}
    </Field>
  );
}

function choicesOf({ name, values, default: absent }: Filter): [string, string][] {
  const wordsOf = (choice: string | number) =>
    name === 'slope_area_index' ? `${SLOPE_GRADES[Number(choice)]} %` : (CHOICES[choice] ?? String(choice));
  return [
    ['', absent === undefined ? 'Any' : wordsOf(String(absent))],
    ...(values ?? ['true', 'false'])
      .filter(choice => choice !== String(absent))
      .map((choice): [string, string] => [String(choice), wordsOf(choice)]),
  ];
}
