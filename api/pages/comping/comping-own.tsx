import { moment } from '../../../shared/domain/figures.ts';
import { createCompReport } from '../../v1/comping/create-comp-report.ts';
import { Grid } from '../frame/layout.tsx';
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
        <h1>Comp reports</h1>
        <p>A report compares a parcel with the sales and listings around it.</p>
        <form method="post" class="buttons">
          <label for="property_id">New report of parcel</label>
          <input
            id="property_id"
            name="property_id"
            class="short"
            inputmode="numeric"
            pattern="[0-9]{12,13}"
            title="12 or 13 digits"
            placeholder="3301900000010"
            required
          />
          <button type="submit">Start</button>
          <a href="/data">find it on the map</a>
        </form>
        {reports.length > 0 && (
          <Grid
            name="Comp reports"
            heads={['Report', 'Parcel', 'Comps', 'Changed', 'Link']}
            rows={reports.map(report => [
              <a href={`/comping/${report.id}`}>{titleOf(report)}</a>,
              <a href={`/data?parcel=${report.property_id}`}>{report.label || String(report.property_id)}</a>,
              String(report.comps),
              moment(report.updated_at),
              report.shared ? 'shared' : '',
            ])}
          />
        )}
      </>
    );
    return { title: 'Comp reports', body };
  },
  async post(visit) {
    const property_id = Number(visit.form.get('property_id'));
    const { report_id } = await callEndpoint<{ report_id: string }>(visit, createCompReport, {
      body: { property_id },
    });
    return { redirect: `/comping/${report_id}` };
  },
};
