import { count, day, percent } from '../../../shared/model/figures.ts';
import { STATES } from '../../../shared/regions/states.ts';
import { type Coverage, offersOf, readCoverage } from '../../v1/feeds/get-coverage.ts';
import { Grid, Panel, Select, Submit } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { classifyCounties } from '../parts/county-legend.tsx';
import { readParts } from '../parts/county-part.ts';
import { boxOfCounties, mapHead, mapOf, valuesReply } from '../parts/map-view.tsx';

/** Open to every signed-in user so that people can check which data a county has before they subscribe. */
const coveragePage: Page = {
  path: '/coverage',
  access: 'session',
  async get(visit) {
    const { db, sourcesOfCounty } = visit.deps.resources;
    const [counties, parts] = await Promise.all([readCoverage(db, null), readParts(db, null)]);
    const state = STATES.find(({ code }) => code === visit.url.searchParams.get('offered'))?.code;
    const body = (
      <>
        <header class="pagehead">
          <div>
            <h1>Coverage</h1>
            <p>
              {count(counties.reduce((sum, { parcels }) => sum + parcels, 0))} parcels in{' '}
              {count(counties.length)} {counties.length === 1 ? 'county' : 'counties'}
            </p>
          </div>
        </header>
        <div class="stack panels">
          <div class="framed">
            {mapOf(visit, {
              values: '/coverage/values.json',
              opens: '/data?county=',
              legend: { title: 'Parcels', classes: classesOf(counties), unknown: 'not loaded' },
              start: boxOfCounties(counties),
            })}
          </div>
          <Counties counties={counties} parts={parts} />
          {counties.some(({ no_comps }) => no_comps) && <WithoutSales counties={counties} />}
          <Versions counties={counties} />
          <Sources counties={counties} />
          <Offered state={state} counties={counties} sourcesOfCounty={sourcesOfCounty} />
        </div>
      </>
    );
    return { title: 'Coverage', body, head: mapHead(visit), assetNames: ['cards.css'] };
  },
};

type CountiesProps = { counties: Coverage[] };

function Counties({ counties, parts }: CountiesProps & { parts: ReadonlyMap<number, string> }) {
  return (
    <Panel id="counties" title="Parcels and listings" flush>
      <Grid
        name="Parcels and listings"
        heads={['County', 'Parcels', ...SHARES.map(([, label]) => label), 'For sale', 'Pending', 'Sold']}
        rows={counties.map(county => [
          <>
            <a href={`/coverage/${county.fips}`}>{nameOf(county)}</a>
            <PartOf county={county} parts={parts} />
          </>,
          count(county.parcels),
          ...SHARES.map(([name]) =>
            county.parcels === 0 ? '–' : percent((100 * county[name]) / county.parcels),
          ),
          count(county.active),
          count(county.pending),
          count(county.sold),
        ])}
      />
    </Panel>
  );
}

function WithoutSales({ counties }: CountiesProps) {
  return (
    <Panel id="without-sales" title="Counties without sales" flush>
      <Grid
        name="Counties without sales"
        heads={['County', 'Reason and fix']}
        rows={counties.flatMap(county =>
          county.no_comps ? [[nameOf(county), county.no_comps.message]] : [],
        )}
      />
    </Panel>
  );
}

function Versions({ counties }: CountiesProps) {
  const layers = [...new Set(counties.flatMap(({ sources }) => sources.map(({ kind }) => kind)))].sort();
  return (
    <Panel id="versions" title="Data dates" flush>
      <Grid
        name="Data dates"
        heads={['County', ...layers.map(kind => KIND_WORDS[kind]), 'Statistics', 'Estimates']}
        rows={counties.map(county => [
          nameOf(county),
          ...layers.map(kind => versionOf(county, kind)),
          county.stats_as_of ? day(county.stats_as_of) : '–',
          county.valuations_as_of ? day(county.valuations_as_of) : '–',
        ])}
      />
    </Panel>
  );
}

function Sources({ counties }: CountiesProps) {
  return (
    <Panel id="sources" title="Data sources" flush>
      <Grid
        name="Data sources"
        cards
        heads={['Source', 'Kind', 'As of', 'Loaded', 'Credit', 'Terms']}
        rows={sourcesOf(counties).map(sources => {
          const { kind, feed, title, attribution, licence, source_url } = sources[0]!;
          const name = sources.length === 1 ? (title ?? feed) : `${count(sources.length)} counties`;
          return [
            source_url ? <a href={commonPage(sources)}>{name}</a> : name,
            KIND_WORDS[kind],
            span(sources.map(({ edition, changed }) => edition ?? changed)),
            span(sources.map(({ merged_at }) => merged_at)),
            attribution ?? '–',
            licence ?? '–',
          ];
        })}
      />
    </Panel>
  );
}

