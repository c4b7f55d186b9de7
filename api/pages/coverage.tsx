import { type Coverage, readCoverage } from '../v1/coverage.ts';
import { count, day, percent } from './figures.ts';
import { mapHead, mapOf } from './map.tsx';
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
        <div class="framed">{mapOf(visit, { start: CONTIGUOUS })}</div>
        <section class="scroll" tabindex={0} aria-label="Counties">
          <table>
            <thead>
              <tr>
                <th>County</th>
                <th class="n">Parcels</th>
                <th class="n">Boundary</th>
                <th class="n">Owner</th>
                <th class="n">Acres</th>
                <th class="n">Value</th>
                <th class="n">Sale</th>
                <th class="n">Active</th>
                <th class="n">Pending</th>
                <th class="n">Sold</th>
                <th>Statistics</th>
                <th>Values of</th>
                {layers.map(kind => (
                  <th>{kind}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {counties.map(county => (
                <tr>
                  <td>
                    <a href={`/data?county=${county.fips}`}>
                      {county.name}, {county.state}
                    </a>
                  </td>
                  <td class="n">{count(county.parcels)}</td>
                  {(['with_boundary', 'with_owner', 'with_acres', 'with_values', 'with_sale'] as const).map(
                    name => (
                      <td class="n">
                        {county.parcels === 0 ? '–' : percent((100 * county[name]) / county.parcels)}
                      </td>
                    ),
                  )}
                  <td class="n">{count(county.active)}</td>
                  <td class="n">{count(county.pending)}</td>
                  <td class="n">{count(county.sold)}</td>
                  <td>{county.stats_as_of ?? '–'}</td>
                  <td>{county.valuations_as_of ?? '–'}</td>
                  {layers.map(kind => (
                    <td>{editionOf(county, kind)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
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

const CONTIGUOUS = [-125, 24, -66, 50];

function editionOf({ sources }: Coverage, kind: string): string {
  const found = sources.filter(source => source.kind === kind);
  return found.length === 0
    ? '–'
    : found.map(({ edition, merged_at }) => edition ?? (merged_at ? day(merged_at) : '?')).join(', ');
}

function sourcesOf(counties: Coverage[]) {
  const all = counties.flatMap(({ sources }) => sources);
  return [...new Map(all.map(source => [source.feed, source])).values()];
}
