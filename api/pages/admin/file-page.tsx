import {
  type AddFilePayload,
  type AddFileResult,
  addFileJob,
  type LoadedFeed,
  type PartCheckResult,
} from '../../../shared/feeds/file-feeds.ts';
import { findRun } from '../../../shared/feeds/ingest-runs.ts';
import { count } from '../../../shared/model/figures.ts';
import type { JobState } from '../../../shared/platform/queue/jobs.ts';
import { Crumbs, Grid, Notice } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import type { Reply, Visit } from '../frame/visit.ts';
import { FileForm, fileChanges, labelOf, withForm } from './file-form.tsx';
import { AlreadyLoaded, overlapChange } from './file-overlap.tsx';
import {
  findJob,
  followed,
  isOpen,
  jobOfPage,
  lacksWorker,
  NoWorker,
  Progress,
  startJob,
} from './job-progress.tsx';

export const filePage: Page = {
  path: '/admin/files/:id',
  access: 'operator',
  show: (visit, { bad }) => show(visit, bad),
  actions: {
    async default(visit) {
      const { payload } = await jobOfPage(visit, addFileJob);
      const { form } = visit;
      const overlap = overlapChange(form);
      // The page for a blocked run sends only the choice.
      const edits = overlap && !form.has('name') ? {} : fileChanges(form);
      const changed = { ...payload, ...edits, ...overlap, requestedBy: visit.session!.user.email };
      return { redirect: `/admin/files/${await startJob(visit, addFileJob, changed)}` };
    },
  },
};

async function show(visit: Visit, fault?: string): Promise<Reply> {
  const { state, payload } = await jobOfPage(visit, addFileJob);
  const done = state.status === 'done' ? (state.result as AddFileResult) : null;
  // A rejected form keeps what the operator entered.
  const result = done && fault !== undefined ? withForm(done, visit.form) : done;
  const run = result?.run ? await findJob(visit, result.run) : undefined;
  const open = isOpen(state) || (run !== undefined && isOpen(run));
  const stuck = await lacksWorker(visit, run ?? state);
  const { original } = payload.upload;
  const body = (
    <>
      <Crumbs of={[['Admin', '/admin'], ['Add a file', '/admin/files'], [original]]} />
      <h1>{original}</h1>
      <div id="progress" data-open={open ? '' : undefined}>
        {fault && <Notice kind="bad">{fault}</Notice>}
        {stuck && <NoWorker />}
        {isOpen(state) && <Progress name={`Reading ${original}`} state={state} />}
        {state.status === 'failed' && (
          <>
            <Notice kind="bad">{state.error}</Notice>
            <FileForm payload={payload} result={null} />
          </>
        )}
        {result?.choose && <Notice kind="bad">{result.problems[0]}</Notice>}
        {result?.choose && <FileForm payload={payload} result={null} choose={result.choose} />}
        {result?.written && (
          <Written result={result} run={run} loaded={await readLoaded(visit, endOf(run).runId)} />
        )}
        {result && !result.choose && !result.written && <Suggested payload={payload} result={result} />}
      </div>
    </>
  );
  return { title: original, body, ...followed(open) };
}

type WrittenProps = { result: AddFileResult; run: JobState | undefined; loaded: readonly LoadedFeed[] };

const endOf = (run: JobState | undefined) =>
  (run?.status === 'done' ? run.result : {}) as { runId?: number; status?: string };

async function readLoaded({ deps }: Visit, runId: number | undefined): Promise<readonly LoadedFeed[]> {
  const run = runId === undefined ? undefined : await findRun(deps.db, runId);
  const isBlocked = run?.gate?.blocked.some(({ gate }) => gate === 'overlap');
  return isBlocked ? (run!.gate!.figures as { overlap: LoadedFeed[] }).overlap : [];
}