type OfferedProps = CountiesProps & {
  state: string | undefined;
  sourcesOfCounty: Parameters<typeof offersOf>[2];
};

function Offered({ state, counties, sourcesOfCounty }: OfferedProps) {
  return (
    <Panel id="offered" title="Available, not loaded" flush>
      <p>More counties with published parcel data. The operator can load them.</p>
      <form method="get" action="/coverage#offered" class="buttons">
        <Select
          id="state"
          name="offered"
          aria-label="State"
          options={STATES.map(({ code, name }) => [code, name])}
          given={state}
        />
        <Submit label="Show counties" kind="second" />
      </form>
      {state && (
        <Grid
          name="Available, not loaded"
          cards
          heads={['County', 'Publisher', 'Year', 'Terms']}
          rows={offersOf(state, counties, sourcesOfCounty).map(
            ({ name, statewide, source_url, website, licence, year }) => [
              name,
              <a href={website ?? pageOf(source_url)}>
                {new URL(source_url).hostname}
                {statewide && ' (statewide)'}
              </a>,
              year ?? '–',
              licence ?? 'Not stated. Ask the publisher.',
            ],
          )}
        />
      )}
    </Panel>
  );
}

const classesOf = (counties: readonly Coverage[]) =>
  classifyCounties(
    counties.map(({ parcels }) => parcels),
    count,
  );

const coverageValuesPage: Page = {
  path: '/coverage/values.json',
  access: 'session',
  async get(visit) {
    const counties = await readCoverage(visit.deps.db, null);
    const values = counties.map(({ fips, name, state, parcels }) => ({
      fips,
      name,
      state,
      value: parcels,
      shown: `${count(parcels)} parcels`,
    }));
    return valuesReply(values, classesOf(counties));
  },
};

export const KIND_WORDS: Record<Coverage['sources'][number]['kind'], string> = {
  assessor: 'Roll',
  listings: 'Listings',
  elevation: 'Elevation',
  roads: 'Roads',
  wetlands: 'Wetlands',
  flood: 'Flood zones',
  water: 'Water',
  overlay: 'Overlays',
  places: 'Place names',
  zips: 'ZIP areas',
  imagery: 'Aerial imagery',
};

const SHARES = [
  ['with_boundary', 'Boundary'],
  ['with_owner', 'Owner'],
  ['with_acres', 'Acres'],
  ['with_values', 'Value'],
  ['with_sale', 'Sale'],
] as const;

function PartOf({ county, parts }: { county: Coverage; parts: ReadonlyMap<number, string> }) {
  const part = parts.get(Number(county.fips));
  return part ? (
    <>
      {' '}
      <small data-part>{part}</small>
    </>
  ) : null;
}

const nameOf = ({ name, state }: Coverage): string => `${name}, ${state}`;

function versionOf({ sources }: Coverage, kind: string): string {
  const ofKind = sources.filter(source => source.kind === kind);
  const credits = ofKind.map(({ edition, changed, merged_at }) => {
    const of = edition ?? changed;
    if (of != null) return day(of);
    return merged_at ? `loaded ${day(merged_at)}` : '?';
  });
  return [...new Set(credits)].join(', ') || '–';
}

function span(days: readonly (string | null | undefined)[]): string {
  const dates = days.filter(each => each != null).toSorted();
  const ends = dates.length === 0 ? [] : [day(dates[0]!), day(dates.at(-1)!)];
  return [...new Set(ends)].join(' to ') || '–';
}

/** The folder that has the files that a URL pattern matches. */
const pageOf = (address: string): string => address.replace(/[^/]*\{.*$/, '');

/** The sources' URL, or the folder or server that they share. */
function commonPage(sources: Coverage['sources']): string {
  const [first, ...others] = sources.map(({ source_url }) => pageOf(source_url ?? ''));
  const differ = others.some(each => each !== first);
  return differ ? new URL('.', first).href : first!;
}

/** The sources for all counties. If a publisher offers several on the same terms, they are grouped. */
function sourcesOf(counties: Coverage[]): Coverage['sources'][] {
  const byFeed = new Map(counties.flatMap(({ sources }) => sources.map(source => [source.feed, source])));
  const groups = new Map<string, Coverage['sources']>();
  for (const source of byFeed.values()) {
    const { feed, kind, attribution, licence, edition } = source;
    const key = attribution === null || edition !== null ? feed : [kind, attribution, licence].join('\n');
    groups.set(key, [...(groups.get(key) ?? []), source]);
  }
  return [...groups.values()];
}

export const coveragePages = [coveragePage, coverageValuesPage];
