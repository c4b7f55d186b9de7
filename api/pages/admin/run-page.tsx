import { type FeedCounty, listFeedCounties } from '../../../shared/feeds/feed-statements.ts';
import { findRun, listRejects, type Run } from '../../../shared/feeds/ingest-runs.ts';
import { findUndoable } from '../../../shared/feeds/undo-runs.ts';
import { feedKindWords } from '../../../shared/model/feed-kinds.ts';
import { count, moment, oneDigit, percent } from '../../../shared/model/figures.ts';
import { csv } from '../../../shared/platform/to-csv.ts';
import { fiveDigits } from '../../../shared/regions/counties.ts';
import { notFound, undefinedIf } from '../../http/error-responses.ts';
import { Crumbs, LinkButton, Notice, Panel, Stat } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { spreadsheet } from '../frame/visit.ts';
import { readPart } from '../parts/county-part.ts';
import { AllFigures, Filled, LeftOut, leftOutOf, Sources, sum } from './run-figures.tsx';
import { isComputing, RunSteps } from './run-steps.tsx';

/** If there are more counties than this, the page doesn't list them. */
const MAX_COUNTIES = 12;

export const kindName = (kind: string): string => feedKindWords(kind)?.name ?? kind;

export const STATUS_NAMES: Record<string, readonly [words: string, badge: string]> = {
  running: ['Running', ''],
  merged: ['Merged', 'good'],
  unchanged: ['No changes', 'good'],
  blocked: ['Blocked', 'warn'],
  failed: ['Failed', 'bad'],
  undone: ['Undone', 'warn'],
};

/** What a run read, what it rejected and why, and links to its data. */
const runPage: Page = {
  path: '/admin/runs/:id',
  access: 'operator',
  async get(visit) {
    const { db, resources } = visit.deps;
    const id = Number(visit.req.params.id);
    const run = Number.isSafeInteger(id) ? await findRun(db, id) : undefined;
    if (run === undefined) throw notFound("We can't find this run.");
    const counties = await listFeedCounties(resources.db, run.feed, MAX_COUNTIES + 1);
    const title = titleOf(run, counties);
    const [only, ...others] = counties;
    const part =
      run.kind === 'assessor' && only && others.length === 0 ? await readPart(resources.db, only.fips) : null;
    const undoable = await findUndoable(db, id).catch(undefinedIf(({ code }) => code === 'undo_refused'));
    const canUndo = undoable !== undefined;
    const body = (
      <div class="run">
        <Head run={run} counties={counties} title={title} part={part} canUndo={canUndo} />
        <RunSteps run={run} computing={await isComputing(visit, run)} />
        {run.error && <Notice kind="bad">{run.error}</Notice>}
        {(run.gate?.blocked ?? []).map(({ message }) => (
          <Notice kind="bad">{message}</Notice>
        ))}
        <Figures run={run} />
        <div class="two">
          <Panel
            id="left-out"
            title="Rejected and repaired rows"
            aside={
              sum(run.counts.rejected) + sum(run.counts.dropped) > 0 && (
                <LinkButton
                  to={`/admin/runs/${run.id}/left-out.csv`}
                  words="CSV"
                  icon="download"
                  kind="second small"
                />
              )
            }
            flush
          >
            <LeftOut run={run} lines={await leftOutOf(visit, run)} />
          </Panel>
          <aside class="stack" aria-label="Completeness and sources">
            <Filled run={run} />
            <Sources run={run} />
          </aside>
        </div>
        <AllFigures run={run} />
      </div>
    );
    return { title, body, assetNames: ['cards.css'] };
  },
};

/** More than any run keeps. The limit is 1,000 rows per reason. */
const MAX_ROWS = 50_000;

/** The rejected rows and the reasons, for a spreadsheet. */
const leftOutPage: Page = {
  path: '/admin/runs/:id/left-out.csv',
  access: 'operator',
  async get({ deps, req }) {
    const id = Number(req.params.id);
    const run = Number.isSafeInteger(id) ? await findRun(deps.db, id) : undefined;
    if (run === undefined) throw notFound("We can't find this run.");
    const rows = await listRejects(deps.db, id, null, MAX_ROWS);
    return spreadsheet(
      csv(rows, ['input', 'row_no', 'field', 'reason', 'message', 'raw']),
      `plat-run-${id}-left-out.csv`,
    );
  },
};

