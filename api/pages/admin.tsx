import { CronExpressionParser } from 'cron-parser';
import { listAccounts } from '../../shared/accounts.ts';
import { findRun, listRejects, listRuns, type RunSummary } from '../../shared/runs.ts';
import { listUsers } from '../../shared/users.ts';
import { notFound } from '../http/errors.ts';
import { adminActions, type FeedRow, type Job } from './admin-actions.tsx';
import { count, day, moment } from './figures.ts';
import { Grid, Notice } from './layout.tsx';
import type { Page } from './pages.tsx';

/** Of a run; the command line shows more. */
const MOST_REJECTS = 100;

const admin: Page = {
  path: '/admin',
  access: 'operator',
  async get(visit) {
    const { pool, resources } = visit.deps;
    const { run } = resources.database;
    const [feeds, runs, jobs, accounts, users] = await Promise.all([
      run<FeedRow>('admin/list_feeds'),
      listRuns(pool, null, 20),
      run<Job>('jobs/list_jobs', [20, null]),
      listAccounts(pool),
      listUsers(pool),
    ]);
    const body = (
      <>
        <h1>Operating</h1>
        <p>
          <a href="/admin/queues">Queues</a> <small>(user admin, with the operator's password)</small>{' '}
          <a href="/coverage">Coverage</a>
        </p>
        <Feeds feeds={feeds} now={visit.deps.now()} />
        <Runs runs={runs} />
        <Jobs jobs={jobs} />
        <Table
          name="Accounts"
          heads={['Account', 'Company', 'User', 'Tier', 'Tokens used', 'Keys', 'Period ends']}
          rows={accounts.map(account => [
            account.name,
            account.company,
            account.user_email ?? '–',
            account.tier ?? 'none',
            `${count(account.tokens_used)} of ${count(account.tokens_included)}`,
            count(account.keys),
            account.period_end ? day(account.period_end) : '–',
          ])}
        />
        <Table
          name="Users"
          heads={['User', 'Name', 'Company', 'Account', 'Operator', 'Last seen']}
          rows={users.map(user => [
            user.email,
            user.name || '–',
            user.company,
            user.account ?? '–',
            user.operator ? 'yes' : '',
            user.seen_at ? moment(user.seen_at) : 'never',
          ])}
        />
      </>
    );
    return { title: 'Operating', body };
  },
};

/** A table under its name. */
function Table(table: Parameters<typeof Grid>[0]) {
  return (
    <section>
      <h2>{table.name}</h2>
      <Grid {...table} />
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

function Feeds({ feeds, now }: { feeds: FeedRow[]; now: Date }) {
  return (
    <Table
      name="Feeds"
      heads={['Feed', 'Kind', 'Edition', 'Last run', 'Data taken in', 'Next run', '']}
      rows={feeds.map(feed => [
        feed.name,
        feed.kind,
        feed.as_of ?? '–',
        feed.finished_at ? `${feed.status}, ${moment(feed.finished_at)}` : (feed.status ?? 'never'),
        feed.last_merged ? `${moment(feed.last_merged)}, ${ageOf(feed.last_merged, now)}` : '–',
        nextRun(feed, now),
        <a href={`/admin/run?feed=${encodeURIComponent(feed.name)}`}>Run now</a>,
      ])}
    />
  );
}

function Runs({ runs }: { runs: RunSummary[] }) {
  return (
    <Table
      name="Runs"
      heads={['Run', 'Feed', 'Status', 'Began', 'By', 'What happened']}
      rows={runs.map(run => [
        <a href={`/admin/runs/${run.id}`}>{run.id}</a>,
        run.feed,
        run.status + (run.forced ? ', forced' : ''),
        moment(run.started_at),
        run.requested_by,
        run.error ?? summary(run.counts),
      ])}
    />
  );
}

function summary(counts: RunSummary['counts']): string {
  return ['new', 'changed', 'unchanged', 'retired']
    .filter(name => typeof counts[name] === 'number' && counts[name] !== 0)
    .map(name => `${count(counts[name] as number)} ${name}`)
    .join(', ');
}

function Jobs({ jobs }: { jobs: Job[] }) {
  return (
    <Table
      name="Jobs"
      heads={['Job', 'For', 'Status', 'Asked', 'Note', '']}
      rows={jobs.map(job => [
        job.name,
        job.key.slice(0, 60),
        job.status === 'running' ? `${Math.round(100 * job.progress)} %` : job.status,
        moment(job.queued_at),
        job.error ?? job.note ?? '',
        ['queued', 'failed'].includes(job.status) ? (
          <a href={`/admin/job?id=${job.id}`}>{job.status === 'queued' ? 'Cancel' : 'Retry'}</a>
        ) : (
          ''
        ),
      ])}
    />
  );
}

const run: Page = {
  path: '/admin/runs/:id',
  access: 'operator',
  async get(visit) {
    const id = Number(visit.req.params.id);
    const found = Number.isSafeInteger(id) ? await findRun(visit.deps.pool, id) : undefined;
    if (found === undefined) throw notFound('There is no such run.');
    const reason = visit.url.searchParams.get('reason');
    const rejects = await listRejects(visit.deps.pool, id, reason, MOST_REJECTS);
    const body = (
      <>
        <p>
          <a href="/admin">Operating</a>
        </p>
        <h1>
          Run {found.id} of {found.feed}: {found.status}
        </h1>
        {found.error && <Notice kind="bad">{found.error}</Notice>}
        {(found.gate?.blocked ?? []).map(({ message }) => (
          <Notice kind="bad">{message}</Notice>
        ))}
        {found.status === 'blocked' && (
          <p>
            <a href={`/admin/run?feed=${encodeURIComponent(found.feed)}&force=1`}>
              Run it and merge all the same
            </a>
          </p>
        )}
        <h2>Counts</h2>
        <Grid name="Counts" heads={['What', 'How many']} rows={flat(found.counts)} />
        <h2>Rejected rows</h2>
        <Reasons counts={found.counts} path={visit.url.pathname} open={reason} />
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

/** Rejects by reason, each a link to its rows. */
function Reasons({
  counts,
  path,
  open,
}: {
  counts: RunSummary['counts'];
  path: string;
  open: string | null;
}) {
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

/** Nested counts as lines: rejected.missing_key 12. */
function flat(counts: object, before = ''): string[][] {
  return Object.entries(counts).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? flat(value, `${before}${name}.`)
      : [[before + name, typeof value === 'number' ? count(value) : String(value)]],
  );
}

export const adminPages = [admin, run, ...adminActions];
