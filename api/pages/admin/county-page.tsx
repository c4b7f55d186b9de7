import type { ComponentChildren } from 'preact';
import {
  type AddCountyPayload,
  type AddCountyResult,
  addCountyJob,
} from '../../../shared/feeds/county-feeds.ts';
import { noComps } from '../../../shared/feeds/no-comps.ts';
import type { JobState } from '../../../shared/platform/queue/jobs.ts';
import { countyText, fiveDigits } from '../../../shared/regions/counties.ts';
import { stateOfFips } from '../../../shared/regions/states.ts';
import { Crumbs, Notice, Submit } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import type { Visit } from '../frame/visit.ts';
import { KINDS, problemOf } from './county-problem.ts';
import { findJob, followed, isOpen, jobOfPage, lacksWorker, NoWorker, Progress } from './job-progress.tsx';

type Offered = AddCountyResult['added'][number];

export const countyPage: Page = {
  path: '/admin/counties/:id',
  access: 'operator',
  async get(visit) {
    const { state, payload } = await jobOfPage(visit, addCountyJob);
    const { county, write } = payload;
    const place = countyText(county);
    const result = state.status === 'done' ? (state.result as AddCountyResult) : null;
    const runs = await runsOf(visit, result);
    const open = isOpen(state) || [...runs.values()].some(isOpen);
    const waiting = [state, ...runs.values()].find(({ status }) => status === 'queued');
    const stuck = waiting !== undefined && (await lacksWorker(visit, waiting));
    const body = (
      <>
        <Crumbs of={[['Admin', '/admin'], ['Add a county', '/admin/counties'], [place]]} />
        <h1>
          {place} <small>{fiveDigits(county)}</small>
        </h1>
        <div id="progress" data-open={open ? '' : undefined}>
          {stuck && <NoWorker />}
          {isOpen(state) && (
            <>
              <p>
                {write
                  ? 'Checking the publishers and writing the feeds…'
                  : 'Checking what its publishers offer…'}
              </p>
              <Progress name="Adding the county" state={state} />
            </>
          )}
          {state.status === 'failed' && (
            <>
              <Notice kind="bad">{state.error}</Notice>
              <RequestButton payload={payload} words="Try again" write={write} />
            </>
          )}
          {result && <Offers payload={payload} result={result} runs={runs} />}
        </div>
      </>
    );
    return { title: place, body, ...followed(open) };
  },
};

/** The requested runs, by feed. Jobs are kept for 90 days. */
async function runsOf(visit: Visit, result: AddCountyResult | null): Promise<Map<string, JobState>> {
  const runs = (result?.runs ?? []).map(async ({ feed, job }) => [feed, await findJob(visit, job)] as const);
  const found = await Promise.all(runs);
  return new Map(found.flatMap(([feed, run]) => (run ? [[feed, run] as const] : [])));
}

type OffersProps = {
  payload: AddCountyPayload;
  result: AddCountyResult;
  runs: ReadonlyMap<string, JobState>;
};

function Offers({ payload, result, runs }: OffersProps) {
  const { added, notWritable, feedsDir } = result;
  const lacking = added.filter(({ status }) => status === 'planned' || status === 'failed').length;
  const open = [...runs.values()].some(isOpen);
  return (
    <>
      {notWritable && (
        <Notice kind="bad">
          Plat can't write to {feedsDir} ({notWritable}), the folder for feeds (FEEDS_DIR). It can show you
          the feeds, so that you can save them there yourself.
        </Notice>
      )}
      {payload.write && !open && <Outcome result={result} runs={runs} />}
      <Comps county={payload.county} added={added} />
      <ul class="offers">
        {added.map(each => (
          <Offer offered={each} run={runs.get(each.feed)} />
        ))}
      </ul>
      {!open && (
        <RequestButton
          payload={payload}
          write
          words={buttonLabel(payload, lacking, notWritable !== null)}
          kind={lacking > 0 ? undefined : 'second'}
        />
      )}
    </>
  );
}

function buttonLabel({ write }: AddCountyPayload, lacking: number, notWritable: boolean): string {
  if (lacking > 0 && notWritable) return write ? 'Try again' : 'Show feeds';
  if (write) return lacking > 0 ? 'Try again' : 'Run all again';
  return lacking > 0 ? `Add and run ${lacking} ${lacking === 1 ? 'feed' : 'feeds'}` : 'Run all again';
}

type RequestButtonProps = {
  payload: AddCountyPayload;
  write: boolean;
  words: string;
  kind?: string | undefined;
};

const RequestButton = ({ payload, write, words, kind = '' }: RequestButtonProps) => (
  <form method="post" action="/admin/counties" class="buttons">
    <input type="hidden" name="county" value={payload.county} />
    <Submit does={write ? 'add' : 'look'} label={words} kind={kind} />
  </form>
);

