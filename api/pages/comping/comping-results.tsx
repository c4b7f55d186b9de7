import { ADJUSTMENTS, type Adjustment, type PriceTrend } from '../../../shared/comping/comp-report.ts';
import type {
  AppliedAdjustment,
  Result,
  ResultLine,
  Totals,
} from '../../../shared/comping/comp-report-result.ts';
import type { Report } from '../../../shared/comping/stored-reports.ts';
import { acres, count, usd } from '../../../shared/model/figures.ts';
import { Icon } from '../frame/icons.tsx';
import { Comparison, Submit } from '../frame/layout.tsx';
import { confidenceText } from '../frame/value-band.tsx';
import { Links, lotOf, miles, nameOf, StatusBadge, stateOf } from './comping-list.tsx';

export const WORDS: Record<Adjustment, string> = {
  size: 'Size',
  time: 'Date',
  location: 'Place',
  land: 'Land',
  asking: 'Asking',
};

const one = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1, signDisplay: 'exceptZero' });
const signed = (percent: number | null): string =>
  percent === null ? '–' : `${one.format(percent).replace('-', '−')} %`;
const plain = (percent: number): string =>
  `${new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 }).format(percent)} %`;
const signedUsd = (value: number): string => `${value < 0 ? '−' : '+'}${usd(Math.abs(value))}`;

const NOTHING_CHOSEN = 'Tick the sales you trust: the estimate follows from them.';

/** The chosen comps with what each is moved by. @param path of forms; none where it is only read */
export function Chosen({ result, path }: { result: Result | null; path?: string | undefined }) {
  if (result === null) return <p>{NOTHING_CHOSEN}</p>;
  return (
    <section class="scroll" tabindex={0} aria-label="Comps used">
      <table class="chosen">
        <thead>
          <tr>
            <th>#</th>
            <th>Comp</th>
            <th class="n">Acres</th>
            <th class="n">Price</th>
            <th class="n">Per acre, sold</th>
            {ADJUSTMENTS.map(name => (
              <th class="n">{WORDS[name]}</th>
            ))}
            <th class="n">Per acre, adjusted</th>
            <th class="n">Weight</th>
            <th class="n">Moves the estimate</th>
          </tr>
        </thead>
        <tbody>
          {result.lines.map((line, i) => (
            <ChosenRow line={line} number={i + 1} path={path} />
          ))}
        </tbody>
      </table>
      <Reasons lines={result.lines} />
    </section>
  );
}

function ChosenRow({ line, number, path }: { line: ResultLine; number: number; path: string | undefined }) {
  const { comp, adjustments } = line;
  return (
    <tr data-id={comp.id}>
      <td>{number}</td>
      <td>
        <StatusBadge status={comp.status} /> <b>{nameOf(comp)}</b>
        <br />
        <small>
          {stateOf(comp)} · {miles(comp.distance_m)}
          {comp.gone && ' · no longer near enough'} <Links url={comp.url} photos={comp.photos} />
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
                Take out<span class="unseen"> {nameOf(comp)}</span>
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

/** An override is highlighted, with the model's own figure beside it. */
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
            placeholder="why Plat is wrong here"
            autocomplete="off"
          />
        </label>
        <Submit label="Save" does="override" />
      </form>
      {ADJUSTMENTS.filter(name => adjustments[name].reason !== null).map(name => (
        <form method="post" action={path} data-change>
          <input type="hidden" name="comp" value={comp.id} />
          <input type="hidden" name="adjustment" value={name} />
          <Submit label={`${WORDS[name]}: back to Plat's`} does="restore" kind="quiet" />
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
          * {number}, {nameOf(comp)}: {WORDS[name].toLowerCase()} {signed(percent)} in place of{' '}
          {signed(model)}, because {reason}
        </li>
      ))}
    </ul>
  );
}

