import { listAccounts } from '../../shared/accounts.ts';
import { sql } from '../../shared/db.ts';
import { PlatError } from '../../shared/errors.ts';
import { cancelJob, retryJob } from '../../shared/jobs.ts';
import { listUsers } from '../../shared/users.ts';
import { notFound } from '../http/errors.ts';
import { count, day, moment } from './figures.ts';
import { Grid, Notice } from './layout.tsx';
import type { Page } from './pages.tsx';
import type { Reply, Visit } from './visit.ts';

type FeedRow = {
  name: string;
  kind: string;
  as_of: string | null;
  status: string | null;
  finished_at: Date | null;
  last_merged: Date | null;
};
type Run = {
  id: number;
  feed: string;
  kind: string;
  status: string;
  forced: boolean;
  requested_by: string;
  counts: Record<string, unknown>;
  gate: { blocked: { gate?: string; message: string }[] } | null;
  error: string | null;
  started_at: Date;
  finished_at: Date | null;
};
type Reject = {
  input: string;
  row_no: number;
  field: string | null;
  reason: string;
  message: string;
  raw: string;
};
type Job = {
  id: string;
  name: string;
  key: string;
  status: string;
  progress: number;
  note: string | null;
  error: string | null;
  attempts: number;
  queued_at: Date;
};

async function rows<T extends object>({ deps }: Visit, name: string, values: unknown[] = []): Promise<T[]> {
  return deps.resources.database.run<T & Record<string, unknown>>(name, values);
}

const admin: Page = {
  path: '/admin',
  access: 'operator',
  async get(visit) {
    const { pool } = visit.deps;
    const [feeds, runs, jobs, accounts, users] = await Promise.all([
      rows<FeedRow>(visit, 'admin/list_feeds'),
      rows<Run>(visit, 'runs/list_runs', [null, 20]),
      rows<Job>(visit, 'jobs/list_jobs', [20, null]),
      listAccounts(pool),
      listUsers(pool),
    ]);
    const body = (
      <>
        <h1>Operating</h1>
        <p>
          <a href="/admin/queues">Queues</a> <small>(user admin, with the operator's password)</small>
        </p>
        <Feeds feeds={feeds} />
        <Runs runs={runs} />
        <Jobs jobs={jobs} />
        <section>
          <h2>Accounts</h2>
          <Grid
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
        </section>
        <section>
          <h2>Users</h2>
          <Grid
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
        </section>
      </>
    );
    return { title: 'Operating', body };
  },
};

function Feeds({ feeds }: { feeds: FeedRow[] }) {
  return (
    <section>
      <h2>Feeds</h2>
      <Grid
        name="Feeds"
        heads={['Feed', 'Kind', 'Edition', 'Last run', 'Data of', '']}
        rows={feeds.map(feed => [
          feed.name,
          feed.kind,
          feed.as_of ?? '–',
          feed.finished_at ? `${feed.status}, ${moment(feed.finished_at)}` : (feed.status ?? 'never'),
          feed.last_merged ? moment(feed.last_merged) : '–',
          <a href={`/admin/run?feed=${encodeURIComponent(feed.name)}`}>Run now</a>,
        ])}
      />
    </section>
  );
}

function Runs({ runs }: { runs: Run[] }) {
  return (
    <section>
      <h2>Runs</h2>
      <Grid
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
    </section>
  );
}

function summary(counts: Record<string, unknown>): string {
  return ['new', 'changed', 'unchanged', 'retired']
    .filter(name => typeof counts[name] === 'number' && counts[name] !== 0)
    .map(name => `${count(counts[name] as number)} ${name}`)
    .join(', ');
}

function Jobs({ jobs }: { jobs: Job[] }) {
  return (
    <section>
      <h2>Jobs</h2>
      <Grid
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
    </section>
  );
}

const run: Page = {
  path: '/admin/runs/:id',
  access: 'operator',
  async get(visit) {
    const id = Number(visit.req.params.id);
    const [found] = Number.isSafeInteger(id) ? await rows<Run>(visit, 'runs/get_run', [id]) : [];
    if (found === undefined) throw notFound('There is no such run.');
    const reason = visit.url.searchParams.get('reason');
    const rejects = await rows<Reject>(visit, 'runs/list_rejects', [id, reason, 100]);
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

/** Nested counts as lines: rejected.missing_key 12. */
function flat(counts: object, before = ''): string[][] {
  return Object.entries(counts).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? flat(value, `${before}${name}.`)
      : [[before + name, String(value)]],
  );
}

/** What changes something is asked for once more on a page of its own. */
function confirmation(
  title: string,
  question: string,
  fields: Record<string, string>,
  button: string,
): Reply {
  const body = (
    <section class="narrow">
      <h1>{title}</h1>
      <p>{question}</p>
      <form method="post" class="buttons">
        {Object.entries(fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button type="submit">{button}</button>
        <a href="/admin">No</a>
      </form>
    </section>
  );
  return { title, body };
}

const runNow: Page = {
  path: '/admin/run',
  access: 'operator',
  get({ url }) {
    const feed = url.searchParams.get('feed') ?? '';
    const force = url.searchParams.get('force') === '1';
    const question = force
      ? `Run ${feed} and merge what it brings although the gate blocks? It is recorded with the run.`
      : `Fetch the sources of ${feed} and take in what has changed?`;
    return confirmation(
      `Run ${feed}`,
      question,
      { feed, force: force ? '1' : '' },
      force ? 'Run and merge' : 'Run',
    );
  },
  async post(visit) {
    const feed = visit.form.get('feed') ?? '';
    const known = await rows<FeedRow>(visit, 'admin/list_feeds');
    if (!known.some(({ name }) => name === feed)) throw notFound(`There is no feed ${feed}.`);
    const payload = {
      feed,
      force: visit.form.get('force') === '1',
      sources: {},
      requestedBy: visit.session!.user.email,
    };
    const key = JSON.stringify([payload.feed, payload.force, payload.sources]);
    await visit.deps.pool.query(sql('jobs/enqueue_job'), ['ingest.run', key, JSON.stringify(payload)]);
    return { redirect: '/admin' };
  },
};

const job: Page = {
  path: '/admin/job',
  access: 'operator',
  async get(visit) {
    const found = await jobOf(visit, visit.url.searchParams.get('id'));
    const verb = found.status === 'queued' ? 'Cancel' : 'Retry';
    return confirmation(
      `${verb} ${found.name}`,
      `${verb} ${found.name} for ${found.key}?`,
      { id: found.id },
      verb,
    );
  },
  async post(visit) {
    const found = await jobOf(visit, visit.form.get('id'));
    if (found.status === 'queued') await cancelJob(visit.deps.pool, found.id, visit.session!.user.email);
    else await retryJob(visit.deps.pool, found.id);
    return { redirect: '/admin' };
  },
};

async function jobOf(visit: Visit, id: string | null): Promise<Job> {
  const found = (await rows<Job>(visit, 'jobs/list_jobs', [200, null])).find(one => one.id === id);
  if (found === undefined || !['queued', 'failed'].includes(found.status))
    throw new PlatError('not_found', 'The job has gone on meanwhile.', { status: 404 });
  return found;
}

export const adminPages = [admin, run, runNow, job];
