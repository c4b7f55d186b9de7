import { CronExpressionParser } from 'cron-parser';
import type { VNode } from 'preact';
import { listAccounts } from '../../../shared/accounts/accounts.ts';
import { listUsers, type UserSummary } from '../../../shared/accounts/users.ts';
import { type FeedState, listFeeds } from '../../../shared/feeds/feed-statements.ts';
import { listRuns, type RunSummary } from '../../../shared/feeds/ingest-runs.ts';
import { count, day, moment } from '../../../shared/model/figures.ts';
import { type JobState, listJobs } from '../../../shared/platform/queue/jobs.ts';
import { Icon } from '../frame/icons.tsx';
import { Grid, LinkButton, Panel } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { adminActions, jobWords, subjectOf } from './admin-actions.tsx';
import { countiesPage } from './counties-page.tsx';
import { countyPage } from './county-page.tsx';
import { filePage } from './file-page.tsx';
import { filesPage } from './files-page.tsx';
import { kindName, runPages, STATUS_NAMES } from './run-page.tsx';
import { readUnloaded, UnloadedCounties } from './unloaded-counties.tsx';

const admin: Page = {
  path: '/admin',
  access: 'operator',
  async get(visit) {
    const { db, resources } = visit.deps;
    const [unloaded, feeds, runs, jobs, accounts, users] = await Promise.all([
      readUnloaded(visit),
      listFeeds(resources.db),
      listRuns(db, null, 20),
      listJobs(db, 20),
      listAccounts(db),
      listUsers(db),
    ]);
    const body = (
      <>
        <header class="pagehead">
          <div>
            <h1>Admin</h1>
            <p>
              <a href="/coverage">Coverage</a> · <a href="/admin/queues">Queues</a> (sign in as admin with the
              operator password)
            </p>
          </div>
          <div class="buttons">
            <LinkButton to="/admin/files" words="Add a file" kind="second" />
            <LinkButton to="/admin/counties" words="Add a county" icon="plus" />
          </div>
        </header>
        <div class="stack panels">
          <UnloadedCounties of={unloaded} />
          <Feeds feeds={feeds} now={visit.deps.now()} />
          <Runs runs={runs} />
          <JobsPanel jobs={jobs} />
          <Accounts accounts={accounts} />
          <Users users={users} own={visit.session!.user.id} />
        </div>
      </>
    );
    return { title: 'Admin', body, assetNames: ['cards.css'] };
  },
};

function Feeds({ feeds, now }: { feeds: FeedState[]; now: Date }) {
  return (
    <Panel id="feeds" title="Feeds" flush>
      <Table
        name="Feeds"
        of={feeds}
        columns={{
          Feed: ({ name }) => name,
          Kind: ({ kind }) => kindName(kind),
          'Data date': ({ as_of }) => (as_of ? day(as_of) : '–'),
          'Last run': ({ status }) => <Status of={status} />,
          Loaded: ({ last_merged }) =>
            last_merged ? `${day(last_merged)}, ${ageOf(last_merged, now)}` : '–',
          'Next run': feed => nextRun(feed, now),
          '': ({ name }) => (
            <a class="button second small" href={`/admin/run?feed=${encodeURIComponent(name)}`}>
              <Icon name="play" />
              Run now<span class="unseen"> {name}</span>
            </a>
          ),
        }}
      />
    </Panel>
  );
}

function Runs({ runs }: { runs: RunSummary[] }) {
  return (
    <Panel id="runs" title="Runs" flush>
      <Table
        name="Runs"
        of={runs}
        columns={{
          Run: ({ id }) => <a href={`/admin/runs/${id}`}>Run {id}</a>,
          Feed: ({ feed, kind }) => (
            <>
              {feed} <small>{kindName(kind)}</small>
            </>
          ),
          Status: ({ status, forced, undoes }) => <Status of={status} forced={forced} undoes={undoes} />,
          Started: ({ started_at }) => moment(started_at),
          'Requested by': ({ requested_by }) => requested_by,
          Result: ({ error, counts }) => error ?? (summary(counts) || '–'),
        }}
      />
    </Panel>
  );
}

function JobsPanel({ jobs }: { jobs: JobState[] }) {
  const open = jobs.filter(job => !['done', 'canceled'].includes(job.status) && !isRepeated(job, jobs));
  const done = jobs.filter(({ status }) => ['done', 'canceled'].includes(status));
  return (
    <Panel id="jobs" title="Jobs" flush>
      {open.length > 0 ? <Jobs of={open} /> : <p>No jobs are queued, running, or failed.</p>}
      {done.length > 0 && (
        <details>
          <summary>{count(done.length)} recently completed</summary>
          <Jobs of={done} />
        </details>
      )}
    </Panel>
  );
}

