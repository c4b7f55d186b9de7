import { CronExpressionParser } from 'cron-parser';
import type { VNode } from 'preact';
import { listAccounts } from '../../../shared/accounts/accounts.ts';
import { listUsers } from '../../../shared/accounts/users.ts';
import { count, day, moment } from '../../../shared/domain/figures.ts';
import { listRuns, type RunSummary } from '../../../shared/feeds/ingest-runs.ts';
import { Grid } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { adminActions, type FeedRow, type Job, subjectOf } from './admin-actions.tsx';
import { countiesPage } from './counties-page.tsx';
import { countyPage } from './county-page.tsx';
import { filePage } from './file-page.tsx';
import { filesPage } from './files-page.tsx';
import { KIND_NAMES, runPage, STATUS_NAMES } from './run-page.tsx';

const admin: Page = {
  path: '/admin',
  access: 'operator',
  async get(visit) {
    const { pool, resources } = visit.deps;
    const { run } = resources.database;
    const [feeds, runs, jobs, accounts, users] = await Promise.all([
      run<FeedRow>('feeds/list_feeds'),
      listRuns(pool, null, 20),
      run<Job>('queue/list_jobs', { limit: 20, status: null }),
      listAccounts(pool),
      listUsers(pool),
    ]);
    const body = (
      <>
        <h1>Admin</h1>
        <p class="buttons">
          <a class="button" href="/admin/counties">
            Add a county
          </a>
          <a class="button second" href="/admin/files">
            Add a file
          </a>
        </p>
        <p>
          <a href="/admin/queues">Queues</a> <small>(user admin, with the operator's password)</small>{' '}
          <a href="/coverage">Coverage</a>
        </p>
        <Table
          name="Feeds"
          of={feeds}
          columns={{
            Feed: ({ name }) => name,
            Kind: ({ kind }) => KIND_NAMES[kind] ?? kind,
            Version: ({ as_of }) => (as_of ? day(as_of) : '–'),
            'Last run': ({ finished_at, status }) =>
              finished_at ? `${statusOf(status)}, ${moment(finished_at)}` : statusOf(status),
            'Data taken in': ({ last_merged }) =>
              last_merged ? `${moment(last_merged)}, ${ageOf(last_merged, visit.deps.now())}` : '–',
            'Next run': feed => nextRun(feed, visit.deps.now()),
            '': ({ name }) => <a href={`/admin/run?feed=${encodeURIComponent(name)}`}>Run now</a>,
          }}
        />
        <Table
          name="Runs"
          of={runs}
          columns={{
            Run: ({ id }) => <a href={`/admin/runs/${id}`}>{id}</a>,
            Feed: ({ feed }) => feed,
            Status: ({ status, forced }) => statusOf(status) + (forced ? ', all the same' : ''),
            Began: ({ started_at }) => moment(started_at),
            By: ({ requested_by }) => requested_by,
            'What happened': ({ error, counts }) => error ?? summary(counts),
          }}
        />
        <Table
          name="Jobs"
          of={jobs}
          columns={{
            Job: ({ name }) => name,
            For: subjectOf,
            Status: ({ status, progress }) =>
              status === 'running' ? `${Math.round(100 * progress)} %` : status,
            Asked: ({ queued_at }) => moment(queued_at),
            Note: ({ error, note }) => error ?? note ?? '',
            '': ({ id, status }) =>
              ['queued', 'failed'].includes(status) ? (
                <a href={`/admin/job?id=${id}`}>{status === 'queued' ? 'Cancel' : 'Retry'}</a>
              ) : (
                ''
              ),
          }}
        />
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
        <Table
          name="Users"
          of={users}
          columns={{
            User: ({ email }) => email,
            Name: ({ name }) => name || '–',
            Company: ({ company }) => company,
            Account: ({ account }) => account ?? '–',
            Operator: ({ operator }) => (operator ? 'yes' : ''),
            'Last seen': ({ seen_at }) => (seen_at ? moment(seen_at) : 'never'),
          }}
        />
      </>
    );
    return { title: 'Admin', body };
  },
};

const statusOf = (status: string | null): string =>
  status === null ? 'Never' : (STATUS_NAMES[status]?.[0] ?? status);

type TableProps<Row> = {
  name: string;
  of: readonly Row[];
  columns: Record<string, (row: Row) => string | VNode>;
};

function Table<Row>({ name, of, columns }: TableProps<Row>) {
  const cells = Object.values(columns);
  return (
    <section>
      <h2>{name}</h2>
      <Grid name={name} heads={Object.keys(columns)} rows={of.map(row => cells.map(cell => cell(row)))} />
    </section>
  );
}

/** How long ago, in the unit that tells most. */
function ageOf(then: Date, now: Date): string {
  const hours = Math.floor((now.getTime() - then.getTime()) / 3_600_000);
  if (hours < 1) return 'within the hour';
  return hours < 48 ? `${hours} h ago` : `${count(Math.floor(hours / 24))} days ago`;
}

/** By the schedule of the feed file as it was when the feed was run last. */
function nextRun({ cron, timezone }: FeedRow, now: Date): string {
  if (cron === null) return 'when it is asked for';
  const options = { currentDate: now, ...(timezone !== null && { tz: timezone }) };
  return moment(CronExpressionParser.parse(cron, options).next().toDate());
}

function summary(counts: RunSummary['counts']): string {
  return ['new', 'changed', 'unchanged', 'retired']
    .filter(name => typeof counts[name] === 'number' && counts[name] !== 0)
    .map(name => `${count(counts[name] as number)} ${name}`)
    .join(', ');
}

export const adminPages = [admin, runPage, ...adminActions, countiesPage, countyPage, filesPage, filePage];
