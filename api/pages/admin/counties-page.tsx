import { addCountyJob } from '../../../shared/feeds/county-feeds.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { type County, countyName, fiveDigits } from '../../../shared/regions/counties.ts';
import { searchCounties } from '../../../shared/regions/search-counties.ts';
import { Crumbs, Field, Grid, Notice, Submit } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { startJob } from './job-progress.tsx';

/** Texas has 254. */
const MAX_COUNTIES = 300;

/** Looks a county up; a worker then reports what its publishers offer. */
export const countiesPage: Page = {
  path: '/admin/counties',
  access: 'operator',
  get({ url }) {
    const text = (url.searchParams.get('q') ?? '').trim();
    const { counties, near } = searchCounties(text);
    const body = (
      <>
        <Crumbs of={[['Admin', '/admin'], ['Add a county']]} />
        <h1>Add a county</h1>
        <p>
          Plat knows who publishes parcels, sales, roads, wetlands, flood zones and heights, and loads them
          for the county that you choose.
        </p>
        <form method="get" class="inline">
          <Field
            name="q"
            label="County"
            hint="A name or a FIPS code: Sullivan, Sullivan NH or 33019; a state alone lists its counties."
            value={text}
            type="search"
            maxlength={100}
          />
          <Submit label="Search" />
        </form>
        {text !== '' && counties.length === 0 && (
          <Notice>
            No county is called “{text}”. {near.length > 0 ? 'Did you mean:' : 'Check the spelling.'}
          </Notice>
        )}
        <Counties counties={counties.length > 0 ? counties.slice(0, MAX_COUNTIES) : near} />
      </>
    );
    return { title: 'Add a county', body, assetNames: ['cards.css'] };
  },
  actions: {
    async default(visit) {
      const county = Number(visit.form.get('county'));
      if (countyName(county) === '')
        throw new PlatError('validation_error', 'No county has this FIPS code: search for it.');
      const write = visit.form.get('do') === 'add';
      const payload = { county, write, requestedBy: visit.session!.user.email };
      return { redirect: `/admin/counties/${await startJob(visit, addCountyJob, payload)}` };
    },
  },
};

function Counties({ counties }: { counties: readonly County[] }) {
  if (counties.length === 0) return null;
  const rows = counties.map(({ fips, name, state }) => [
    <>
      {name}, {state} <small>{fiveDigits(fips)}</small>
    </>,
    <form method="post" action="/admin/counties">
      <input type="hidden" name="county" value={fips} />
      <button type="submit" class="second small" name="do" value="look">
        What is published
        <span class="unseen">
          {' '}
          for {name}, {state}
        </span>
      </button>
    </form>,
  ]);
  return (
    <div class="narrow-form">
      <Grid name="Counties" heads={['County', '']} rows={rows} />
    </div>
  );
}
