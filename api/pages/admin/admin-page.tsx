import { CronExpressionParser } from 'cron-parser';
import type { VNode } from 'preact';
import { listAccounts } from '../../../shared/accounts/accounts.ts';
import { listUsers } from '../../../shared/accounts/users.ts';
import { count, day, moment } from '../../../shared/domain/figures.ts';
import { findRun, listRejects, listRuns, type RunSummary } from '../../../shared/feeds/ingest-runs.ts';
import { notFound } from '../../http/error-responses.ts';
import { Back, Grid, Notice } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { adminActions, type FeedRow, type Job, subjectOf } from './admin-actions.tsx';
import { countiesPage } from './counties-page.tsx';
import { countyPage } from './county-page.tsx';
import { filePage } from './file-page.tsx';
import { filesPage } from './files-page.tsx';

/** Of a run; the command line shows more. */
const MAX_REJECTS = 100;

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
        <h1>Operating</h1>
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
            Kind: ({ kind }) => kind,
            Edition: ({ as_of }) => as_of ?? '–',
            'Last run': ({ finished_at, status }) =>
              finished_at ? `${status}, ${moment(finished_at)}` : (status ?? 'never'),
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
            Status: ({ status, forced }) => status + (forced ? ', forced' : ''),
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
    return { title: 'Operating', body };
  },
};

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

const run: Page = {
  path: '/admin/runs/:id',
  access: 'operator',
  async get(visit) {
    const id = Number(visit.req.params.id);
    const record = Number.isSafeInteger(id) ? await findRun(visit.deps.pool, id) : undefined;
    if (record === undefined) throw notFound('There is no such run.');
    const reason = visit.url.searchParams.get('reason');
    const rejects = await listRejects(visit.deps.pool, id, reason, MAX_REJECTS);
    const body = (
      <>
        <Back to="/admin" words="Operating" />
        <h1>
          Run {record.id} of {record.feed}: {record.status}
        </h1>
        {record.error && <Notice kind="bad">{record.error}</Notice>}
        {(record.gate?.blocked ?? []).map(({ message }) => (
          <Notice kind="bad">{message}</Notice>
        ))}
        {record.status === 'blocked' && (
          <p>
            <a href={`/admin/run?feed=${encodeURIComponent(record.feed)}&force=1`}>
              Run it and merge all the same
            </a>
          </p>
        )}
        <h2>Counts</h2>
        <Grid name="Counts" heads={['What', 'How many']} rows={flat(record.counts)} />
        <h2>Rejected rows</h2>
        <Reasons counts={record.counts} path={visit.url.pathname} open={reason} />
        {rejects.length === 0 ? (
          <p>None.</p>
        ) : (
          <Grid
            name="Rejected rows"
            heads={['Input', 'Row', 'Field', 'Why', 'As it came']}
            rows={rejects.map(reject => [
              reject.input,
              String(reject.row_no),
              reject.field ?? '',
              reject.message,
              <code>{reject.raw.slice(0, 300)}</code>,
            ])}
          />
        )}
      </>
    );
    return { title: `Run ${id}`, body };
  },
};

type ReasonsProps = { counts: RunSummary['counts']; path: string; open: string | null };

/** Rejects by reason, each a link to its rows. */
function Reasons({ counts, path, open }: ReasonsProps) {
  const reasons = Object.entries(counts.rejected ?? {});
  if (reasons.length === 0) return null;
  return (
    <p class="buttons">
      {[['', 0] as const, ...reasons].map(([name, number]) => (
        <a
          href={name === '' ? path : `${path}?reason=${encodeURIComponent(name)}`}
          aria-current={(open ?? '') === name ? 'true' : undefined}
        >
          {name === '' ? 'all' : `${name} ${count(number)}`}
        </a>
      ))}
    </p>
  );
}

/** Counts, and the degrees of extents. */
const FIGURES = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });

/** Nested counts as lines: rejected.missing_key 12. */
function flat(counts: object, before = ''): string[][] {
  return Object.entries(counts).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? flat(value, `${before}${name}.`)
      : [[before + name, typeof value === 'number' ? FIGURES.format(value) : String(value)]],
  );
}

export const adminPages = [admin, run, ...adminActions, countiesPage, countyPage, filesPage, filePage];
