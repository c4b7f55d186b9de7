import { Grid, Text } from '../frame/layout.tsx';

/** A figure at the end of a month, with the sales that it stands on. */
export type Point = { day: string; value: number | null; n: number | null };
export type Line = { name: string; points: readonly Point[] };
export type Band = { low: readonly (number | null)[]; high: readonly (number | null)[] };

type LinesProps = {
  title: string;
  note: string;
  lines: readonly Line[];
  /** The uncertainty of the first line. */
  band?: Band;
  shown: (value: number | null) => string;
  short: (value: number) => string;
  /** From so many sales on figures are joined to a line; others are dots. */
  least: number;
};

/** Pixels, at every width of the page; only the lines are stretched to the room that they have. */
const [HEIGHT, TOP, BOTTOM] = [220, 12, 190];
const AXIS_WIDTH = 48;
/** Units of the stretched drawing from side to side. */
const ACROSS = 1000;
const MOST_TICKS = 5;
const LABELS = 6;
/** Of the figures, those of few sales among them, the axis reaches at least so many. */
const USUAL_SHARE = 0.9;
/** Characters of a name beside its line. */
const MAX_NAME = 17;
/** Names at the ends of lines stand at least so far apart. */
const NAME_PX = 14;

const MONTH = new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' });
const monthOf = (day: string): string => MONTH.format(new Date(`${day}T00:00:00Z`));

/** Figures month by month, drawn above the table that they are drawn from. */
export function Lines({ title, note, lines, band, shown, short, least }: LinesProps) {
  const days = lines[0]!.points.map(({ day }) => day);
  const points = lines.flatMap(line => line.points);
  const known = points.flatMap(({ value }) => value ?? []);
  if (known.length === 0) return null;
  const carried = points.flatMap(({ value, n }) => (value !== null && (n ?? 0) >= least ? value : []));
  const highs = (band?.high ?? []).flatMap(value => value ?? []);
  // One sale of a small lot would press all others down.
  const usual = known.toSorted((a, b) => a - b)[Math.floor((known.length - 1) * USUAL_SHARE)]!;
  const step = roundStep(Math.max(usual, ...carried, ...highs));
  const most = step.size * step.count;
  const ticks = Array.from({ length: step.count + 1 }, (_, i) => step.size * i);
  const y = (value: number) => BOTTOM - ((BOTTOM - TOP) * Math.max(0, value)) / most;
  return (
    <figure class="lines card">
      <figcaption>{title}</figcaption>
      <div class="drawn" role="img" aria-label={`${title}; the table below has the figures`}>
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
        <summary>Figures of {title.toLowerCase()}</summary>
        <Grid
          name={`Figures of ${title.toLowerCase()}`}
          heads={[
            'Month',
            ...lines.flatMap(({ name }) => [name, 'Sales']),
            ...(band ? ['80 % range from', 'to'] : []),
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

/** Between the axis and the names, as wide as there is room. */
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
            // Every other one is left out where there is little room.
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

/** Of figures that the drawing has no room for. */
const aboveWords = (beyond: number): string =>
  beyond === 0 ? '' : `${beyond} ${beyond === 1 ? 'figure lies' : 'figures lie'} above the axis.`;

function unknownWords(lines: readonly Line[]): string {
  const names = lines.filter(isUnknown);
  return names.length === 0 ? '' : `Nothing is known of ${names.map(({ name }) => name).join('; ')}.`;
}

/** The last twelve months or so without an axis: never alone, its figure stands above it. */
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

/** Round steps, which whole numbers begin with, of which at most five reach the value. */
function roundStep(value: number): { size: number; count: number } {
  const least = Math.max(1, value / MOST_TICKS);
  const power = 10 ** Math.floor(Math.log10(least));
  const size = power * [1, 2, 3, 4, 5, 6, 8, 10].find(times => times * power >= least - 1e-9)!;
  return { size, count: Math.max(1, Math.ceil(value / size - 1e-9)) };
}

/** Joins months that follow one another and stand on enough sales. */
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

/** Each name beside the last known figure of its line, none over another. */
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
