import type { ReportSnapshot } from '../../../shared/comping/comp-report.ts';
import type { Result } from '../../../shared/comping/comp-report-result.ts';
import type { Report } from '../../../shared/comping/stored-reports.ts';
import { type ConfidenceOrder, readConfidenceOrder } from '../../../shared/feeds/confidence-order.ts';
import { sizes } from '../../../shared/model/buckets.ts';
import { acres, count, day, moment, percent, usd } from '../../../shared/model/figures.ts';
import { METRICS } from '../../../shared/model/market-metrics.ts';
import { shortApn, titleCase } from '../../../shared/model/roll-text.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { Comparison, Facts, Field, Notice, Panel, Submit } from '../frame/layout.tsx';
import { Legend } from '../market/market-page.tsx';
import { COLUMNS, shown } from '../market/market-words.ts';
import { type ChangeOutcome, MAX_NOTES, MAX_TITLE } from './comping-actions.ts';
import { changesOf } from './comping-changes.ts';
import { Charts } from './comping-charts.tsx';
import { lotOf } from './comping-list.tsx';
import { type Ground, Picture, readGround } from './comping-picture.tsx';
import { figuresOf, modelResultOf, titleOf } from './comping-reports.ts';
import { Chosen, Conclusion, TrendWords } from './comping-results.tsx';

export type ReportView = {
  report: Report;
  result: Result | null;
  machine: Result | null;
  ground: Ground | null;
  /** Whether higher confidence means smaller errors in the county. */
  order: ConfidenceOrder | null;
};

export async function readReportView(db: Db, report: Report): Promise<ReportView> {
  const snapshot = report.snapshot!;
  const result = figuresOf(report);
  const ground = result && (await readGround(db, snapshot, result.lines));
  const order = await readConfidenceOrder(db, report.fips);
  return { report, result, machine: modelResultOf(snapshot), ground, order };
}

/** The results of the selection. @param path the path of the forms. Omit it for a read-only view */
export function Results({
  view: { report, result, machine, ground, order },
  path,
}: {
  view: ReportView;
  path?: string;
}) {
  const snapshot = report.snapshot!;
  return (
    <div id="results">
      {result && ground && <Picture snapshot={snapshot} lines={result.lines} ground={ground} />}
      <Panel
        id="used"
        title={result === null ? 'Comps used' : `Comps used: ${count(result.lines.length)}`}
        flush
      >
        <Chosen snapshot={snapshot} result={result} path={path} />
        {result && <TrendWords trend={snapshot.trend} county={countyOf(snapshot)} />}
      </Panel>
      <Panel id="conclusion" title="How the estimate is made" flush>
        <Conclusion report={report} result={result} machine={machine} order={order} />
      </Panel>
      <Charts snapshot={snapshot} result={result} chosen={new Set(report.chosen)} />
      <Market snapshot={snapshot} />
    </div>
  );
}

const countyOf = ({ subject: { county, state } }: ReportSnapshot): string =>
  `${county}${state && `, ${state}`}`;

