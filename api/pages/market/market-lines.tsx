import { Grid } from '../frame/layout.tsx';

/** A figure at the end of a month, with the sales that it stands on. */
export type Point = { day: string; value: number | null; n: number | null };
export type Line = { name: string; points: readonly Point[] };
export type Band = { low: readonly (number | null)[]; high: readonly (number | null)[] };

type LinesProps = {
  title: string;
  /** What the figures are of, below the drawing. */
  note: string;
  lines: readonly Line[];
  /** The uncertainty of the first line. */
  band?: Band;
  shown: (value: number | null) => string;
  /** The same on the axis. */
  short: (value: number) => string;
  /** From so many sales on figures are joined to a line; others are dots. */
  least: number;
};

const [WIDTH, HEIGHT] = [560, 220];
const PLOT = { left: 48, right: 440, top: 12, bottom: 190 };
const MOST_TICKS = 5;
const LABELS = 6;
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
  const step = roundStep(Math.max(...(carried.length > 0 ? carried : known), ...highs));
  const most = step.size * step.count;
  const ticks = Array.from({ length: step.count + 1 }, (_, i) => step.size * i);
  const beyond = known.filter(value => value > most).length;
  const x = (i: number) => PLOT.left + ((PLOT.right - PLOT.left) * i) / Math.max(1, days.length - 1);
  const y = (value: number) => PLOT.bottom - ((PLOT.bottom - PLOT.top) * Math.max(0, value)) / most;
  const names = placedNames(lines, y);
  const every = Math.ceil(days.length / LABELS);
  return (
    <figure class="lines card">
      <figcaption>{title}</figcaption>
      <section class="linebox" aria-label={`${title}, drawn`} tabindex={0}>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          role="img"
          aria-label={`${title}; the table below has the figures`}
        >
          {ticks.map(tick => (
            <>
              <path class="grid" d={`M${PLOT.left} ${y(tick)}H${PLOT.right}`} />
              <text x={PLOT.left - 8} y={y(tick) + 4} text-anchor="end">
                {short(tick)}
              </text>
            </>
          ))}
          {days.map(
            (day, i) =>
              (days.length - 1 - i) % every === 0 && (
                <text x={x(i)} y={PLOT.bottom + 20} text-anchor="middle">
                  {monthOf(day)}
                </text>
              ),
          )}
          {band && <path class="band" d={areaOf(band, x, y)} />}
          {lines.map(({ points }, k) => (
            <g class={`l${k + 1}`}>
              <path d={pathOf(points, least, x, y)} />
              {points.map(
                ({ value, n }, i) =>
                  value !== null &&
                  value <= most &&
                  (n ?? 0) < least && <circle cx={x(i)} cy={y(value)} r="2.5" />,
              )}
            </g>
          ))}
          {ticks.map(tick => (
            <text class="near" x={PLOT.right} y={y(tick) - 3} text-anchor="end">
              {short(tick)}
            </text>
          ))}
          {names.map(({ name, at, k }) => (
            <text class={`name n${k + 1}`} x={PLOT.right + 10} y={at + 4}>
              {name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name}
            </text>
          ))}
        </svg>
      </section>
      <p class="soft">
        {note}
        {beyond > 0 && ` ${beyond} of them lie above the axis: see the figures.`}
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
    .flatMap(({ name, points }, k) => {
      const last = points.findLast(({ value }) => value !== null);
      return last === undefined ? [] : [{ name, k, at: y(last.value!) }];
    })
    .sort((a, b) => a.at - b.at);
  for (let i = 1; i < names.length; i++) names[i]!.at = Math.max(names[i]!.at, names[i - 1]!.at + NAME_PX);
  return names;
}
