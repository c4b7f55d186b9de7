import { removeUser } from '../../../shared/accounts/remove-user.ts';
import { listUsers, type UserSummary } from '../../../shared/accounts/users.ts';
import { listFeeds } from '../../../shared/feeds/feed-statements.ts';
import { ingestJob } from '../../../shared/feeds/ingest-runs.ts';
import { findUndoable, type UndoableRun, undoJob } from '../../../shared/feeds/undo-runs.ts';
import { UUID } from '../../../shared/model/uuid.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import {
  cancelJob,
  enqueueAndNotify,
  type JobState,
  listJobs,
  retryJob,
} from '../../../shared/platform/queue/jobs.ts';
import { countyName, countyText } from '../../../shared/regions/counties.ts';
import { conflict, notFound } from '../../http/error-responses.ts';
import { LinkButton, narrowPage } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import type { Reply, Visit } from '../frame/visit.ts';

const JOB_WORDS: Record<string, string> = {
  'attributes.chunk': 'Measure parcels',
  'attributes.plan': 'Find parcels to measure',
  'comping.prepare': 'Prepare comp reports',
  'deal.daily': 'Check all deals',
  'deal.fetch': "Find a deal's listing",
  'deal.grade': 'Grade deals',
  'export.make': 'Create an export',
  'feeds.add_county': 'Add a county',
  'feeds.add_file': 'Read an uploaded file',
  'ingest.run': 'Run a feed',
  'ingest.undo': 'Undo a run',
  'market.daily': 'Update all market statistics',
  'market.recompute': 'Update market statistics',
  'records.delete_old': 'Delete old records',
  'records.expire': 'Delete expired records',
  'valuation.all': 'Value all counties',
  'valuation.county': 'Value a county',
};

export const jobWords = ({ name }: Pick<JobState, 'name'>): string => JOB_WORDS[name] ?? name;

/** What a job is about: a run's feed, or a county's name. Empty if the key is only an id. */
export function subjectOf({ key }: Pick<JobState, 'key'>): string {
  const feed = /^\["([^"]+)"/.exec(key)?.[1];
  const county = /^\d{5}(?=:|$)/.exec(key)?.[0];
  if (county !== undefined && countyName(Number(county)) !== '') return countyText(Number(county));
  return feed ?? (UUID.test(key) ? '' : key.slice(0, 60));
}

