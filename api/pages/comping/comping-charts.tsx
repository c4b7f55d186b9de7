import type { Candidate, ReportSnapshot } from '../../../shared/comping/comp-report.ts';
import type { Result } from '../../../shared/comping/comp-report-result.ts';
import { count, usd } from '../../../shared/model/figures.ts';
import { Text } from '../frame/layout.tsx';
import { lotOf, nameOf, STATUS_WORDS } from './comping-list.tsx';

const WIDTH = 420;
const HEIGHT = 260;
const FRAME = { left: 58, right: 12, top: 10, bottom: 34 };

type Axis = { at(value: number): number; ticks: { value: number; label: string }[] };

/** A logarithmic axis with ticks at 1, 2, and 5 times each power of ten. */
function logAxis(
  values: readonly number[],
  from: number,
  to: number,
  label: (value: number) => string,
): Axis {
  const low = Math.min(...values) / 1.25;
  const high = Math.max(...values) * 1.25;
  const span = Math.log(high / low);
  const at = (value: number) => from + ((to - from) * Math.log(value / low)) / span;
  const ticks: Axis['ticks'] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
    for (const step of span > Math.log(200) ? [1] : [1, 2, 5]) {
      const value = step * 10 ** power;
      if (value >= low && value <= high) ticks.push({ value, label: label(value) });
    }
  return { at, ticks };
}

/** The axis of years before the report date, which is at the right end. */
function yearAxis(ages: readonly number[], asOf: string): Axis {
  const years = Math.max(1, ...ages) / 365.25;
  const at = (value: number) => WIDTH - FRAME.right - ((WIDTH - FRAME.left - FRAME.right) * value) / years;
  const now = Number(asOf.slice(0, 4));
  const fraction = (Date.parse(asOf) - Date.parse(`${now}-01-01`)) / (365.25 * 86_400_000);
  const step = Math.max(1, Math.ceil(years / 6));
  const ticks: Axis['ticks'] = [];
  for (let back = 0; fraction + back <= years; back += step)
    ticks.push({ value: fraction + back, label: String(now - back) });
  return { at, ticks };
}

const short = (value: number): string =>
  value >= 1_000_000 ? `$${value / 1e6}m` : value >= 1_000 ? `$${value / 1e3}k` : `$${value}`;

function Dot({ comp, x, y, chosen }: { comp: Candidate; x: number; y: number; chosen: boolean }) {
  const summary = `${nameOf(comp)}: ${STATUS_WORDS[comp.status]}, ${lotOf(comp.acres)}, ${usd(comp.price / comp.acres)} per acre`;
  const size = chosen ? 5 : 3;
  const kind = `dot ${comp.status}${chosen ? ' is-chosen' : ''}`;
  if (comp.status === 'SOLD')
    return (
      <circle cx={x} cy={y} r={size} class={kind}>
        <title>{summary}</title>
      </circle>
    );
  const d =
    comp.status === 'ACTIVE'
      ? `M${x} ${y - size}L${x + size} ${y + size}H${x - size}Z`
      : `M${x - size} ${y - size}h${2 * size}v${2 * size}h${-2 * size}Z`;
  return (
    <path d={d} class={kind}>
      <title>{summary}</title>
    </path>
  );
}

function Axes({ x, y, title }: { x: Axis; y: Axis; title: string }) {
  const floor = HEIGHT - FRAME.bottom;
  return (
    <>
      {y.ticks.map(({ value, label }) => (
        <>
          <path d={`M${FRAME.left} ${y.at(value)}H${WIDTH - FRAME.right}`} class="grid" />
          <Text x={FRAME.left - 6} y={y.at(value) + 3} anchor="end" words={label} />
        </>
      ))}
      {x.ticks.map(({ value, label }) => (
        <>
          <path d={`M${x.at(value)} ${FRAME.top}V${floor}`} class="grid" />
          <Text x={x.at(value)} y={floor + 13} words={label} />
        </>
      ))}
      <Text x={(WIDTH + FRAME.left) / 2} y={HEIGHT - 4} class="soft" words={title} />
    </>
  );
}

type ChartsProps = { snapshot: ReportSnapshot; result: Result | null; chosen: ReadonlySet<string> };

