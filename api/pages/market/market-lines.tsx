import { Grid, Text } from '../frame/layout.tsx';

/** A month-end figure, with the number of sales behind it. */
export type Point = { day: string; value: number | null; n: number | null };
export type Line = { name: string; points: readonly Point[] };
export type Band = { low: readonly (number | null)[]; high: readonly (number | null)[] };

type LinesProps = {
  title: string;
  note: string;
  lines: readonly Line[];
  /** The range of uncertainty around the first line. */
  band?: Band;
  shown: (value: number | null) => string;
  short: (value: number) => string;
  /** Figures based on at least this number of sales are joined by a line. Others are dots. */
  least: number;
};

/** In pixels, at any page width. Only the lines stretch to fit the available width. */
const [HEIGHT, TOP, BOTTOM] = [220, 12, 190];
const AXIS_WIDTH = 48;
/** Width of the stretched drawing, in its own units. */
const ACROSS = 1000;
const MOST_TICKS = 5;
const LABELS = 6;
/** The axis covers at least this share of all figures, including figures with few sales. */
const USUAL_SHARE = 0.9;
/** Maximum characters of a name next to its line. */
const MAX_NAME = 17;
/** Minimum distance between names at the ends of lines. */
const NAME_PX = 14;

const MONTH = new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' });
const monthOf = (day: string): string => MONTH.format(new Date(`${day}T00:00:00Z`));

/** A chart of monthly figures, with a table of the same figures. */
export function Lines({ title, note, lines, band, shown, short, least }: LinesProps) {
  const days = lines[0]!.points.map(({ day }) => day);
  const points = lines.flatMap(line => line.points);
  const known = points.flatMap(({ value }) => value ?? []);
  if (known.length === 0) return null;
  const carried = points.flatMap(({ value, n }) => (value !== null && (n ?? 0) >= least ? value : []));
  const highs = (band?.high ?? []).flatMap(value => value ?? []);
  // A single sale of a small lot shouldn't flatten the rest of the chart.
  const usual = known.toSorted((a, b) => a - b)[Math.floor((known.length - 1) * USUAL_SHARE)]!;
  const step = roundStep(Math.max(usual, ...carried, ...highs));
  const most = step.size * step.count;
  const ticks = Array.from({ length: step.count + 1 }, (_, i) => step.size * i);
  const y = (value: number) => BOTTOM - ((BOTTOM - TOP) * Math.max(0, value)) / most;
  return (
    <figure class="lines card">
      <figcaption>{title}</figcaption>
      <div class="drawn" role="img" aria-label={`${title}. The table below has the figures`}>
        <svg class="axis" aria-hidden="true" width={AXIS_WIDTH} height={HEIGHT}>
          {ticks.map(tick => (
            <Text x={AXIS_WIDTH - 8} y={y(tick) + 4} words={short(tick)} anchor="end" />
          ))}
        </svg>
        <Plot days={days} lines={lines} band={band} ticks={ticks} least={least} y={y} />
        <svg class="names" aria-hidden="true" height={HEIGHT}>
          {placedNames(lines, y).map(({ name, at }) => (
            <Text x={10} y={at + 4} words={shortened(name)} anchor="start" />
          ))}
        </svg>
      </div>
      {lines.length > 1 && <LineKey lines={lines} />}
      <p class="soft">
        {note} {aboveWords(known.filter(value => value > most).length)} {unknownWords(lines)}
      </p>
      <details>
        <summary>Table: {title.toLowerCase()}</summary>
        <Grid
          name={`Table: ${title.toLowerCase()}`}
          heads={[
            'Month',
            ...lines.flatMap(({ name }) => [name, 'Sales']),
            ...(band ? ['80% range, low', '80% range, high'] : []),
          ]}
          rows={days
            .map((day, i) => [
              monthOf(day),
              ...lines.flatMap(({ points }) => [shown(points[i]!.value), String(points[i]!.n ?? '–')]),
              ...(band ? [shown(band.low[i]!), shown(band.high[i]!)] : []),
            ])
            .reverse()}
        />
      </details>
    </figure>
  );
}

function LineKey({ lines }: Pick<LinesProps, 'lines'>) {
  return (
    <p class="key">
      {lines.map(
        (line, k) =>
          !isUnknown(line) && (
            <span>
              <svg class={`l${k + 1}`} aria-hidden="true" width="24" height="8">
                <path d="M0 4H24" />
              </svg>
              {line.name}
            </span>
          ),
      )}
    </p>
  );
}

type PlotProps = Pick<LinesProps, 'lines' | 'least'> & {
  days: readonly string[];
  band: Band | undefined;
  ticks: readonly number[];
  y: (value: number) => number;
};

