import {
  ADJUSTMENTS,
  type Adjustment,
  type PriceTrend,
  type ReportSnapshot,
} from '../../../shared/comping/comp-report.ts';
import type {
  AppliedAdjustment,
  Result,
  ResultLine,
  Totals,
} from '../../../shared/comping/comp-report-result.ts';
import type { Report } from '../../../shared/comping/stored-reports.ts';
import type { ConfidenceOrder } from '../../../shared/feeds/confidence-order.ts';
import { acres, count, usd } from '../../../shared/model/figures.ts';
import { Icon } from '../frame/icons.tsx';
import { Comparison, Submit } from '../frame/layout.tsx';
import { confidenceText } from '../frame/value-band.tsx';
import { isOwnSale, Links, lotOf, miles, nameOf, OwnMark, StatusBadge, stateOf } from './comping-list.tsx';
import { Problems } from './comping-problems.tsx';

export const WORDS: Record<Adjustment, string> = {
  size: 'Size',
  time: 'Date',
  location: 'Location',
  land: 'Land',
  asking: 'Asking',
};

const one = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1, signDisplay: 'exceptZero' });
const signed = (percent: number | null): string =>
  percent === null ? '–' : `${one.format(percent).replace('-', '−')}%`;
const plain = (percent: number): string =>
  `${new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 }).format(percent)}%`;
const signedUsd = (value: number): string => `${value < 0 ? '−' : '+'}${usd(Math.abs(value))}`;

const NOTHING_CHOSEN = 'Select the comps you trust to build your estimate.';

type ChosenProps = { snapshot: ReportSnapshot; result: Result | null; path?: string | undefined };

/**
 * The selected comps with their adjustments.
 * @param path the path of the forms. Omit it for a read-only view
 */
export function Chosen({ snapshot, result, path }: ChosenProps) {
  if (result === null) return <p>{NOTHING_CHOSEN}</p>;
  return (
    <div class="scroll" role="group" tabindex={0} aria-label="Comps used">
      <table class="chosen">
        <thead>
          <tr>
            <th>#</th>
            <th>Comp</th>
            <th class="n">Acres</th>
            <th class="n">Price</th>
            <th class="n">Per acre, as sold</th>
            {ADJUSTMENTS.map(name => (
              <th class="n">{WORDS[name]}</th>
            ))}
            <th class="n">Per acre, adjusted</th>
            <th class="n">Weight</th>
            <th class="n">Effect on estimate</th>
          </tr>
        </thead>
        <tbody>
          {result.lines.map((line, i) => (
            <ChosenRow line={line} number={i + 1} isOwn={isOwnSale(snapshot, line.comp)} path={path} />
          ))}
        </tbody>
      </table>
      <Reasons lines={result.lines} />
    </div>
  );
}

type RowProps = { line: ResultLine; number: number; isOwn: boolean; path: string | undefined };

function ChosenRow({ line, number, isOwn, path }: RowProps) {
  const { comp, adjustments } = line;
  return (
    <tr data-id={comp.id}>
      <td>{number}</td>
      <td>
        <StatusBadge status={comp.status} /> <b>{nameOf(comp)}</b> {isOwn && <OwnMark />}
        <br />
        <small>
          {stateOf(comp)} · {miles(comp.distance_m)}
          {comp.gone && ' · no longer a match'} <Links url={comp.url} photos={comp.photos} />
        </small>
        {path && (
          <div class="screen changes">
            <details data-open={`o-${comp.id}`}>
              <summary>
                Adjust<span class="unseen"> {nameOf(comp)}</span>
              </summary>
              <OverrideForm line={line} path={path} />
            </details>
            <form method="post" action={path} data-change>
              <input type="hidden" name="comp" value={comp.id} />
              <button type="submit" name="do" value="remove" class="quiet small">
                Remove<span class="unseen"> {nameOf(comp)}</span>
              </button>
            </form>
          </div>
        )}
      </td>
      <td class="n">{acres(comp.acres)}</td>
      <td class="n">{usd(comp.price)}</td>
      <td class="n">{usd(line.ppa)}</td>
      {ADJUSTMENTS.map(name => (
        <Figure adjusted={adjustments[name]} />
      ))}
      <td class="n">
        <b>{usd(line.adjusted_ppa)}</b>
      </td>
      <td class="n">{plain(100 * line.weight)}</td>
      <td class="n">{line.moves === null ? '–' : signedUsd(line.moves)}</td>
    </tr>
  );
}

/** An override is highlighted, with the model's own figure below it. */
function Figure({ adjusted: { model, percent, reason } }: { adjusted: AppliedAdjustment }) {
  if (reason === null) return <td class="n">{signed(percent)}</td>;
  return (
    <td class="n said">
      <b>{signed(percent)}*</b>
      <br />
      <small>Plat {signed(model)}</small>
    </td>
  );
}

function OverrideForm({ line: { comp, adjustments }, path }: { line: ResultLine; path: string }) {
  return (
    <>
      <form method="post" action={path} class="stack override" data-change>
        <input type="hidden" name="comp" value={comp.id} />
        <label>
          Adjustment
          <select name="adjustment">
            {ADJUSTMENTS.map(name => (
              <option value={name}>{WORDS[name]}</option>
            ))}
          </select>
        </label>
        <label>
          Percent
          <input name="percent" inputmode="text" required placeholder="-10" autocomplete="off" />
        </label>
        <label>
          Reason
          <input
            name="reason"
            required
            maxlength={500}
            placeholder="Reason for adjustment"
            autocomplete="off"
          />
        </label>
        <Submit label="Save" does="override" />
      </form>
      {ADJUSTMENTS.filter(name => adjustments[name].reason !== null).map(name => (
        <form method="post" action={path} data-change>
          <input type="hidden" name="comp" value={comp.id} />
          <input type="hidden" name="adjustment" value={name} />
          <Submit label={`Use Plat's ${WORDS[name].toLowerCase()} adjustment`} does="restore" kind="quiet" />
        </form>
      ))}
    </>
  );
}

