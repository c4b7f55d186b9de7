import type { ReportSnapshot } from '../../../shared/comping/comp-report.ts';
import type { Result } from '../../../shared/comping/comp-report-result.ts';
import { sizes } from '../../../shared/domain/buckets.ts';
import { acres, count, day, moment, percent, usd } from '../../../shared/domain/figures.ts';
import { titleCase } from '../../../shared/domain/roll-text.ts';
import type { Database } from '../../http/database.ts';
import { Comparison, Facts, Field, Notice, Select, Submit } from '../frame/layout.tsx';
import { COLUMNS, Legend, shown } from '../market/market-page.tsx';
import { changesOf } from './comping-changes.ts';
import { Charts } from './comping-charts.tsx';
import { lotOf } from './comping-list.tsx';
import { type Ground, Picture, readGround } from './comping-picture.tsx';
import {
  type ChangeOutcome,
  figuresOf,
  MAX_NOTES,
  MAX_TITLE,
  modelResultOf,
  type Report,
  SHARE_DAYS,
  titleOf,
} from './comping-reports.ts';
import { Chosen, Conclusion, TrendWords } from './comping-results.tsx';

/** What a prepared report says, and the ground that its picture is drawn on. */
export type ReportView = {
  report: Report;
  result: Result | null;
  machine: Result | null;
  ground: Ground | null;
};

export async function readReportView(database: Database, report: Report): Promise<ReportView> {
  const snapshot = report.snapshot!;
  const result = figuresOf(report);
  const ground = result && (await readGround(database, snapshot, result.lines));
  return { report, result, machine: modelResultOf(snapshot), ground };
}

/**
 * What follows from the selection; all of it changes with it. @param path none where the
 * report can only be read
 */
export function Results({
  view: { report, result, machine, ground },
  path,
}: {
  view: ReportView;
  path?: string;
}) {
  const snapshot = report.snapshot!;
  return (
    <div id="results">
      {result && ground && <Picture snapshot={snapshot} lines={result.lines} ground={ground} />}
      <h2>{result === null ? 'Comps used' : `Comps used: ${count(result.lines.length)}`}</h2>
      <Chosen result={result} path={path} />
      {result && <TrendWords trend={snapshot.trend} county={countyOf(snapshot)} />}
      <h2>How the estimate is made</h2>
      <Conclusion report={report} result={result} machine={machine} />
      <Charts snapshot={snapshot} result={result} chosen={new Set(report.chosen)} />
      <Market snapshot={snapshot} />
    </div>
  );
}

const countyOf = ({ subject: { county, state } }: ReportSnapshot): string =>
  `${county}${state && `, ${state}`}`;

export function Subject({ report }: { report: Report }) {
  const { subject, as_of, made_at, model_version } = report.snapshot!;
  const figures: [string, string | null][] = [
    ['Acres', acres(subject.acres)],
    ['APN', subject.apn || null],
    ['County', countyOf(report.snapshot!)],
    ['Steeper than 15 %', subject.steep_percent === null ? null : percent(subject.steep_percent)],
    ['Road frontage', subject.frontage_ft === null ? null : `${Math.round(subject.frontage_ft)} ft`],
    ['Flood zone', subject.flood_percent === null ? null : percent(subject.flood_percent)],
    ['Wetlands', subject.wetlands_percent === null ? null : percent(subject.wetlands_percent)],
  ];
  return (
    <section class="subject">
      <p>
        {[
          titleCase(subject.address ?? ''),
          titleCase(subject.city ?? ''),
          [subject.state, subject.zip].filter(Boolean).join(' '),
        ]
          .filter(Boolean)
          .join(', ')}
      </p>
      <Facts of={figures} />
      <p class="told">
        <Maker report={report} /> Data of {day(as_of)}, model version {model_version}; compared{' '}
        {moment(made_at)}.
      </p>
    </section>
  );
}

const Maker = ({ report: { maker, company, created_at } }: { report: Report }) => (
  <span class="maker">
    Made by {[maker, company].filter(Boolean).join(', ')} on {day(created_at)}.
  </span>
);

type TextsProps = {
  report: Report;
  path: string;
  conflict?: ChangeOutcome['conflict'];
  kept?: URLSearchParams;
};

/** Title and notes; what another window has written since is shown beside what this one would write. */
export function Texts({ report, path, conflict, kept }: TextsProps) {
  return (
    <form method="post" action={path} class="stack texts" id="texts">
      <input type="hidden" name="do" value="text" />
      <input type="hidden" name="was_title" value={report.title} />
      <input type="hidden" name="was_notes" value={report.notes} />
      {(['title', 'notes'] as const).map(
        name =>
          conflict?.[name] !== undefined && (
            <Notice kind="bad">
              The {name} {name === 'title' ? 'was' : 'were'} changed in another window to “{conflict[name]}”.
              Save again to put yours in its place.
            </Notice>
          ),
      )}
      <Field
        label="Title"
        name="title"
        value={kept?.get('title') ?? report.title}
        maxlength={MAX_TITLE}
        placeholder={titleOf(report)}
        autocomplete="off"
      />
      <Field label="Notes" name="notes">
        <textarea id="notes" name="notes" rows={3} maxlength={MAX_NOTES}>
          {kept?.get('notes') ?? report.notes}
        </textarea>
      </Field>
      <p class="buttons">
        <Submit label="Save" kind="second noscript" />
        <output id="saved" class="told" />
      </p>
    </form>
  );
}

