import { type AddedCounty, listAddedCounties } from '../../../shared/feeds/feed-statements.ts';
import { moment } from '../../../shared/model/figures.ts';
import { countyText } from '../../../shared/regions/counties.ts';
import { Grid, Panel, Submit } from '../frame/layout.tsx';
import type { Visit } from '../frame/visit.ts';
import { firstSentence, problemOf } from './county-problem.ts';

type Unloaded = AddedCounty & { problem: { text: string; files: boolean } };

/** Counties that an operator added but that are still incomplete, newest first. */
export async function readUnloaded({ deps }: Visit): Promise<readonly Unloaded[]> {
  const added = await listAddedCounties(deps.db);
  return added.flatMap(county => {
    const problem = whyUnloaded(county);
    return problem === null ? [] : [{ ...county, problem }];
  });
}

function whyUnloaded({ status, error, result, runs, loaded }: AddedCounty): Unloaded['problem'] | null {
  if (status === 'failed')
    return { text: firstSentence(error ?? "Plat couldn't add the county."), files: false };
  if (status !== 'done' || result === null) return null;
  const problem = problemOf(result, loaded);
  if (problem) return problem;
  const kindOf = new Map(result.added.map(({ feed, kind }) => [feed, kind]));
  const stopped = runs.find(
    ({ feed, status: ended }) =>
      (ended === 'failed' || ended === 'blocked') && !loaded.includes(kindOf.get(feed) ?? ''),
  );
  if (stopped === undefined) return null;
  const why = stopped.status === 'blocked' ? 'its run was blocked, and nothing has changed.' : stopped.error;
  return { text: `${stopped.feed}: ${firstSentence(why ?? 'its run failed.')}`, files: false };
}

/** Counties stay on the page until they are loaded. */
export const UnloadedCounties = ({ of }: { of: readonly Unloaded[] }) =>
  of.length === 0 ? null : (
    <Panel id="unloaded" title="Counties that need attention" flush>
      <Grid
        name="Counties that need attention"
        cards
        heads={['County', 'Reason', 'Added', '']}
        rows={of.map(({ id, fips, problem, queued_at }) => [
          <a href={`/admin/counties/${id}`}>{countyText(fips)}</a>,
          problem.text,
          moment(queued_at),
          <form method="post" action="/admin/counties" class="buttons">
            <input type="hidden" name="county" value={fips} />
            {problem.files && (
              <a class="button second small" href="/admin/files">
                Add files<span class="unseen"> for {countyText(fips)}</span>
              </a>
            )}
            <Submit
              does="add"
              kind="second small"
              label={
                <>
                  Try again<span class="unseen"> to load {countyText(fips)}</span>
                </>
              }
            />
          </form>,
        ])}
      />
    </Panel>
  );
