import { acres } from '../../../shared/model/figures.ts';
import { ACCESS_LABELS, type RoadAccess, SLOPE_GRADES } from '../../../shared/model/land-layers.ts';
import { type Filter, labelOf } from '../../../shared/parcels/filter/declare-filter.ts';
import { switchOf } from './filter-switches.ts';
import { isOverlayParameter, overlaysOf, overlayWords } from './overlay-parameters.ts';
import { FILTER_BY_NAME, isoDay } from './read-filters.ts';

export type Chip = { words: string; names: readonly string[]; without: string };

const NO_CHIPS = new Set(['county', 'order']);
const MAX_CHARS = 40;

/** The active filters, except the county. Both bounds of a range share one chip. */
export function chipsOf(url: URL): Chip[] {
  const params = url.searchParams;
  const chips: Chip[] = [];
  for (const name of new Set(params.keys())) {
    const filter = FILTER_BY_NAME.get(name);
    const texts = params.getAll(name).filter(text => text.trim() !== '');
    if (filter === undefined || NO_CHIPS.has(name) || texts.length === 0) continue;
    const { range } = filter;
    const min = range && params.get(`${range.of}_min`);
    const isInMinChip = range?.bound === 'max' && min;
    if (isInMinChip) continue;
    const names = range ? [`${range.of}_min`, `${range.of}_max`] : [name];
    const words = range
      ? rangeWords(range.of, min ?? '', params.get(`${range.of}_max`) ?? '')
      : wordsOf(name, texts);
    chips.push({ words, names, without: without(url, names) });
  }
  return [...chips, ...overlayChip(url)];
}

/** All overlays share one chip, because they are one filter. */
function overlayChip(url: URL): Chip[] {
  const overlays = overlaysOf(url.searchParams);
  if (overlays.length === 0) return [];
  const names = [...new Set(url.searchParams.keys())].filter(isOverlayParameter);
  const words = overlays.map(overlayWords).join('; ');
  return [{ words, names: ['overlays', ...names], without: without(url, names) }];
}

function without(url: URL, names: readonly string[]): string {
  const params = new URLSearchParams(url.searchParams);
  for (const name of [...names, 'page']) params.delete(name);
  return `${url.pathname}?${params}`;
}

/** Units to write after values, unless the label includes them. */
const UNITS: Record<string, string> = { percent: '%', feet: ' ft', 'square feet': ' sq ft', acres: ' ac' };

/** Formats what the user typed. Text that isn't a number is left as is. */
function valueText({ type, unit, label }: Filter, text: string): string {
  if (type === 'date') return isoDay(text);
  if (unit === undefined || Number.isNaN(Number(text))) return text;
  const after = label.toLowerCase().includes(unit) ? '' : (UNITS[unit] ?? '');
  return `${unit === 'USD' ? '$' : ''}${acres(Number(text))}${after}`;
}

function rangeWords(of: string, min: string, max: string): string {
  const filter = FILTER_BY_NAME.get(`${of}_min`) ?? FILTER_BY_NAME.get(`${of}_max`)!;
  const { label } = filter;
  const figure = (text: string) => valueText(filter, text);
  const span =
    min === ''
      ? `up to ${figure(max)}`
      : max === ''
        ? `at least ${figure(min)}`
        : `${figure(min)} – ${figure(max)}`;
  if (label.toLowerCase() !== filter.unit) return `${label}: ${span}`;
  return `${span} ${span.endsWith(' 1') ? filter.unit.replace(/s$/, '') : filter.unit}`;
}

const ANSWERS: Record<string, string> = { true: 'yes', false: 'no', Y: 'yes', N: 'no' };

function wordsOf(name: string, texts: readonly string[]): string {
  const short = switchOf(name, texts.at(-1)!);
  if (short !== undefined) return short.label;
  const filter = FILTER_BY_NAME.get(name)!;
  const label = labelOf(filter);
  const isFlag = filter.type === 'boolean' && texts.at(-1) === 'true';
  if (name === 'geom_intersects' || name === 'list_id' || isFlag) return label;
  const textOf = (value: string) =>
    name === 'slope_area_index'
      ? `${SLOPE_GRADES[Number(value)] ?? value}%`
      : ((name === 'access' ? ACCESS_LABELS[value as RoadAccess] : ANSWERS[value]) ??
        valueText(filter, value));
  const text = texts.map(textOf).join('; ');
  return `${label}: ${text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text}`;
}