/** What has changed since, and whether the report is to go by it. */
export function Offer({ report, path }: { report: Report; path: string }) {
  const changes = changesOf(report);
  return (
    <section id="offer">
      {changes.length > 0 && (
        <div class="notice">
          <p>
            <b>Since {moment(report.snapshot!.made_at)} this has changed:</b>
          </p>
          <ul>
            {changes.map(change => (
              <li>{change}</li>
            ))}
          </ul>
          <form method="post" action={path} class="buttons">
            <Submit label="Update the report" does="accept" />
            <Submit label="Cancel" does="decline" kind="second" />
          </form>
        </div>
      )}
      {report.offered !== null && changes.length === 0 && (
        <p class="told">
          Compared with the data of {day(report.offered.as_of)}: nothing has changed since the report was
          made.
        </p>
      )}
      {report.wanted_at !== null && (
        <Notice>The report is being compared with what is true now. Open it again in a moment.</Notice>
      )}
    </section>
  );
}

/** What one does with a report that is made. */
export function Tools({ path }: { path: string }) {
  return (
    <div class="buttons">
      <a class="button second" href={`${path}/comps.csv`}>
        CSV
      </a>
      <button type="button" class="second" id="print" hidden>
        Print or PDF
      </button>
      <a class="button" href="#share">
        Share
      </a>
    </div>
  );
}

/** Sharing, going by newer data, deleting. */
export function Actions({ report, path, link }: { report: Report; path: string; link?: string | undefined }) {
  const expires = report.share_expires_at;
  const isShared = expires !== null && expires.getTime() > Date.now();
  return (
    <section class="actions screen" id="share" aria-labelledby="share-title">
      <h2 id="share-title">Share</h2>
      {link && (
        <Notice kind="good">
          <b>The link, which is shown this once:</b>{' '}
          <a href={link} class="share">
            {link}
          </a>
        </Notice>
      )}
      <p class="told">
        {isShared
          ? `Whoever has the link can read the report until ${day(expires)}. A new link ends it.`
          : 'A link shows the report, with its title and notes, to whoever has it. The comps to choose from are not in it.'}
      </p>
      <div class="buttons">
        <form method="post" action={path} class="buttons">
          <label for="days">{isShared ? 'New link for' : 'Share for'}</label>
          <Select
            name="days"
            options={SHARE_DAYS.map(days => [String(days), `${days} days`])}
            given={String(SHARE_DAYS[1])}
          />
          <Submit label={isShared ? 'Make a new link' : 'Share'} does="share" kind="second" />
          {isShared && <Submit label="Stop sharing" does="unshare" kind="danger" />}
        </form>
        <form method="post" action={path} class="buttons">
          <Submit label="Update with newest data" does="look" kind="second" />
        </form>
        <details>
          <summary>Delete</summary>
          <form method="post" action={path}>
            <Submit label="Delete the report for good" does="delete" kind="danger" />
          </form>
        </details>
      </div>
    </section>
  );
}

/** For print alone: what a reader wants first. */
export function Cover({ view: { report, result } }: { view: ReportView }) {
  const { acres: own } = report.snapshot!.subject;
  return (
    <section class="print" id="cover">
      <h1>{titleOf(report)}</h1>
      {result && (
        <p class="answer">
          <b>{usd(result.estimate.meanAdjustedPrice)}</b> for {lotOf(own)} by {result.lines.length} comparable
          sales and listings
          {result.enough && `, 80 % range ${usd(result.estimate.low)} – ${usd(result.estimate.high)}`}.
        </p>
      )}
      {report.notes && <p class="notes">{report.notes}</p>}
    </section>
  );
}

/** What the market does with lots of the subject's size, in its county and its ZIP code. */
function Market({ snapshot: { bucket, county_market, zip_market } }: { snapshot: ReportSnapshot }) {
  const markets = [county_market, zip_market].filter(market => market !== null);
  if (bucket === null || markets.length === 0) return null;
  const isEmpty = markets.every(({ data }) => data === null);
  return (
    <section class="market">
      <h2>Market of lots of {sizes(bucket)}</h2>
      {isEmpty ? (
        <p>No listing of such a size is known in {markets.map(({ name }) => name).join(' or ')}.</p>
      ) : (
        <Comparison
          name={`Market of ${sizes(bucket)}`}
          heads={markets.map(({ name }) => name)}
          rows={COLUMNS.map(key => [key, ...markets.map(({ data }) => shown(key, data?.[key]))])}
        />
      )}
      {!isEmpty && <Legend />}
      {!isEmpty && markets[0]!.as_of && (
        <p class="told">As of {day(markets[0]!.as_of)}; a dash is a figure without any listing.</p>
      )}
    </section>
  );
}