function Reasons({ lines }: { lines: readonly ResultLine[] }) {
  const reasons = lines.flatMap(({ comp, adjustments }, i) =>
    ADJUSTMENTS.flatMap(name => {
      const { percent, model, reason } = adjustments[name];
      return reason === null ? [] : [{ number: i + 1, comp, name, percent, model, reason }];
    }),
  );
  if (reasons.length === 0) return null;
  return (
    <ul class="reasons">
      {reasons.map(({ number, comp, name, percent, model, reason }) => (
        <li>
          * {number}, {nameOf(comp)}: {WORDS[name].toLowerCase()} {signed(percent)} instead of {signed(model)}
          . Reason: {reason}
        </li>
      ))}
    </ul>
  );
}

/** Explains the date adjustment, which can be negative even when people expect land prices to rise. */
export function TrendWords({ trend, county }: { trend: PriceTrend | undefined; county: string }) {
  if (trend === undefined) return null;
  const { yearly, lag, sales, since } = trend;
  const percent = 100 * Math.expm1(yearly);
  const source =
    sales === 0
      ? `based on nearby counties, because ${county} has no sales`
      : `based on ${count(sales)} ${sales === 1 ? 'sale' : 'sales'} in ${county} since ${since}${sales < FEW_SALES ? ' and, because sales are few, on nearby counties' : ''}`;
  const off = 100 * Math.expm1(lag ?? 0);
  return (
    <p id="trend">
      <Icon name="info" />
      <b>Date:</b>{' '}
      {Math.abs(percent) < FLAT_PERCENT
        ? `in the last five years, prices per acre hardly changed, ${source}. Older sales need no adjustment.`
        : percent > 0
          ? `in the last five years, prices per acre rose ${plain(percent)} per year, ${source}. Older sales are adjusted up.`
          : `in the last five years, prices per acre fell ${plain(-percent)} per year, ${source}. Older sales are adjusted down.`}
      {Math.abs(off) >= FLAT_PERCENT &&
        ` Estimates of last year's sales were ${plain(Math.abs(off))} too ${off > 0 ? 'high' : 'low'}, so every sale is also adjusted ${off > 0 ? 'down' : 'up'} by that amount.`}
    </p>
  );
}

/** A smaller change per year counts as flat. */
const FLAT_PERCENT = 0.3;
/** With fewer sales than this, the trend comes mostly from other counties. */
const FEW_SALES = 30;

type Column = {
  title: string;
  totals: Totals | undefined;
  result: Result | null | undefined;
  /** Mean price of the comps in USD. Undefined for adjusted comps, which have only prices per acre. */
  price?: number | undefined;
};

/** The neighborhood's price level, with its share of the estimate. */
function neighborhoodText(result: Result | null | undefined): string {
  const neighborhood = result?.estimate.neighborhood;
  return neighborhood ? `${usd(neighborhood.ppa)} (${plain(100 * neighborhood.weight)})` : '–';
}

type ConclusionProps = {
  report: Report;
  result: Result | null;
  machine: Result | null;
  order: ConfidenceOrder | null;
};

export function Conclusion({ report, result, machine, order }: ConclusionProps) {
  const snapshot = report.snapshot!;
  const subjectAcres = snapshot.subject.acres;
  const columns: Column[] = [
    {
      title: 'Your estimate, as sold',
      totals: result?.as_sold,
      result: undefined,
      price: result?.estimate.meanPrice,
    },
    { title: 'Your estimate, adjusted', totals: result?.adjusted, result },
    {
      title: "Plat's, as sold",
      totals: machine?.as_sold,
      result: undefined,
      price: machine?.estimate.meanPrice,
    },
    { title: "Plat's, adjusted", totals: machine?.adjusted, result: machine },
  ];
  const row = (label: string, figure: (column: Column) => string): [string, ...string[]] => [
    label,
    ...columns.map(column => (column.totals === undefined ? '–' : figure(column))),
  ];
  return (
    <>
      <Comparison
        name="How the estimate is made"
        kind="conclusion"
        heads={columns.map(({ title }) => title)}
        rows={[
          row('Mean price', ({ price }) => (price === undefined ? '–' : usd(price))),
          row('Mean per acre', ({ totals }) => usd(totals!.mean)),
          row('Median per acre', ({ totals }) => usd(totals!.median)),
          row('Weighted mean per acre', ({ totals }) => usd(totals!.weighted)),
          row('Neighborhood per acre', ({ result: of }) => neighborhoodText(of)),
          row(`Estimate for ${lotOf(subjectAcres)}`, ({ totals, result: of }) =>
            usd(of ? of.estimate.meanAdjustedPrice : totals!.weighted * subjectAcres),
          ),
          row('80% range', ({ result: of }) =>
            of === undefined || of === null
              ? '–'
              : of.enough
                ? `${usd(of.estimate.low)} – ${usd(of.estimate.high)}`
                : 'Needs 3 comps',
          ),
          row('Price variation (0–100)', ({ totals }) => totals!.gini.toFixed(1)),
          row('Confidence', ({ result: of }) =>
            of?.enough ? confidenceText(of.estimate.confidence, order) : '–',
          ),
        ]}
      />
      <Problems report={report} result={result} />
    </>
  );
}