function Written({ result, run, loaded }: WrittenProps) {
  const { runId, status } = endOf(run);
  return (
    <>
      {run && isOpen(run) && <Progress name={`Loading ${result.name}`} state={run} />}
      {run?.status === 'failed' && <Notice kind="bad">{run.error}</Notice>}
      {status === 'blocked' &&
        (loaded.length > 0 ? (
          <form method="post">
            <AlreadyLoaded feeds={loaded} />
          </form>
        ) : (
          <Notice kind="bad">
            Import stopped for review. Nothing has changed. The run's page has the reasons.
          </Notice>
        ))}
      {(status === 'merged' || status === 'unchanged') && (
        <Notice kind="good">
          File imported. Plat is now calculating land measurements, statistics, and estimates.
        </Notice>
      )}
      <p>
        Feed {result.name} is saved at {result.feedFile}.{' '}
        {runId !== undefined && <a href={`/admin/runs/${runId}`}>Run {runId}</a>}
      </p>
      <Yaml result={result} />
    </>
  );
}

function Suggested({ payload, result }: { payload: AddFilePayload; result: AddFileResult }) {
  const { problems, warnings, comps, notWritable, refused, feedFile } = result;
  return (
    <>
      {refused && <Notice kind="bad">{refused}</Notice>}
      {notWritable && !refused && (
        <Notice kind="bad">
          Plat can't write to the feeds folder (FEEDS_DIR, {notWritable}). Save the feed below as {feedFile}{' '}
          yourself.
        </Notice>
      )}
      {problems.length > 0 ? (
        <Findings kind="bad" title="Not ready to import" of={problems} />
      ) : (
        <Notice kind="good">
          Ready to import. Plat {payload.choices ? 'checked' : 'matched the columns with'} the first{' '}
          {count(result.rows)} rows.
        </Notice>
      )}
      {warnings.length > 0 && <Findings kind="info" title="Check before importing" of={warnings} />}
      <FileForm payload={payload} result={result} />
      {comps.length > 0 && (
        <section>
          <h2>Sales</h2>
          <ul>
            {comps.map(line => (
              <li>{line}</li>
            ))}
          </ul>
        </section>
      )}
      {result.parts.map(part => (
        <Part part={part} />
      ))}
      <Yaml result={result} open={notWritable !== null || refused !== null} />
    </>
  );
}

const Findings = ({ kind, title, of }: { kind: 'bad' | 'info'; title: string; of: readonly string[] }) => (
  <section class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
    <b>{title}</b>
    <ul>
      {of.map(line => (
        <li>{line}</li>
      ))}
    </ul>
  </section>
);

function Part({ part }: { part: PartCheckResult }) {
  const { rows, sales, withGeometry, rejected, dropped } = part;
  const left = rejected.reduce((sum, { count: some }) => sum + some, 0);
  const facts = [
    `${count(rows)} rows read`,
    `${count(left)} would be rejected`,
    ...(withGeometry > 0 ? [`${count(withGeometry)} with a boundary`] : []),
    ...(sales > 0 ? [`${count(sales)} sales`] : []),
  ];
  const lines = [
    ...rejected.map(fault => ['Row rejected', fault] as const),
    ...dropped.map(fault => ['Value dropped', fault] as const),
  ];
  return (
    <section>
      <h2>Check results</h2>
      <p>{facts.join(', ')}.</p>
      {lines.length > 0 && (
        <Grid
          name="Check results"
          heads={['Issue', 'Rows', 'First row', 'Reason']}
          rows={lines.map(([what, { field, count: some, rowNo, message }]) => [
            field === null ? what : `${what}: ${labelOf(field)}`,
            count(some),
            count(rowNo),
            message,
          ])}
        />
      )}
    </section>
  );
}

const Yaml = ({ result: { name, text }, open }: { result: AddFileResult; open?: boolean }) => (
  <details open={open}>
    <summary>Feed file: {name}.yaml</summary>
    <pre tabindex={0}>{text}</pre>
  </details>
);
