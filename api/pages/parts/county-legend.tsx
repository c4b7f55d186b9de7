import { count } from '../../../shared/model/figures.ts';

export type CountyClass = { from: number; words: string; counties: number };

/** Up to five classes with about the same number of counties, starting at round numbers. */
export function classifyCounties(values: readonly number[], shown: (value: number) => string): CountyClass[] {
  if (values.length === 0) return [];
  const sorted = values.toSorted((a, b) => a - b);
  const [lowest, highest] = [sorted[0]!, sorted.at(-1)!];
  const fifths = [0.2, 0.4, 0.6, 0.8].map(share => roundTo2(sorted[Math.floor(share * sorted.length)]!));
  const breaks: number[] = [];
  for (const value of fifths) {
    const from = breaks.at(-1) ?? lowest;
    if (value <= highest && sorted.some(one => from <= one && one < value)) breaks.push(value);
  }
  const words = breaks.length > 0 ? rangesOf(breaks, shown) : [rangeOf(lowest, highest, shown)];
  const classes = words.map((text, i) => ({
    from: breaks[i - 1] ?? Number.NEGATIVE_INFINITY,
    words: text,
    counties: 0,
  }));
  for (const value of values) classes[classOf(classes, value)]!.counties++;
  return classes;
}

/** Rounds to two digits. Rounder figures would make the classes uneven. */
const roundTo2 = (value: number): number => Number(value.toPrecision(2));

const rangeOf = (low: number, high: number, shown: (value: number) => string): string =>
  shown(low) === shown(high) ? shown(low) : spanOf(low, high, shown);

/** A dash next to a minus sign would be hard to read. */
const spanOf = (low: number, high: number, shown: (value: number) => string): string =>
  `${shown(low)} ${low < 0 ? 'to' : '–'} ${shown(high)}`;

export const classOf = (classes: readonly CountyClass[], value: number): number =>
  classes.findLastIndex(({ from }) => from <= value);

/** CSS color variables, from the lowest class to the highest. */
const RAMPS: readonly (readonly string[])[] = [
  [],
  ['k3'],
  ['k2', 'k4'],
  ['k1', 'k3', 'k5'],
  ['k1', 'k2', 'k4', 'k5'],
  ['k1', 'k2', 'k3', 'k4', 'k5'],
];

export const colorsOf = (classes: readonly CountyClass[]): readonly string[] => RAMPS[classes.length]!;

const countyCount = (counties: number): string =>
  `${count(counties)} ${counties === 1 ? 'county' : 'counties'}`;

export type LegendProps = { title: string; classes: readonly CountyClass[]; unknown?: string | undefined };

/** The amounts that the county colors represent, with the number of counties that have each color. */
export function CountyLegend({ title, classes, unknown }: LegendProps) {
  const colors = colorsOf(classes);
  return (
    <div class="legend counties" id="legend">
      <h2>
        {title} {classes.length > 1 && <small>counties</small>}
      </h2>
      <ol>
        {classes.map(({ words, counties }, i) => (
          <li>
            <i class={`swatch ${colors[i]}`} />
            <span>{words}</span>
            <small>{classes.length > 1 ? count(counties) : countyCount(counties)}</small>
          </li>
        ))}
      </ol>
      <small>No color: {unknown ?? 'unknown'}</small>
      <output id="hovered" />
    </div>
  );
}

export function rangesOf(breaks: readonly number[], shown: (figure: number) => string): string[] {
  if (breaks.length === 0) return ['All'];
  return [
    `under ${shown(breaks[0]!)}`,
    ...breaks.slice(1).map((to, i) => spanOf(breaks[i]!, to, shown)),
    `${shown(breaks.at(-1)!)} or more`,
  ];
}