export const runPages = [runPage, leftOutPage];

function titleOf({ feed, kind }: Run, counties: readonly FeedCounty[]): string {
  const [only] = counties;
  const where =
    only === undefined || counties.length > MAX_COUNTIES
      ? feed
      : counties.length === 1
        ? `${only.name}, ${only.state}`
        : `${counties.length} counties`;
  return `${where}: ${kindName(kind)}`;
}

type HeadProps = {
  run: Run;
  counties: readonly FeedCounty[];
  title: string;
  part: string | null;
  canUndo: boolean;
};

function Head({ run, counties, title, part, canUndo }: HeadProps) {
  const { feed, id, status, forced, undoes, requested_by, started_at, finished_at, attempts } = run;
  const [words, badge] = STATUS_NAMES[status] ?? [status, ''];
  const seconds = finished_at && (finished_at.getTime() - started_at.getTime()) / 1_000;
  return (
    <>
      <Crumbs of={[['Admin', '/admin'], [feed], [`Run ${id}`]]} />
      <header class="pagehead">
        <div>
          <h1>
            {title} <span class={`badge ${badge}`}>{words}</span>
          </h1>
          <p>
            {part && <b data-part>Loaded: {part}. </b>}
            {[
              moment(started_at),
              seconds !== null && `took ${lengthOf(seconds)}`,
              `requested by ${requested_by}`,
              undoes !== null ? `undid run ${undoes}` : forced && 'merged anyway (gate overridden)',
              attempts > 1 && `attempt ${attempts}`,
            ]
              .filter(Boolean)
              .join(' · ')}
          </p>
        </div>
        <RunButtons run={run} counties={counties} canUndo={canUndo} />
      </header>
      {counties.length > 1 && counties.length <= MAX_COUNTIES && (
        <p>
          View on map:{' '}
          {counties.map(({ fips, name, state }, i) => (
            <>
              {i > 0 && ', '}
              <a href={`/data?county=${fiveDigits(fips)}`}>
                {name}, {state}
              </a>
            </>
          ))}
        </p>
      )}
    </>
  );
}

function RunButtons({
  run: { feed, id, status },
  counties,
  canUndo,
}: Pick<HeadProps, 'run' | 'counties' | 'canUndo'>) {
  const runPath = `/admin/run?feed=${encodeURIComponent(feed)}`;
  return (
    <div class="buttons">
      {counties.length === 1 && (
        <>
          <LinkButton
            to={`/data?county=${fiveDigits(counties[0]!.fips)}`}
            words="View on map"
            icon="map"
            kind="second"
          />
          <LinkButton to={`/coverage/${fiveDigits(counties[0]!.fips)}`} words="Coverage" kind="second" />
        </>
      )}
      {canUndo && <LinkButton to={`/admin/undo?run=${id}`} words="Undo run" kind="second" />}
      {status === 'blocked' ? (
        <LinkButton to={`${runPath}&force=1`} words="Import anyway" />
      ) : (
        <LinkButton to={runPath} words="Run again" icon="play" />
      )}
    </div>
  );
}

const lengthOf = (seconds: number): string =>
  seconds < 120 ? `${oneDigit(seconds)} s` : `${count(seconds / 60)} min`;

function Figures({ run: { kind, counts } }: { run: Run }) {
  const read = sum(counts.read);
  const rejected = sum(counts.rejected);
  const of = feedKindWords(kind)?.rows ?? 'rows';
  const figures: [string, number | undefined, string?][] = [
    ['Rows read', read],
    [`New ${of}`, counts.new],
    ['Changed', counts.changed],
    ['Returned', counts.returned || undefined],
    ['Unchanged', counts.unchanged],
    [kind === 'assessor' ? 'Left the roll' : 'Removed', counts.retired],
    [
      'Rejected rows',
      rejected,
      read > 0 && rejected > 0 ? `${percent((100 * rejected) / read)} of rows` : undefined,
    ],
  ];
  return (
    <dl class="cards">
      {figures.map(
        ([name, value, note]) =>
          value !== undefined && <Stat card name={name} value={count(value)} note={note} />,
      )}
    </dl>
  );
}
