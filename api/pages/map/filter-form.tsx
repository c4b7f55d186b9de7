import type { LoadedCounty } from '../../../shared/feeds/feed-statements.ts';
import { count } from '../../../shared/model/figures.ts';
import { ACCESS_LABELS, SLOPE_GRADES } from '../../../shared/model/land-layers.ts';
import type { Overlay } from '../../../shared/model/overlays.ts';
import { FIELD_GROUPS } from '../../../shared/model/parcel-fields.ts';
import { type Filter, labelOf } from '../../../shared/parcels/filter/declare-filter.ts';
import { FILTERS } from '../../../shared/parcels/filter/filters.ts';
import { countyText } from '../../../shared/regions/counties.ts';
import { Icon } from '../frame/icons.tsx';
import { Field, Notice, Select } from '../frame/layout.tsx';
import { SWITCHES, switchOf } from '../parts/filter-switches.ts';
import { chipsOf } from '../parts/filter-words.ts';
import { FILTER_BY_NAME, isoDay } from '../parts/read-filters.ts';
import { FILTER_HINTS } from './filter-hints.ts';
import { isLacking, type Known, missingDataText } from './filter-needs.ts';
import { OverlayInputs } from './overlay-inputs.tsx';
import { SPREADS } from './range-spreads.tsx';
import type { UnknownHits } from './unknown-hits.ts';

type FormProps = {
  url: URL;
  county: unknown;
  counties: readonly LoadedCounty[];
  known: Known | undefined;
  unknownHits: readonly UnknownHits[];
  overlays: readonly Overlay[];
  shows: string;
  open: boolean;
  /** Whether the search can be saved. */
  isSavable: boolean;
};

/** Filters with their own controls elsewhere on the page. */
const ELSEWHERE = new Set([
  'county',
  'list_id',
  'order',
  'overlays',
  ...SWITCHES.map(({ name }) => name).filter(name => FILTER_BY_NAME.get(name)!.flag),
]);
const FIRST_RANGES: readonly string[] = SPREADS.map(({ of }) => of);

/** Parameters that are kept when the filters change. */
const KEPT = ['view', 'page_size', 'color', 'list_id', 'known'];

/** Ids of elements that change with the filters. */
const LIVE = [
  'results',
  'shown',
  'on',
  'save',
  'legend',
  ...SWITCHES.map(({ name }) => `unknown-${name}`),
].join(' ');

const UNITS: Record<string, string> = { USD: '$', percent: '%', 'square feet': 'sq ft', feet: 'ft' };

/** The filters. With JavaScript, results update as the user types. */
export function FilterForm(props: FormProps) {
  const { url, county, counties, known, unknownHits, overlays, shows, open, isSavable } = props;
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
          <OverlayInputs overlays={overlays} params={params} />
        </div>
        <div class="foot">
          <button type="submit">
            <span id="shown">{shows}</span>
          </button>
          <span id="save">
            {isSavable && (
              <a href={`/searches${url.search}`} class="button second" data-dialog>
                <Icon name="bookmark" />
                Save search
              </a>
            )}
          </span>
          <a href="/data" class="button quiet">
            Clear all
          </a>
        </div>
      </details>
    </form>
  );
}

type QuestionProps = { params: URLSearchParams; known: Known | undefined };

