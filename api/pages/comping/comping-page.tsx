import { setTimeout as sleep } from 'node:timers/promises';
import { renderToString } from 'preact-render-to-string';
import { readBrand } from '../../../shared/accounts/brands.ts';
import { isOutdated, isWanted, type Report } from '../../../shared/comping/stored-reports.ts';
import { boxOfLine } from '../../../shared/geo/box.ts';
import type { Position } from '../../../shared/geo/geometry-types.ts';
import { titleCase } from '../../../shared/model/roll-text.ts';
import { Crumbs, Notice, narrowPage, Panel } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { json, type Reply, spreadsheet, type Visit } from '../frame/visit.ts';
import { Brand } from '../parts/brand.tsx';
import { mapHead, mapOf } from '../parts/map-view.tsx';
import { type ChangeOutcome, REPORT_CHANGES, type ReportChange } from './comping-actions.ts';
import { changesOf } from './comping-changes.ts';
import { readFilters, SHOWN_FIELDS, type Update } from './comping-filter.ts';
import { CompLegend } from './comping-legend.tsx';
import { CandidateList } from './comping-list.tsx';
import { reportsPage } from './comping-own.tsx';
import {
  Cover,
  Data,
  Disclaimer,
  Drawing,
  Offer,
  type ReportView,
  Results,
  readReportView,
  Subject,
  subjectLine,
  Texts,
} from './comping-report.tsx';
import {
  csvOf,
  figuresOf,
  readDrawing,
  readReport,
  readShared,
  requestSnapshot,
  titleOf,
} from './comping-reports.ts';
import { Share, Tools } from './comping-share.tsx';
import { Strip } from './comping-strip.tsx';

/** How long a page waits for a worker before it shows a message, and for optional content. */
const MAX_WAIT_MS = 4_000;
const SHORT_WAIT_MS = 500;
const POLL_MS = 100;
/** After this time, the job must have failed, and the page requests another one. */
const LOST_MS = 60_000;

const STYLES = ['cards.css', 'comping.css'];

const pathOf = ({ id }: Report) => `/comping/${id}`;
const asksForJson = ({ req }: Visit) => req.headers.accept === 'application/json';

/** The parts of the open page to replace after a change. */
async function updateOf({ deps, appUrl }: Visit, report: Report, changed: ChangeOutcome): Promise<Reply> {
  const reportView = await readReportView(deps.db, report);
  const update: Update = {
    version: report.version,
    chosen: report.chosen,
    title: report.title,
    notes: report.notes,
    conflict: changed.conflict,
    link: changed.link && appUrl + changed.link,
    result: reportView.result,
    html: renderToString(
      <>
        <Cover view={reportView} />
        <Strip {...reportView} />
        <Share report={report} path={pathOf(report)} appUrl={appUrl} />
        <Results view={reportView} path={pathOf(report)} />
      </>,
    ),
  };
  return json(update);
}

const reportPage: Page = {
  path: '/comping/:report',
  access: 'app',
  async get(visit) {
    const report = await waitForSnapshot(visit, await readReport(visit), SHORT_WAIT_MS);
    if (asksForJson(visit) && report.snapshot !== null) return updateOf(visit, report, {});
    return show(visit, report);
  },
  /** Without JavaScript, the page is shown again after a rejected form. */
  async show(visit, { bad, error }) {
    if (asksForJson(visit) || error?.details === undefined) throw error;
    return show(visit, await readReport(visit), { fault: `Your change wasn't saved. ${bad}.` });
  },
  actions: Object.fromEntries(
    Object.entries(REPORT_CHANGES).map(([name, change]) => [name, visit => changeReport(visit, change)]),
  ),
};

async function changeReport(visit: Visit, change: ReportChange): Promise<Reply> {
  const report = await readReport(visit);
  const changed = (await change(visit.deps.db, report, visit.form)) ?? {};
  if (changed.deleted) return { redirect: '/comping' };
  const changedReport = await readReport(visit);
  const now = changed.requested ? await waitForSnapshot(visit, changedReport, MAX_WAIT_MS) : changedReport;
  if (asksForJson(visit)) return updateOf(visit, now, changed);
  if (changed.link || changed.conflict) return show(visit, now, { changed });
  return { redirect: pathOf(now) + visit.url.search };
}

/** Waits for a worker to prepare the report, and requests an update if it is outdated. @returns the report */
async function waitForSnapshot(visit: Visit, report: Report, maxWaitMs: number): Promise<Report> {
  const { db } = visit.deps;
  if (report.wanted_at === null) {
    // Don't look for newer data while the page offers an update.
    if (report.snapshot === null || changesOf(report).length > 0) return report;
    if (!(await isOutdated(db, report))) return report;
    await requestSnapshot(db, report);
  } else if (Date.now() - report.wanted_at.getTime() > LOST_MS) await requestSnapshot(db, report);
  const patience = report.snapshot === null ? MAX_WAIT_MS : maxWaitMs;
  for (let waited = 0; waited < patience && !visit.req.socket.destroyed; waited += POLL_MS) {
    if (!(await isWanted(db, report))) break;
    await sleep(POLL_MS);
  }
  return readReport(visit);
}