/** Actions that change something must be confirmed on a separate page. */
function confirmation(
  title: string,
  question: string,
  fields: Record<string, string>,
  button: string,
): Reply {
  const content = (
    <>
      <p>{question}</p>
      <form method="post" class="buttons">
        {Object.entries(fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button type="submit">{button}</button>
        <LinkButton to="/admin" words="Go back" kind="second" />
      </form>
    </>
  );
  return narrowPage(title, content);
}

const runNow: Page = {
  path: '/admin/run',
  access: 'operator',
  get({ url }) {
    const feed = url.searchParams.get('feed') ?? '';
    const force = url.searchParams.get('force') === '1';
    const question = force
      ? `Import ${feed} despite failed checks? The run records that you overrode them.`
      : `Fetch the sources of ${feed} and import what changed?`;
    return confirmation(
      `Run ${feed}`,
      question,
      { feed, force: force ? '1' : '' },
      force ? 'Import anyway' : 'Run feed',
    );
  },
  actions: {
    async default(visit) {
      const feed = visit.form.get('feed') ?? '';
      const feeds = await listFeeds(visit.deps.db);
      if (!feeds.some(({ name }) => name === feed)) throw notFound(`We can't find the feed ${feed}.`);
      const force = visit.form.get('force') === '1';
      const payload = { feed, force, sources: {}, requestedBy: visit.session!.user.email };
      await enqueueAndNotify(visit.deps.db, ingestJob, payload);
      return { redirect: '/admin' };
    },
  },
};

const undoRun: Page = {
  path: '/admin/undo',
  access: 'operator',
  async get(visit) {
    const { id, feed } = await undoableOf(visit, visit.url.searchParams.get('run'));
    const question = `Undo run ${id} of ${feed}? This restores the parcels and sales that the county had before, and retires the parcels that the run added. Plat won't load the same data again unless you force it.`;
    return confirmation(`Undo run ${id}`, question, { run: String(id) }, 'Undo run');
  },
  actions: {
    async default(visit) {
      const { id } = await undoableOf(visit, visit.form.get('run'));
      const payload = { run: id, requestedBy: visit.session!.user.email };
      await enqueueAndNotify(visit.deps.db, undoJob, payload);
      return { redirect: '/admin' };
    },
  },
};

async function undoableOf({ deps }: Visit, run: string | null): Promise<UndoableRun> {
  const id = Number(run ?? NaN);
  if (!Number.isSafeInteger(id)) throw notFound("We can't find this run.");
  try {
    return await findUndoable(deps.db, id);
  } catch (error) {
    if (error instanceof PlatError && error.code === 'not_found') throw notFound("We can't find this run.");
    if (error instanceof PlatError && error.code === 'undo_refused') throw conflict(error.message);
    throw error;
  }
}

const job: Page = {
  path: '/admin/job',
  access: 'operator',
  async get(visit) {
    const selected = await jobOf(visit, visit.url.searchParams.get('id'));
    const verb = selected.status === 'queued' ? 'Cancel' : 'Retry';
    return confirmation(
      `${verb} job`,
      `${verb} “${[jobWords(selected), subjectOf(selected)].filter(Boolean).join(': ')}”?`,
      { id: selected.id },
      `${verb} job`,
    );
  },
  actions: {
    async default(visit) {
      const selected = await jobOf(visit, visit.form.get('id'));
      try {
        if (selected.status === 'queued')
          await cancelJob(visit.deps.db, selected.id, visit.session!.user.email);
        else await retryJob(visit.deps.db, selected.id);
      } catch (error) {
        // Another operator did this first, or the button was pressed twice.
        throw error instanceof PlatError && CONFLICT_CODES.has(error.code)
          ? notFound(CONFLICT_MESSAGE)
          : error;
      }
      return { redirect: '/admin' };
    },
  },
};

const CONFLICT_CODES: ReadonlySet<string> = new Set(['job_ended', 'job_open']);
const CONFLICT_MESSAGE = 'The job has already moved on. Open Admin to see its current state.';

async function jobOf(visit: Visit, id: string | null): Promise<JobState> {
  const jobs = await listJobs(visit.deps.db, 200);
  const selected = jobs.find(one => one.id === id);
  if (selected === undefined || !['queued', 'failed'].includes(selected.status))
    throw notFound(CONFLICT_MESSAGE);
  return selected;
}

const removePerson: Page = {
  path: '/admin/user',
  access: 'operator',
  async get(visit) {
    const { id, email, company } = await userOf(visit, visit.url.searchParams.get('id'));
    return confirmation(
      `Remove ${email}`,
      `This signs ${email} out everywhere, stops their emails, and frees the address. What they created stays with ${company}.`,
      { id },
      'Remove person',
    );
  },
  actions: {
    async default(visit) {
      const { id } = await userOf(visit, visit.form.get('id'));
      try {
        await removeUser(visit.deps.db, { id, actor: visit.session!.user.email });
      } catch (error) {
        // Another operator did this first, or made the user the owner of an account.
        if (error instanceof PlatError && error.code === 'user_unknown') throw notFound(error.message);
        if (error instanceof PlatError && /^user_(owner|deals)$/.test(error.code))
          throw conflict(error.message);
        throw error;
      }
      return { redirect: '/admin#users' };
    },
  },
};

async function userOf({ deps, session }: Visit, id: string | null): Promise<UserSummary> {
  const user = (await listUsers(deps.db)).find(one => one.id === id);
  if (user === undefined) throw notFound('This user was already removed.');
  if (id === session!.user.id)
    throw new PlatError('unprocessable', "You can't remove yourself. Ask another operator.", { status: 409 });
  return user;
}

export const adminActions = [runNow, undoRun, job, removePerson];