function Accounts({ accounts }: { accounts: Awaited<ReturnType<typeof listAccounts>> }) {
  return (
    <Panel id="accounts" title="Accounts" flush>
      <Table
        name="Accounts"
        of={accounts}
        columns={{
          Account: ({ name }) => name,
          Company: ({ company }) => company,
          User: ({ user_email }) => user_email ?? '–',
          Tier: ({ tier }) => tier ?? 'none',
          'Tokens used': account => `${count(account.tokens_used)} of ${count(account.tokens_included)}`,
          Keys: ({ keys }) => count(keys),
          'Period ends': ({ period_end }) => (period_end ? day(period_end) : '–'),
        }}
      />
    </Panel>
  );
}

function Users({ users, own }: { users: UserSummary[]; own: string }) {
  return (
    <Panel id="users" title="Users" flush>
      <Table
        name="Users"
        of={users}
        columns={{
          User: ({ email }) => email,
          Name: ({ name }) => name || '–',
          Company: ({ company }) => company,
          Account: ({ account }) => account ?? '–',
          Role: ({ operator }) => (operator ? 'Operator' : 'User'),
          'Last seen': ({ seen_at }) => (seen_at ? moment(seen_at) : 'Never'),
          '': ({ id, email, account }) =>
            account === null && id !== own ? (
              <a class="button second small" href={`/admin/user?id=${id}`}>
                Remove<span class="unseen"> {email}</span>
              </a>
            ) : (
              ''
            ),
        }}
      />
    </Panel>
  );
}

/**
 * Whether a failed job was retried later. The list has open jobs first, followed by the others, newest first.
 */
const isRepeated = (job: JobState, jobs: readonly JobState[]): boolean =>
  job.status === 'failed' && jobs.find(({ name, key }) => name === job.name && key === job.key) !== job;

type StatusProps = { of: string | null; forced?: boolean; undoes?: number | null };

function Status({ of: status, forced, undoes = null }: StatusProps) {
  const [words, badge] = status === null ? ['Never run', ''] : (STATUS_NAMES[status] ?? [status, '']);
  return (
    <span class={`badge ${badge}`}>
      {words}
      {undoes !== null ? `, undid run ${undoes}` : forced && ', gate overridden'}
    </span>
  );
}

const JOB_STATES: Record<string, readonly [words: string, badge: string]> = {
  queued: ['Queued', ''],
  done: ['Done', 'good'],
  failed: ['Failed', 'bad'],
  canceled: ['Canceled', ''],
};

const Jobs = ({ of }: { of: readonly JobState[] }) => (
  <Table
    name="Jobs"
    of={of}
    columns={{
      Job: job => <span title={job.name}>{jobWords(job)}</span>,
      For: job => subjectOf(job) || '–',
      Status: ({ status, progress }) => {
        const [words, badge] = JOB_STATES[status] ?? [`${Math.round(100 * progress)}%`, ''];
        return <span class={`badge ${badge}`}>{words}</span>;
      },
      Queued: ({ queued_at }) => moment(queued_at),
      Note: ({ error, note }) => error ?? note ?? '',
      '': ({ id, status }) =>
        ['queued', 'failed'].includes(status) ? (
          <LinkButton
            to={`/admin/job?id=${id}`}
            words={status === 'queued' ? 'Cancel' : 'Retry'}
            kind="second small"
          />
        ) : (
          ''
        ),
    }}
  />
);

type TableProps<Row> = {
  name: string;
  of: readonly Row[];
  columns: Record<string, (row: Row) => string | VNode>;
};

function Table<Row>({ name, of, columns }: TableProps<Row>) {
  const cells = Object.values(columns);
  return (
    <Grid name={name} cards heads={Object.keys(columns)} rows={of.map(row => cells.map(cell => cell(row)))} />
  );
}

/** How long ago, in hours or days. */
function ageOf(then: Date, now: Date): string {
  const hours = Math.floor((now.getTime() - then.getTime()) / 3_600_000);
  if (hours < 1) return 'less than 1 h ago';
  return hours < 48 ? `${hours} h ago` : `${count(Math.floor(hours / 24))} days ago`;
}

/** Uses the schedule that the feed file had when the feed last ran. */
function nextRun({ cron, timezone }: FeedState, now: Date): string {
  if (cron === null) return 'Manual';
  const options = { currentDate: now, ...(timezone !== null && { tz: timezone }) };
  return moment(CronExpressionParser.parse(cron, options).next().toDate());
}

function summary(counts: RunSummary['counts']): string {
  return ['new', 'changed', 'unchanged', 'retired']
    .filter(name => typeof counts[name] === 'number' && counts[name] !== 0)
    .map(name => `${count(counts[name] as number)} ${name}`)
    .join(', ');
}

export const adminPages = [
  admin,
  ...runPages,
  ...adminActions,
  countiesPage,
  countyPage,
  filesPage,
  filePage,
];