async function show(
  visit: Visit,
  report: Report,
  { changed = {}, fault }: { changed?: ChangeOutcome; fault?: string } = {},
): Promise<Reply> {
  const { snapshot } = report;
  const path = pathOf(report);
  const title = titleOf(report);
  if (snapshot === null) {
    const head = report.fault === null ? <meta http-equiv="refresh" content="2" /> : undefined;
    return { ...narrowPage(title, <Waiting report={report} />), ...(head && { head }) };
  }
  const { db } = visit.deps;
  const [view, drawing, brand] = await Promise.all([
    readReportView(db, report),
    readDrawing(db, report),
    readBrand(db, report.account_id),
  ]);
  const body = (
    <div class="comping" data-report={path} data-version={report.version}>
      {fault && <Notice kind="bad">{fault}</Notice>}
      <Head report={report} appUrl={visit.appUrl} isShared={changed.link !== undefined} />
      <div class="print">
        <Brand brand={brand} />
      </div>
      <Cover view={view} />
      <Subject report={report} paper />
      <div class="screen">
        <Offer report={report} path={path} />
      </div>
      <Strip {...view} />
      <Chooser visit={visit} view={view} path={path} />
      <Results view={view} path={path} />
      <Drawing drawing={drawing} />
      <Disclaimer />
      <div class="three screen">
        <Panel id="texts-panel" title="Title and notes" aside={<output id="saved" class="fine-print" />}>
          <Texts
            report={report}
            path={path}
            conflict={changed.conflict}
            kept={changed.conflict && visit.form}
          />
        </Panel>
        <Data report={report} path={path} />
      </div>
    </div>
  );
  const status = fault === undefined ? 200 : 400;
  return { title, body, status, assetNames: STYLES, head: mapHead(visit, ['comping']) };
}

type ChooserProps = { visit: Visit; view: ReportView; path: string };

/** The comps to choose from, and their map. */
function Chooser({ visit, view: { report, result }, path }: ChooserProps) {
  const { subject, candidates } = report.snapshot!;
  const near = candidates.slice(0, 60);
  return (
    <div class="choose screen">
      <CandidateList
        report={report}
        result={result}
        filters={readFilters(visit.url.searchParams)}
        path={path}
        search={visit.url.search}
      />
      {mapOf(visit, {
        layers: { overlays: [] },
        draw: true,
        parcel: { property_id: report.property_id, point: [subject.lon, subject.lat] },
        start: boxOfLine([subject, ...near].map(({ lon, lat }): Position => [lon, lat])),
        comps: `${path}/comps.json`,
        key: <CompLegend candidates={candidates} />,
      })}
    </div>
  );
}

type HeadProps = { report: Report; appUrl: string; isShared: boolean };

function Head({ report, appUrl, isShared }: HeadProps) {
  const { subject } = report.snapshot!;
  return (
    <div class="screen">
      <Crumbs
        of={[
          ['Comp reports', '/comping'],
          [`${titleCase(subject.city || subject.county)}, ${subject.state}`],
        ]}
      />
      <header class="pagehead">
        <div>
          <h1 id="report-title">{titleOf(report)}</h1>
          <p>{subjectLine(report)}</p>
        </div>
        <Tools report={report} path={pathOf(report)} appUrl={appUrl} isOpen={isShared} />
      </header>
    </div>
  );
}

function Waiting({ report }: { report: Report }) {
  return (
    <>
      {report.fault === null ? (
        <p>
          Plat is comparing nearby sales and listings with this parcel. The report will appear here in a few
          seconds.
        </p>
      ) : (
        <Notice kind="bad">{report.fault}</Notice>
      )}
      <p>
        <a href={`/data?parcel=${report.property_id}`}>Show parcel on map</a> ·{' '}
        <a href="/comping">All reports</a>
      </p>
    </>
  );
}

const compsPage: Page = {
  path: '/comping/:report/comps.json',
  access: 'app',
  async get(visit) {
    const { snapshot, chosen } = await readReport(visit);
    const comps = (snapshot?.candidates ?? []).map(comp => ({
      ...Object.fromEntries(SHOWN_FIELDS.map(name => [name, comp[name]])),
      photos: { length: comp.photos.length },
    }));
    return json({
      subject: snapshot && [snapshot.subject.lon, snapshot.subject.lat],
      outline: snapshot?.subject.outline ?? [],
      chosen,
      comps,
    });
  },
};

const csvPage: Page = {
  path: '/comping/:report/comps.csv',
  access: 'app',
  async get(visit) {
    const report = await readReport(visit);
    return spreadsheet(csvOf(figuresOf(report)), `comps-${report.id.slice(0, 8)}.csv`);
  },
};

/** The read-only report for anyone with the link. */
const sharedPage: Page = {
  path: '/comping/shared/:token',
  access: 'public',
  async get(visit) {
    const report = await readShared(visit);
    const { db } = visit.deps;
    const [view, drawing, brand] = await Promise.all([
      readReportView(db, report),
      readDrawing(db, report),
      readBrand(db, report.account_id),
    ]);
    const body = (
      <div class="comping">
        <Brand brand={brand} />
        <div class="screen">
          <h1>{titleOf(report)}</h1>
          {report.notes && <p class="notes">{report.notes}</p>}
        </div>
        <Cover view={view} />
        <Subject report={report} />
        <Strip {...view} shared />
        <Drawing drawing={drawing} />
        <Results view={view} />
        <Disclaimer />
      </div>
    );
    const head = <meta name="robots" content="noindex" />;
    return { title: titleOf(report), body, assetNames: STYLES, head };
  },
};

export const compingPages = [reportsPage, sharedPage, compsPage, csvPage, reportPage];