/** The chart between the axis and the names, at the available width. */
function Plot({ days, lines, band, ticks, least, y }: PlotProps) {
  const share = (i: number) => i / Math.max(1, days.length - 1);
  const x = (i: number) => ACROSS * share(i);
  const percent = (i: number) => `${(100 * share(i)).toFixed(2)}%`;
  const every = Math.ceil(days.length / LABELS);
  return (
    <svg class="plot" aria-hidden="true" width="100%" height={HEIGHT}>
      {ticks.map(tick => (
        <line class="grid" x2="100%" y1={y(tick)} y2={y(tick)} />
      ))}
      {days.map((day, i) => {
        const fromLast = (days.length - 1 - i) / every;
        return (
          Number.isInteger(fromLast) && (
            // Every other label is hidden in narrow charts.
            <text
              x={percent(i)}
              y={BOTTOM + 20}
              text-anchor="middle"
              class={fromLast % 2 ? 'between' : undefined}
            >
              {monthOf(day)}
            </text>
          )
        );
      })}
      <svg
        aria-hidden="true"
        width="100%"
        height={HEIGHT}
        viewBox={`0 0 ${ACROSS} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {band && <path class="band" d={areaOf(band, x, y)} />}
        {lines.map(({ points }, k) => (
          <path class={`l${k + 1}`} d={pathOf(points, least, x, y)} />
        ))}
      </svg>
      {lines.map(({ points }, k) =>
        points.map(
          ({ value, n }, i) =>
            value !== null &&
            value <= ticks.at(-1)! &&
            (n ?? 0) < least && <circle class={`l${k + 1}`} cx={percent(i)} cy={y(value)} r="2.5" />,
        ),
      )}
    </svg>
  );
}

const isUnknown = ({ points }: Line): boolean => points.every(({ value }) => value === null);
const shortened = (name: string) => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name);

/** Mentions figures above the axis. */
const aboveWords = (beyond: number): string =>
  beyond === 0 ? '' : `${beyond} ${beyond === 1 ? 'figure is' : 'figures are'} above the top of the chart.`;

function unknownWords(lines: readonly Line[]): string {
  const names = lines.filter(isUnknown);
  return names.length === 0 ? '' : `No data for ${names.map(({ name }) => name).join('; ')}.`;
}

/** A line for the last twelve months, without an axis. Show the figure above it. */
export function Spark({ values }: { values: readonly (number | null)[] }) {
  const known = values.flatMap(value => value ?? []);
  if (known.length < 2) return null;
  const most = Math.max(...known, 1e-9);
  const points = values.flatMap((value, i) =>
    value === null ? [] : [`${(180 * i) / (values.length - 1)} ${34 - (32 * value) / most}`],
  );
  return (
    <svg class="spark" viewBox="0 0 180 36" preserveAspectRatio="none" aria-hidden="true">
      <path d={`M${points.join('L')}`} />
    </svg>
  );
}

/** Round steps of 1 or more. No more than five are needed to reach the value. */
function roundStep(value: number): { size: number; count: number } {
  const least = Math.max(1, value / MOST_TICKS);
  const power = 10 ** Math.floor(Math.log10(least));
  const size = power * [1, 2, 3, 4, 5, 6, 8, 10].find(times => times * power >= least - 1e-9)!;
  return { size, count: Math.max(1, Math.ceil(value / size - 1e-9)) };
}

/** Joins consecutive months with enough sales. */
function pathOf(
  points: readonly Point[],
  least: number,
  x: (i: number) => number,
  y: (value: number) => number,
): string {
  let joins = false;
  return points
    .map(({ value, n }, i) => {
      if (value === null || (n ?? 0) < least) {
        joins = false;
        return '';
      }
      const step = `${joins ? 'L' : 'M'}${x(i).toFixed(1)} ${y(value).toFixed(1)}`;
      joins = true;
      return step;
    })
    .join('');
}

function areaOf({ low, high }: Band, x: (i: number) => number, y: (value: number) => number): string {
  const at = (values: readonly (number | null)[]) =>
    values.flatMap((value, i) => (value === null ? [] : [`${x(i).toFixed(1)} ${y(value).toFixed(1)}`]));
  const [upper, lower] = [at(high), at(low).reverse()];
  return upper.length === 0 ? '' : `M${[...upper, ...lower].join('L')}Z`;
}

/** Places names next to the last figures of their lines, without overlaps. */
function placedNames(lines: readonly Line[], y: (value: number) => number) {
  const names = lines
    .flatMap(({ name, points }) => {
      const last = points.findLast(({ value }) => value !== null);
      return last === undefined ? [] : [{ name, at: Math.max(TOP, y(last.value!)) }];
    })
    .sort((a, b) => a.at - b.at);
  for (let i = 1; i < names.length; i++) names[i]!.at = Math.max(names[i]!.at, names[i - 1]!.at + NAME_PX);
  return names;
}