/** The most common filters. Those without data in the county have a dotted underline. */
function Switches({ params, known, unknownHits }: QuestionProps & Pick<FormProps, 'unknownHits'>) {
  const filters = SWITCHES.map(({ name }) => FILTER_BY_NAME.get(name)!);
  const lacking = filters.filter(filter => isLacking(filter, known));
  const lacksBuildable = isLacking(FILTER_BY_NAME.get('buildable_acres_min')!, known);
  return (
    <div id="switches">
      <div class="switches">
        {SWITCHES.map(one => (
          <label
            class={lacking.some(({ name }) => name === one.name) ? 'switch unknown' : 'switch'}
            title={one.hint}
          >
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
          No {missingDataText(lacking, known)} for {known.coverage.name}, {known.coverage.state}. The dotted
          filters need this data{lacksBuildable ? ', and so does buildable land' : ''}.{' '}
          <a href="/coverage">See available data</a>
        </Notice>
      )}
    </div>
  );
}

/** "60 match · 12 unknown" if a switch keeps parcels with an unknown value. */
function unknownText(name: string, unknownHits: readonly UnknownHits[]): string {
  const hits = unknownHits.find(({ filter }) => filter === name);
  return hits === undefined ? '' : `${count(hits.known)} match · ${count(hits.unknown)} unknown`;
}

function MoreFilters({ params, known }: QuestionProps) {
  const rest = FILTERS.filter(
    ({ name, range }) => !ELSEWHERE.has(name) && !FIRST_RANGES.includes(range?.of ?? ''),
  );
  // The field's text, minus values that a switch already shows.
  const formValue = (name: string) => {
    const texts = params.getAll(name).filter(text => switchOf(name, text) === undefined);
    return texts.join(', ');
  };
  return (
    <>
      <h2>More filters</h2>
      {FIELD_GROUPS.map(title => {
        const members = rest.filter(({ group }) => group === title);
        const used = members.filter(({ name }) => formValue(name) !== '').length;
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
                    value={formValue(filter.name)}
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
  // Some figures have only a minimum.
  const bounds = [`${of}_min`, `${of}_max`].flatMap(name => FILTER_BY_NAME.get(name) ?? []);
  const { unit } = bounds[0]!;
  const { label } = bounds[0]!;
  const isNamed = unit === undefined || label.toLowerCase().includes(unit);
  return (
    <fieldset
      class={isLacking(bounds[0]!, known) ? 'range unknown' : 'range'}
      data-of={FIRST_RANGES.includes(of) ? of : undefined}
    >
      <legend>
        <span>{bounds.length === 1 ? `${label}, at least` : label}</span>
        {isNamed ? '' : ` (${UNITS[unit] ?? unit})`}
      </legend>
      <div>
        {bounds.map((filter, i) => (
          <>
            {i === 1 && <span aria-hidden="true">to</span>}
            <Bound filter={filter} value={params.get(filter.name) ?? ''} />
          </>
        ))}
      </div>
    </fieldset>
  );
}

function Bound({ filter, value }: { filter: Filter; value: string }) {
  const input = { name: filter.name, 'aria-label': labelOf(filter), autocomplete: 'off' };
  return filter.type === 'date' ? (
    <input type="date" {...input} value={isoDay(value)} />
  ) : (
    <input inputmode="decimal" {...input} value={value} />
  );
}

const NAMES = 'e.g., Smith; Jones LLC';
const ZIPS = 'e.g., 03280; 03284';

const PLACEHOLDERS: Record<string, string> = {
  geom_intersects: 'Or paste WKT',
  zips_include: ZIPS,
  zips_exclude: ZIPS,
  owner_name_includes: NAMES,
  owner_name_excludes: NAMES,
  seller_name_contains: NAMES,
};

const CHOICES: Record<string, string> = { true: 'Yes', false: 'No', Y: 'Yes', N: 'No', ...ACCESS_LABELS };

/** Turns "Wetlands (maximum)" into "Wetlands (maximum, %)". */
function withUnit(label: string, unit: string | undefined): string {
  if (unit === undefined || label.toLowerCase().includes(unit)) return label;
  const text = UNITS[unit] ?? unit;
  return label.endsWith(')') ? `${label.slice(0, -1)}, ${text})` : `${label} (${text})`;
}

function FilterInput({ filter, value, lacking }: { filter: Filter; value: string; lacking: boolean }) {
  const { name, type, unit, description, values, flag } = filter;
  const words = labelOf(filter);
  const hint = FILTER_HINTS[name] ?? description;
  if (flag)
    return (
      <label class={lacking ? 'switch unknown' : 'switch'} title={hint}>
        <span>{words}</span>
        <input type="checkbox" name={name} value="true" checked={value === 'true'} />
      </label>
    );
  if (values && type === 'list of strings')
    return (
      <fieldset class={lacking ? 'range unknown' : 'range'}>
        <legend title={hint}>
          <span>{words}</span>
        </legend>
        {values.map(choice => (
          <label class="switch">
            <span>{CHOICES[choice] ?? choice}</span>
            <input
              type="checkbox"
              name={name}
              value={choice}
              checked={value.split(/[,;\s]+/).includes(String(choice))}
            />
          </label>
        ))}
      </fieldset>
    );
  return (
    <Field
      kind={lacking ? 'unknown' : undefined}
      label={withUnit(words, unit)}
      name={name}
      hint={hint}
      value={value}
      placeholder={PLACEHOLDERS[name] ?? (type === 'list of strings' ? 'Separate values with ;' : undefined)}
      inputmode={type === 'number' || type === 'integer' ? 'decimal' : undefined}
      autocomplete="off"
    >
      {values || type === 'boolean' ? (
        <Select name={name} aria-describedby={`${name}-told`} options={choicesOf(filter)} given={value} />
      ) : undefined}
    </Field>
  );
}

function choicesOf({ name, values, default: absent }: Filter): [string, string][] {
  const wordsOf = (choice: string | number) =>
    name === 'slope_area_index' ? `${SLOPE_GRADES[Number(choice)]}%` : (CHOICES[choice] ?? String(choice));
  return [
    ['', absent === undefined ? 'Any' : wordsOf(String(absent))],
    ...(values ?? ['true', 'false'])
      .filter(choice => choice !== String(absent))
      .map((choice): [string, string] => [String(choice), wordsOf(choice)]),
  ];
}
