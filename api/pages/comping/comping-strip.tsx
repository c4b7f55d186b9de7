import type { Result, ResultLine } from '../../../shared/comping/comp-report-result.ts';
import type { ConfidenceOrder } from '../../../shared/feeds/confidence-order.ts';
import { acres, count, usd } from '../../../shared/model/figures.ts';
import { Stat } from '../frame/layout.tsx';
import { confidenceText, ValueBand } from '../frame/value-band.tsx';
import { miles } from './comping-list.tsx';

type StripProps = {
  result: Result | null;
  machine: Result | null;
  order: ConfidenceOrder | null;
  /** Whether the reader opened a shared link. */
  shared?: boolean;
};

/** The estimate in one line, which stays in view while the user chooses comps. */
export function Strip({ result, machine, order, shared = false }: StripProps) {
  return (
    <section class="card est" id="strip" aria-live="polite">
      <Estimate title={shared ? "This report's estimate" : 'Your estimate'} of={result} none="no comps yet" />
      <Estimate title="Plat's estimate" of={machine} none="too few comps" />
      {result?.enough && (
        <div class="grow">
          <ValueBand
            low={result.estimate.low}
            high={result.estimate.high}
            estimate={result.estimate.meanAdjustedPrice}
          />
          <small>
            80% range {usd(result.estimate.low)} – {usd(result.estimate.high)} ·{' '}
            {confidenceText(result.estimate.confidence, order)}
          </small>
        </div>
      )}
      {result && <Basis lines={result.lines} />}
    </section>
  );
}

const Estimate = ({ title, of, none }: { title: string; of: Result | null; none: string }) => (
  <dl>
    <Stat
      name={
        <>
          {title}{' '}
          <span class="badge">
            {of === null ? none : `${count(of.lines.length)} ${of.lines.length === 1 ? 'comp' : 'comps'}`}
          </span>
        </>
      }
      value={of === null ? '–' : usd(of.estimate.meanAdjustedPrice)}
      note={of && `${usd(of.estimate.meanAdjustedPpa)} / acre`}
    />
  </dl>
);

/** What the estimate is based on: the number of sales, distances, years, and sizes. */
function Basis({ lines }: { lines: readonly ResultLine[] }) {
  const comps = lines.map(({ comp }) => comp);
  const sales = comps.filter(({ status }) => status === 'SOLD').length;
  const years = comps.flatMap(({ sold_date }) => (sold_date === null ? [] : [sold_date.slice(0, 4)])).sort();
  const span = (values: readonly number[], words: (value: number) => string) =>
    between(words(Math.min(...values)), words(Math.max(...values)));
  const kinds = [
    sales > 0 && `${count(sales)} ${sales === 1 ? 'sale' : 'sales'}`,
    sales < comps.length && `${count(comps.length - sales)} not sold yet`,
  ];
  return (
    <dl class="stat wide-only">
      <dt>Based on</dt>
      <dd class="note">
        <b>
          {kinds.filter(Boolean).join(', ')},{' '}
          {span(
            comps.map(comp => comp.distance_m),
            miles,
          )}{' '}
          away
        </b>
      </dd>
      <dd class="note">
        {[
          years.length > 0 && `sold ${between(years[0]!, years.at(-1)!)}`,
          `${span(
            comps.map(comp => comp.acres),
            acres,
          )} acres`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </dd>
    </dl>
  );
}

const between = (from: string, to: string): string => (from === to ? from : `${from} – ${to}`);
