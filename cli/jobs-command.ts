import { type Command, Option } from 'commander';
import { operator } from '../shared/accounts/accounts.ts';
import { cancelJob, describeJob, type JobState, retryJob } from '../shared/platform/queue/jobs.ts';
import { wholeNumber } from './common/cli-options.ts';
import { table } from './common/cli-output.ts';
import { action, deliverJobs } from './common/cli-session.ts';

export function addJobCommands(program: Command): void {
  const jobs = program.command('jobs').description('list, cancel, and retry worker jobs');

  const list = jobs
    .command('list', { isDefault: true })
    .addOption(
      new Option('--status <status>', 'only jobs with this status').choices([
        'queued',
        'running',
        'done',
        'failed',
      ]),
    )
    .option('--limit <n>', 'number of jobs', wholeNumber, 20)
    .description('list the newest jobs, open ones first');
  action(list, async ({ db }, { status, limit }: { status?: string; limit: number }) => {
    const rows = await db.run<JobState>('queue/list_jobs', { limit, status: status ?? null });
    return [rows, jobsTable(rows)];
  });

  const cancel = jobs
    .command('cancel')
    .argument('<job>', 'id of the job, or its first characters')
    .description('cancel a queued or running job; work that it has already committed is kept');
  action(cancel, async ({ db }, id: string) => {
    const cancelled = await cancelJob(db, id, operator());
    const when = cancelled.running ? '. Its worker stops within seconds' : '';
    return [cancelled, `Canceled job ${cancelled.id}${when}.`];
  });

  const retry = jobs
    .command('retry')
    .argument('<job>', 'id of the job, or its first characters')
    .description('queue a new job that repeats one that has ended')
    .addHelpText('after', '\nExample:\n  plat jobs --status failed && plat jobs retry 5e9b0f3c');
  action(retry, async (session, id: string) => {
    const added = await retryJob(session.db, id);
    await deliverJobs(session, [added.id]);
    return [added, `Queued job ${added.id}.`];
  });
}

export function jobsTable(jobs: readonly JobState[]): string {
  const rows = jobs.map(job => ({
    id: job.id.slice(0, 8),
    job: job.name,
    for: job.key.slice(0, 40),
    status: job.status,
    progress: `${Math.round(job.progress * 100)}%`,
    attempts: job.attempts,
    deaths: job.deaths,
    note: job.status === 'queued' || job.status === 'done' ? '' : describeJob(job).slice(0, 90),
    queued_at: job.queued_at,
  }));
  return table(rows, ['id', 'job', 'for', 'status', 'progress', 'attempts', 'deaths', 'note', 'queued_at']);
}