/** What the dates are adjusted by, where that may not be what one expects of land: up with the years. */
export function TrendWords({ trend, county }: { trend: PriceTrend | undefined; county: string }) {
  if (trend === undefined) return null;
  const { yearly, lag, sales, since } = trend;
  const percent = 100 * Math.expm1(yearly);
  const source =
    sales === 0
      ? `as in the counties around, as ${county} has no sales of its own`
      : `by ${count(sales)} ${sales === 1 ? 'sale' : 'sales'} in ${county} since ${since}${sales < FEW_SALES ? ', which are few, and the counties around' : ''}`;
  const off = 100 * Math.expm1(lag);
  return (
    <p id="trend">
      <Icon name="info" />
      <b>Date:</b>{' '}
      {Math.abs(percent) < FLAT_PERCENT
        ? `prices per acre hardly change with the years, ${source}: older sales count as they are.`
        : percent > 0
          ? `prices per acre rose ${plain(percent)} a year, ${source}: older sales are adjusted up.`
          : `prices per acre fell ${plain(-percent)} a year, ${source}: older sales are adjusted down, not up.`}
      {Math.abs(off) >= FLAT_PERCENT &&
        ` Estimates of the last year's sales came out ${plain(Math.abs(off))} too ${off > 0 ? 'high' : 'low'}, so every sale is moved ${off > 0 ? 'down' : 'up'} by that besides.`}
    </p>
  );
}

/** Below it nobody would notice. */
const FLAT_PERCENT = 0.3;
/** Of so few the trend is mostly what other counties show. */
const FEW_SALES = 30;

type Column = {
  title: string;
  together: Totals | undefined;
  result: Result | null | undefined;
  /** What the comps cost, in USD; none of adjusted ones, which are compared by the acre. */
  price?: number | undefined;
};

type ConclusionProps = { report: Report; result: Result | null; machine: Result | null };

export function Conclusion({ report, result, machine }: ConclusionProps) {
  const snapshot = report.snapshot!;
  const subjectAcres = snapshot.subject.acres;
  const columns: Column[] = [
    {
      title: 'Your estimate, sold',
      together: result?.as_sold,
      result: undefined,
      price: result?.estimate.meanPrice,
    },
    { title: 'Your estimate, adjusted', together: result?.adjusted, result },
    {
      title: "Plat's, sold",
      together: machine?.as_sold,
      result: undefined,
      price: machine?.estimate.meanPrice,
    },
    { title: "Plat's, adjusted", together: machine?.adjusted, result: machine },
  ];
  const row = (label: string, figure: (column: Column) => string): [string, ...string[]] => [
    label,
    ...columns.map(column => (column.together === undefined ? '–' : figure(column))),
  ];
  return (
    <>
      <Comparison
        name="How the estimate is made"
        kind="conclusion"
        heads={columns.map(({ title }) => title)}
        rows={[
          row('Mean price', ({ price }) => (price === undefined ? '–' : usd(price))),
          row('Mean, per acre', ({ together }) => usd(together!.mean)),
          row('Median, per acre', ({ together }) => usd(together!.median)),
          row('Weighted estimate, per acre', ({ together }) => usd(together!.weighted)),
          row(`Weighted estimate, ${lotOf(subjectAcres)}`, ({ together }) =>
            usd(together!.weighted * subjectAcres),
          ),
          row('80 % range', ({ result: of }) =>
            of === undefined || of === null
              ? '–'
              : of.enough
                ? `${usd(of.estimate.low)} – ${usd(of.estimate.high)}`
                : 'needs three comps',
          ),
          row('Price spread, 0 even to 100 wide', ({ together }) => together!.gini.toFixed(1)),
          row('Confidence', ({ result: of }) => (of?.enough ? confidenceText(of.estimate.confidence) : '–')),
        ]}
      />
      {result?.enough && result.estimate.outOfSupport && (
        <p>
          <Icon name="triangle-alert" />
          Few similar sales nearby: the comps used are unlike this parcel in size or place, or none of them is
          a sale.
        </p>
      )}
    </>
  );
}