/** Two charts of the comps. The tables next to them have the figures. */
export function Charts({ snapshot, result, chosen }: ChartsProps) {
  // Outliers would squeeze the other comps together.
  const comps = snapshot.candidates.filter(comp => !comp.left_out || chosen.has(comp.id));
  if (comps.length === 0) return null;
  const estimate = result?.estimate.meanAdjustedPpa ?? snapshot.machine?.meanAdjustedPpa;
  const ppas = [...comps.map(ppaOf), ...(estimate === undefined ? [] : [estimate])];
  const drawn: DrawnComps = {
    snapshot,
    // Draw chosen comps on top.
    comps: comps.toSorted((a, b) => Number(chosen.has(a.id)) - Number(chosen.has(b.id))),
    chosen,
    y: logAxis(ppas, HEIGHT - FRAME.bottom, FRAME.top, short),
    estimate,
    summary: `${count(comps.length)} comps, ${count(chosen.size)} of them used`,
  };
  return (
    <div class="comp-charts">
      <ByAcres {...drawn} />
      <OverTime {...drawn} />
    </div>
  );
}

type DrawnComps = {
  snapshot: ReportSnapshot;
  comps: readonly Candidate[];
  chosen: ReadonlySet<string>;
  y: Axis;
  estimate: number | undefined;
  summary: string;
};

const ppaOf = (comp: Candidate): number => comp.price / comp.acres;

function ByAcres({ snapshot, comps, chosen, y, estimate, summary }: DrawnComps) {
  const { acres: own } = snapshot.subject;
  const x = logAxis([...comps.map(comp => comp.acres), own], FRAME.left, WIDTH - FRAME.right, value =>
    String(Number(value.toPrecision(1))),
  );
  const isLeft = x.at(own) < WIDTH / 2;
  return (
    <figure>
      <figcaption>Price per acre by lot size</figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`Price per acre by lot size: ${summary}. This parcel has ${lotOf(own)}`}
      >
        <Axes x={x} y={y} title="acres" />
        <path d={`M${x.at(own)} ${FRAME.top}V${HEIGHT - FRAME.bottom}`} class="subject-line" />
        <clipPath id="plot">
          <rect
            x={FRAME.left}
            y={FRAME.top}
            width={WIDTH - FRAME.left - FRAME.right}
            height={HEIGHT - FRAME.top - FRAME.bottom}
          />
        </clipPath>
        {estimate !== undefined && <Trend x={x} y={y} snapshot={snapshot} estimate={estimate} />}
        {comps.map(comp => (
          <Dot comp={comp} x={x.at(comp.acres)} y={y.at(ppaOf(comp))} chosen={chosen.has(comp.id)} />
        ))}
        <Text
          x={x.at(own) + (isLeft ? 4 : -4)}
          y={FRAME.top + 9}
          anchor={isLeft ? 'start' : 'end'}
          class="subject-word"
          words="this parcel"
        />
      </svg>
      {estimate !== undefined && <small>The line shows the estimate at other lot sizes.</small>}
    </figure>
  );
}

function OverTime({ snapshot, comps, chosen, y, estimate, summary }: DrawnComps) {
  const years = yearAxis(
    comps.flatMap(({ age }) => age ?? []),
    snapshot.as_of,
  );
  const back = (comp: Candidate) => years.at((comp.age ?? 0) / 365.25);
  return (
    <figure>
      <figcaption>Price per acre over time</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Price per acre over time: ${summary}`}>
        <Axes x={years} y={y} title="year sold (for sale now at the right)" />
        {estimate !== undefined && (
          <path d={`M${FRAME.left} ${y.at(estimate)}H${WIDTH - FRAME.right}`} class="subject-line" />
        )}
        {comps.map(comp => (
          <Dot comp={comp} x={back(comp)} y={y.at(ppaOf(comp))} chosen={chosen.has(comp.id)} />
        ))}
        {estimate !== undefined && (
          <text x={FRAME.left + 4} y={y.at(estimate) - 4} class="subject-word">
            estimate {usd(estimate)}
          </text>
        )}
      </svg>
    </figure>
  );
}

type TrendProps = { x: Axis; y: Axis; snapshot: ReportSnapshot; estimate: number };

/** The estimate at other lot sizes, by the county's elasticity. */
function Trend({ x, y, snapshot, estimate }: TrendProps) {
  const { acres: own } = snapshot.subject;
  const all = snapshot.candidates.map(comp => comp.acres);
  const ppaOf = (size: number) => estimate * (size / own) ** snapshot.elasticity;
  const [from, to] = [Math.min(...all, own), Math.max(...all, own)];
  return (
    <path
      d={`M${x.at(from)} ${y.at(ppaOf(from))}L${x.at(to)} ${y.at(ppaOf(to))}`}
      class="trend"
      clip-path="url(#plot)"
    />
  );
}
