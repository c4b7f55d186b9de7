import { addCountyJob } from '../../../shared/feeds/county-feeds.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { type County, countyName, fiveDigits } from '../../../shared/regions/counties.ts';
import { searchCounties } from '../../../shared/regions/search-counties.ts';
import { Crumbs, Field, Grid, Notice, Submit } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { startJob } from './job-progress.tsx';

/** Texas has the most: 254. */
const MAX_COUNTIES = 300;

/** Finds a county. A worker then reports what its publishers offer. */
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
          Choose a county to see which parcels, sales, roads, wetlands, flood zones, and elevation data its
          publishers offer. Plat then loads them for you.
        </p>
        <form method="get" class="inline">
          <Field
            name="q"
            label="County"
            hint="Name or FIPS code, such as Sullivan, Sullivan NH, or 33019. Enter a state to list its counties."
            value={text}
            type="search"
            maxlength={100}
          />
          <Submit label="Search" />
        </form>
        {text !== '' && counties.length === 0 && (
          <Notice>
            No county is named “{text}”. {near.length > 0 ? 'Did you mean:' : 'Check the spelling.'}
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
        throw new PlatError('validation_error', 'No county has this FIPS code. Search for the county.');
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
        See available data
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
