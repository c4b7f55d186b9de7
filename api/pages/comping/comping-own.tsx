import { moment } from '../../../shared/domain/figures.ts';
import { titleCase } from '../../../shared/domain/roll-text.ts';
import { createCompReport } from '../../v1/comping/create-comp-report.ts';
import { Empty, Field, Grid } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint } from '../frame/visit.ts';
import { titleOf } from './comping-reports.ts';

/** The last ones; who has more finds them by the link. */
const MAX_LISTED = 500;

type Listed = {
  id: string;
  title: string;
  label: string;
  property_id: number;
  fips: number;
  updated_at: Date;
  shared: boolean | null;
  comps: number;
};

/** The reports of the account; a form of a parcel's page begins a new one. */
export const reportsPage: Page = {
  path: '/comping',
  access: 'app',
  async get({ deps, session }) {
    const { account, user } = session!;
    const values = { account_id: account?.id ?? null, user_id: user.id, limit: MAX_LISTED };
    const reports = await deps.resources.database.run<Listed>('comping/list_reports', values);
    const body = (
      <>
        <header class="pagehead">
          <div>
            <h1>Comp reports</h1>
            <p>A report compares a parcel with the sales and listings around it.</p>
          </div>
        </header>
        <form method="post" class="new-report">
          <Field
            label="New report of parcel"
            name="property_id"
            inputmode="numeric"
            pattern="[0-9]{12,13}"
            title="12 or 13 digits"
            placeholder="3301900000010"
            required
            hint={
              <>
                Its id, or “Comp report” on the parcel: <a href="/data">find it on the map</a>
              </>
            }
          />
          <button type="submit">Start</button>
        </form>
        {reports.length > 0 ? (
          <Grid
            name="Comp reports"
            cards
            heads={['Report', 'Parcel', 'Comps', 'Changed', 'Link']}
            rows={reports.map(report => [
              <a href={`/comping/${report.id}`}>{titleOf(report)}</a>,
              <a href={`/data?parcel=${report.property_id}`}>
                {titleCase(report.label) || String(report.property_id)}
              </a>,
              String(report.comps),
              moment(report.updated_at),
              report.shared ? <span class="badge good">Shared</span> : '',
            ])}
          />
        ) : (
          <Empty icon="scale" title="No reports yet">
            Open a parcel on the map and choose “Comp report”: what it is worth by the sales around it, ready
            to print or to share.
          </Empty>
        )}
      </>
    );
    return { title: 'Comp reports', body, assetNames: ['cards.css', 'comping.css'] };
  },
  async post(visit) {
    const property_id = Number(visit.form.get('property_id'));
    const { report_id } = await callEndpoint<{ report_id: string }>(visit, createCompReport, {
      body: { property_id },
    });
    return { redirect: `/comping/${report_id}` };
  },
};
