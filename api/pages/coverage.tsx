import { STATES } from '../../shared/regions/states.ts';
import { type Coverage, offersOf, readCoverage } from '../v1/coverage.ts';
import { count, day, percent } from './figures.ts';
import { Grid, Select } from './layout.tsx';
import { boxOfCounties, mapHead, mapOf, valuesReply } from './map.tsx';
import type { Page } from './pages.tsx';

/** What is known of which counties, for whoever has signed in: it is the first question before a subscription. */
const coveragePage: Page = {
  path: '/coverage',
  access: 'session',
  async get(visit) {
    const counties = await readCoverage(visit.deps.resources.database, null);
    const state = STATES.find(({ code }) => code === visit.url.searchParams.get('offered'))?.code;
    const layers = [...new Set(counties.flatMap(({ sources }) => sources.map(({ kind }) => kind)))].sort();
    const body = (
      <>
        <h1>Coverage</h1>
        <p>
          {count(counties.reduce((sum, { parcels }) => sum + parcels, 0))} parcels in {count(counties.length)}{' '}
          {counties.length === 1 ? 'county' : 'counties'}
        </p>
        <div class="framed">
          {mapOf(visit, {
            values: '/coverage/values.json',
            opens: '/data?county=',
            legend: 'Parcels',
            start: boxOfCounties(counties),
          })}
        </div>
        <h2>Parcels and listings</h2>
        <Grid
          name="Parcels and listings"
          heads={['County', 'Parcels', ...SHARES.map(([, label]) => label), 'Active', 'Pending', 'Sold']}
          rows={counties.map(county => [
            <a href={`/data?county=${county.fips}`}>{nameOf(county)}</a>,
            count(county.parcels),
            ...SHARES.map(([name]) =>
              county.parcels === 0 ? '–' : percent((100 * county[name]) / county.parcels),
            ),
            count(county.active),
            count(county.pending),
            count(county.sold),
          ])}
        />
        <h2>Editions</h2>
        <Grid
          name="Editions"
          heads={['County', ...layers.map(kind => KIND_WORDS[kind]), 'Statistics', 'Values']}
          rows={counties.map(county => [
            nameOf(county),
            ...layers.map(kind => editionOf(county, kind)),
            county.stats_as_of ?? '–',
            county.valuations_as_of ?? '–',
          ])}
        />
        <h2>Sources</h2>
        <Grid
          name="Sources"
          heads={['Source', 'Kind', 'Of', 'Taken in', 'Credit', 'Terms']}
          rows={sourcesOf(counties).map(
            ({ feed, kind, title, attribution, licence, edition, changed, merged_at, source_url }) => [
              source_url ? <a href={pageOf(source_url)}>{title ?? feed}</a> : (title ?? feed),
              KIND_WORDS[kind],
              edition ?? changed ?? '–',
              merged_at ? day(merged_at) : '–',
              attribution ?? '–',
              licence ?? '–',
            ],
          )}
        />
        <h2 id="offered">Not loaded yet</h2>
        <p>The catalogue knows who publishes the parcels of further counties. The operator loads them.</p>
        <form method="get" action="/coverage#offered" class="buttons">
          <Select
            name="offered"
            aria-label="State"
            options={STATES.map(({ code, name }) => [code, name])}
            given={state}
          />
          <button type="submit">Show</button>
        </form>
        {state && (
          <Grid
            name="Not loaded yet"
            heads={['County', 'Published by', 'Year', 'Terms']}
            rows={offersOf(state, counties).map(({ name, statewide, source_url, website, licence, year }) => [
              name,
              <a href={website ?? pageOf(source_url)}>
                {new URL(source_url).hostname}
                {statewide && ' (whole state)'}
              </a>,
              year ?? '–',
              licence ?? 'not noted; ask the publisher',
            ])}
          />
        )}
      </>
    );
    return { title: 'Coverage', body, head: mapHead(visit) };
  },
};

const coverageValuesPage: Page = {
  path: '/coverage/values.json',
  access: 'session',
  get: async visit =>
    valuesReply(
      (await readCoverage(visit.deps.resources.database, null)).map(({ fips, name, state, parcels }) => ({
        ...{ fips, name, state },
        value: parcels,
        shown: `${count(parcels)} parcels`,
      })),
    ),
};

const KIND_WORDS: Record<Coverage['sources'][number]['kind'], string> = {
  ...{ assessor: 'Roll', listings: 'Listings', elevation: 'Elevation', roads: 'Roads', wetlands: 'Wetlands' },
  ...{ flood: 'Flood zones', zips: 'ZIP areas', imagery: 'Imagery' },
};

/** Of how many parcels what is known. */
const SHARES = [
  ['with_boundary', 'Boundary'],
  ['with_owner', 'Owner'],
  ['with_acres', 'Acres'],
  ['with_values', 'Value'],
  ['with_sale', 'Sale'],
] as const;

const nameOf = ({ name, state }: Coverage): string => `${name}, ${state}`;

function editionOf({ sources }: Coverage, kind: string): string {
  const found = sources.filter(source => source.kind === kind);
  return found.length === 0
    ? '–'
    : found
        .map(({ edition, merged_at }) => edition ?? (merged_at ? `taken in ${day(merged_at)}` : '?'))
        .join(', ');
}

/** Of a pattern of files the folder that all are in. */
const pageOf = (address: string): string => address.replace(/[^/]*\{.*$/, '');

function sourcesOf(counties: Coverage[]) {
  const all = counties.flatMap(({ sources }) => sources);
  return [...new Map(all.map(source => [source.feed, source])).values()];
}

export const coveragePages = [coveragePage, coverageValuesPage];