function Outcome({ result, runs }: { result: AddCountyResult; runs: ReadonlyMap<string, JobState> }) {
  const states = result.added.map(({ feed }) => stateOf(runs.get(feed)));
  const loaded = states.filter(state => state === 'merged' || state === 'unchanged').length;
  if (loaded === result.added.length)
    return (
      <Notice kind="good">
        All feeds are loaded. Plat is now calculating land measurements, statistics, and estimates.
      </Notice>
    );
  const problem = problemOf(result);
  return (
    <Notice kind="bad">
      {problem?.files ? (
        <>
          {problem.text} <a href="/admin/files">Add a file</a>
        </>
      ) : (
        `${loaded} of ${result.added.length} feeds loaded. The table below shows why the others didn't load.`
      )}
    </Notice>
  );
}

/** Why the county will have no comps. Set if no source has sales. */
function Comps({ county, added }: { county: number; added: readonly Offered[] }) {
  const salesSources = added.filter(({ kind }) => kind === 'assessor' || kind === 'listings');
  const isCertain = salesSources.every(({ sales, status }) => sales === false && status !== 'failed');
  return isCertain ? <Notice>No comps: {noComps(stateOfFips(county)!, false).message}</Notice> : null;
}

type RunState = 'queued' | 'running' | 'failed' | 'merged' | 'unchanged' | 'blocked';

function stateOf(run: JobState | undefined): RunState | null {
  if (run === undefined) return null;
  return run.status === 'done' ? ((run.result as { status: RunState }).status ?? 'merged') : run.status;
}

type Badge = readonly [kind: 'good' | 'bad' | 'plain', words: string];

const RUN_BADGES: Record<RunState, Badge> = {
  queued: ['plain', 'Waiting'],
  running: ['plain', 'Running'],
  failed: ['bad', 'Failed'],
  merged: ['good', 'Loaded'],
  unchanged: ['good', 'Up to date'],
  blocked: ['bad', 'Blocked'],
};

const BADGES: Record<Offered['status'], Badge> = {
  planned: ['plain', 'Not added yet'],
  there: ['good', 'Already added'],
  written: ['good', 'Added'],
  off: ['bad', 'Turned off'],
  failed: ['bad', 'Not added'],
  unknown: ['bad', 'No known publisher'],
};

function Offer({ offered, run }: { offered: Offered; run: JobState | undefined }) {
  const { kind, status, attribution, licence, address, modified, sales, text } = offered;
  const state = stateOf(run);
  const [badge, words] = state ? RUN_BADGES[state] : BADGES[status];
  return (
    <li data-kind={kind} data-state={state ?? status}>
      <h2>
        {KINDS[kind]} <span class={`badge ${badge}`}>{words}</span>
      </h2>
      {run && isOpen(run) && <Progress name={KINDS[kind]} state={run} />}
      {run && <RunOutcome run={run} state={state!} />}
      {messageOf(offered) && <p class={badge === 'bad' ? 'bad' : undefined}>{messageOf(offered)}</p>}
      {status === 'unknown' && (
        <p>
          <a href="/admin/files">Add a file</a>
        </p>
      )}
      {text && (
        <details open>
          <summary>Save this feed as {offered.feed}.yaml</summary>
          <pre tabindex={0}>{text}</pre>
        </details>
      )}
      <dl class="offer">
        <Fact name="Publisher">{attribution}</Fact>
        <Fact name="License">{licence}</Fact>
        <Fact name="Updated">{modified?.slice(0, 10)}</Fact>
        <Fact name="Sales">
          {kind === 'assessor' && status !== 'unknown' ? salesWords(sales, status) : null}
        </Fact>
        <Fact name="URL">{address && <span class="address">{address}</span>}</Fact>
      </dl>
    </li>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  if (!children) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function salesWords(sales: boolean | null, status: Offered['status']): string | null {
  if (sales === null) return 'Unknown until Plat reads the columns';
  if (sales) return 'Included with the parcels';
  return status === 'failed' ? null : 'Not included';
}

/** What is wrong, and what the operator can do about it. */
function messageOf({ status, message }: Offered): string | null {
  if (status === 'unknown')
    return "The catalog lists no publisher for this county's parcels. Add a file of your own.";
  return status === 'off' || status === 'failed' ? message : null;
}

function RunOutcome({ run, state }: { run: JobState; state: RunState }) {
  if (state === 'failed') return <p class="bad">{run.error}</p>;
  if (run.status !== 'done') return null;
  const { runId, rows } = run.result as { runId?: number; rows?: number };
  return (
    <p>
      {runId !== undefined && <a href={`/admin/runs/${runId}`}>Run {runId}</a>}
      {rows !== undefined && `: ${rows.toLocaleString('en-US')} rows read`}
    </p>
  );
}