export function subjectLine({ snapshot }: Report): string {
  const { subject, as_of } = snapshot!;
  const { apn, frontage_ft, flood_percent, wetlands_percent, steep_percent, buildable_acres } = subject;
  return [
    lotOf(subject.acres),
    apn && `APN ${shortApn(apn)}`,
    countyOf(snapshot!),
    frontage_ft !== null && `${count(frontage_ft)} ft road frontage`,
    steep_percent !== null && `${percent(steep_percent)} steeper than 15%`,
    flood_percent !== null && `${percent(flood_percent)} in flood zone`,
    wetlands_percent !== null && `${percent(wetlands_percent)} wetlands`,
    buildable_acres != null && `${acres(buildable_acres)} ac buildable`,
    `data as of ${day(as_of)}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

/** @param paper whether this is shown only in print, because the page header has the same facts */
export function Subject({ report, paper }: { report: Report; paper?: boolean }) {
  const { subject, as_of, made_at, model_version } = report.snapshot!;
  const figures: [string, string | null][] = [
    ['Acres', acres(subject.acres)],
    ['APN', subject.apn ? shortApn(subject.apn) : null],
    ['County', countyOf(report.snapshot!)],
    ['Steeper than 15%', subject.steep_percent === null ? null : percent(subject.steep_percent)],
    ['Road frontage', subject.frontage_ft === null ? null : `${Math.round(subject.frontage_ft)} ft`],
    ['Flood zone', subject.flood_percent === null ? null : percent(subject.flood_percent)],
    ['Wetlands', subject.wetlands_percent === null ? null : percent(subject.wetlands_percent)],
    ['Buildable', subject.buildable_acres == null ? null : `${acres(subject.buildable_acres)} ac`],
    ...(subject.overlays ?? []).map(({ label, words }): [string, string] => [label, words]),
  ];
  return (
    <section class={paper ? 'subject print' : 'subject'}>
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
      <p class="fine-print">
        <Maker report={report} /> Data as of {day(as_of)}, model version {model_version}. Prepared{' '}
        {moment(made_at)}.
      </p>
    </section>
  );
}

const Maker = ({ report: { maker, company, created_at } }: { report: Report }) => (
  <span class="maker">
    Created by {[maker, company].filter(Boolean).join(', ')} on {day(created_at)}.
  </span>
);

type TextsProps = {
  report: Report;
  path: string;
  conflict?: ChangeOutcome['conflict'];
  kept?: URLSearchParams;
};

/** Title and notes. After a conflict, also shows what another window wrote. */
export function Texts({ report, path, conflict, kept }: TextsProps) {
  return (
    <form method="post" action={path} class="stack" id="texts">
      <input type="hidden" name="do" value="text" />
      <input type="hidden" name="was_title" value={report.title} />
      <input type="hidden" name="was_notes" value={report.notes} />
      {(['title', 'notes'] as const).map(
        name =>
          conflict?.[name] !== undefined && (
            <Notice kind="bad">
              The {name} {name === 'title' ? 'was' : 'were'} changed in another window to “{conflict[name]}”.
              Save again to replace it with yours.
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
      <p class="buttons noscript">
        <Submit label="Save" kind="second" />
      </p>
    </form>
  );
}

export function Offer({ report, path }: { report: Report; path: string }) {
  const changes = changesOf(report);
  return (
    <section id="offer">
      {changes.length > 0 && (
        <div class="notice">
          <p>
            <b>Changes since {moment(report.snapshot!.made_at)}:</b>
          </p>
          <ul>
            {changes.map(change => (
              <li>{change}</li>
            ))}
          </ul>
          <form method="post" action={path} class="buttons">
            <Submit label="Update report" does="accept" />
            <Submit label="Keep current report" does="decline" kind="second" />
          </form>
        </div>
      )}
      {report.offered !== null && changes.length === 0 && (
        <p class="fine-print">
          Compared with data as of {day(report.offered.as_of)}. Nothing has changed since the report was
          created.
        </p>
      )}
      {report.wanted_at !== null && (
        <Notice>Plat is checking for newer data. Reload this page in a moment.</Notice>
      )}
    </section>
  );
}

export function Data({ report, path }: { report: Report; path: string }) {
  const { as_of, made_at, model_version } = report.snapshot!;
  return (
    <Panel id="data" title="Data">
      <Facts
        kind="filled"
        of={[
          ['Data as of', day(as_of)],
          ['Prepared', moment(made_at)],
          ['Model version', model_version],
        ]}
      />
      <div class="buttons">
        <form method="post" action={path}>
          <Submit label="Update with latest data" does="look" kind="second" />
        </form>
        <details>
          <summary class="button quiet">Delete report</summary>
          <form method="post" action={path}>
            <Submit label="Delete permanently" does="delete" kind="danger" />
          </form>
        </details>
      </div>
    </Panel>
  );
}

/** The first lines of the printed report. */
export function Cover({ view: { report, result } }: { view: ReportView }) {
  const { acres: own } = report.snapshot!.subject;
  return (
    <section class="print" id="cover">
      <h1>{titleOf(report)}</h1>
      {result && (
        <p class="answer">
          <b>{usd(result.estimate.meanAdjustedPrice)}</b> for {lotOf(own)}, based on {result.lines.length}{' '}
          comparable sales and listings
          {result.enough && `, 80% range ${usd(result.estimate.low)} – ${usd(result.estimate.high)}`}.
        </p>
      )}
      {report.notes && <p class="notes">{report.notes}</p>}
    </section>
  );
}

/** The parcel with the lengths of its sides. @param drawing an image as a data URL */
export const Drawing = ({ drawing }: { drawing: string | null }) =>
  drawing && (
    <Panel id="parcel-map" title="This parcel">
      <figure class="plot">
        <img src={drawing} alt="Map of the parcel with the lengths of its sides" width="400" height="320" />
        <figcaption class="fine-print">Measured on the county's parcel map. Not a survey.</figcaption>
      </figure>
    </Panel>
  );

export const Disclaimer = () => (
  <p class="fine-print" id="disclaimer">
    This report estimates what the land could sell for, based on nearby sales and listings. It isn't an
    appraisal, a broker's opinion of value, or a survey. Verify the facts before you rely on them.
  </p>
);

function Market({ snapshot: { bucket, county_market, zip_market } }: { snapshot: ReportSnapshot }) {
  const markets = [county_market, zip_market].filter(market => market !== null);
  if (bucket === null || markets.length === 0) return null;
  const isEmpty = markets.every(({ data }) => data === null);
  return (
    <Panel id="market" title={`Market for lots of ${sizes(bucket)}`} flush>
      {isEmpty ? (
        <p>No listings of this size in {markets.map(({ name }) => name).join(' or ')}.</p>
      ) : (
        <Comparison
          name={`Market for lots of ${sizes(bucket)}`}
          heads={markets.map(({ name }) => name)}
          rows={COLUMNS.map(key => [
            METRICS[key].label,
            ...markets.map(({ data }) => shown(key, data?.[key])),
          ])}
        />
      )}
      {!isEmpty && (
        <div>
          <Legend />
          {markets[0]!.as_of && <small>As of {day(markets[0]!.as_of)}. A dash means there is no data.</small>}
        </div>
      )}
    </Panel>
  );
}
