import { listReports } from '../../../shared/comping/stored-reports.ts';
import { moment } from '../../../shared/model/figures.ts';
import { createCompReport } from '../../v1/comping/create-comp-report.ts';
import { search } from '../../v1/search/search.ts';
import type { SearchResult } from '../../v1/search/search-result.ts';
import { Empty, Field, Grid, Notice, Submit } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, type Visit } from '../frame/visit.ts';
import { detailOf, textOf } from '../search/search-answers.tsx';
import { parcelOf, titleOf } from './comping-reports.ts';

/** Only the latest reports are listed. Older ones stay available at their URLs. */
const MAX_LISTED = 500;

/** The search rejects shorter text. */
const MIN_QUERY = 2;

async function findParcels(visit: Visit, q: string): Promise<SearchResult[]> {
  const query = { q, types: 'address,apn,property' };
  return (await callEndpoint<{ results: SearchResult[] }>(visit, search, { query })).results;
}

/** Matching parcels, each with a button to create a report. */
function Found({ query, parcels }: { query: string; parcels: readonly SearchResult[] }) {
  if (parcels.length === 0)
    return (
      <Notice kind="warn">
        No parcels found for “{query}” in the <a href="/coverage">loaded counties</a>. Check the spelling, or
        try the parcel number.
      </Notice>
    );
  return (
    <section class="notice" aria-label="Which parcel?">
      <ul class="plain">
        {parcels.map(parcel => (
          <li>
            <form method="post" action="/comping" class="buttons">
              <input type="hidden" name="property_id" value={parcel.property_id} />
              <Submit label={`Create report for ${textOf(parcel)}`} kind="second" />
              <small>{detailOf(parcel)}</small>
            </form>
          </li>
        ))}
      </ul>
    </section>
  );
}

export const reportsPage: Page = {
  path: '/comping',
  access: 'app',
  async get(visit) {
    const { deps, session, url } = visit;
    const { account, user } = session!;
    const query = (url.searchParams.get('find') ?? '').trim();
    const found = query.length < MIN_QUERY ? undefined : await findParcels(visit, query);
    const reader = { accountId: account?.id ?? null, userId: user.id };
    const reports = await listReports(deps.db, reader, MAX_LISTED);
    const body = (
      <>
        <header class="pagehead">
          <div>
            <h1>Comp reports</h1>
            <p>Estimate a parcel's value from nearby sales and listings that you choose.</p>
          </div>
        </header>
        <form method="get" class="new-report">
          <Field
            label="New report for parcel"
            name="find"
            type="search"
            value={query}
            minlength={MIN_QUERY}
            maxlength={200}
            placeholder="Address or parcel number"
            required
            hint={
              <>
                Or <a href="/data">find the parcel on the map</a> and choose “Comp report”
              </>
            }
          />
          <button type="submit">Find parcel</button>
        </form>
        {found && <Found query={query} parcels={found} />}
        {reports.length > 0 ? (
          <Grid
            name="Comp reports"
            cards
            heads={['Report', 'Parcel', 'Comps', 'Updated', 'Sharing']}
            rows={reports.map(report => [
              <a href={`/comping/${report.id}`}>{titleOf(report)}</a>,
              <a href={`/data?parcel=${report.property_id}`}>{parcelOf(report)}</a>,
              String(report.comps),
              moment(report.updated_at),
              report.shared ? <span class="badge good">Shared</span> : '',
            ])}
          />
        ) : (
          <Empty icon="scale" title="No reports yet">
            Open a parcel on the map and choose “Comp report”. The report estimates its value from nearby
            sales, and you can print or share it.
          </Empty>
        )}
      </>
    );
    return { title: 'Comp reports', body, assetNames: ['cards.css', 'comping.css'] };
  },
  actions: {
    async default(visit) {
      const body = { property_id: Number(visit.form.get('property_id')) };
      const report = await callEndpoint<{ report_id: string }>(visit, createCompReport, { body });
      return { redirect: `/comping/${report.report_id}` };
    },
  },
};
