import { type Coverage, readCoverage } from '../v1/coverage.ts';
import { count, day, percent } from './figures.ts';
import { Grid } from './layout.tsx';
import { boxOfCounties, mapHead, mapOf, valuesReply } from './map.tsx';
import type { Page } from './pages.tsx';

/** What is known of which counties, for whoever has signed in: it is the first question before a subscription. */
export const coveragePage: Page = {
  path: '/coverage',
  access: 'session',
  async get(visit) {
    const counties = await readCoverage(visit.deps.resources.database, null);
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
            start: boxOfCounties(counties.map(({ fips }) => fips)),
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
        <ul>
          {sourcesOf(counties).map(({ feed, title, attribution, licence }) => (
            <li>
              <b>{title ?? feed}</b>
              {attribution && `: ${attribution}`} {licence && <small>{licence}</small>}
            </li>
          ))}
        </ul>
      </>
    );
    return { title: 'Coverage', body, head: mapHead(visit) };
  },
};

export const coverageValuesPage: Page = {
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

function sourcesOf(counties: Coverage[]) {
  const all = counties.flatMap(({ sources }) => sources);
  return [...new Map(all.map(source => [source.feed, source])).values()];
}
