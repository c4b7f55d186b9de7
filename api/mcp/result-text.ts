import { METRICS, type MetricKey } from '../../shared/model/market-metrics.ts';
import { ALL_FIELDS, FIELD_GROUPS, fieldsIn } from '../../shared/model/parcel-fields.ts';
import { textOf, truncate } from './tool-text.ts';

/** By tool, the text for results that would read poorly as a list of their fields. */

type Fields = Record<string, unknown>;

type Bucket = { type: string; listings: number; data: Record<string, number | null> };

/** The figures that investors compare first. The others are in the structured content. */
const KEY_FIGURES: readonly MetricKey[] = [
  'Active',
  'Pending',
  'Sold: 1yr',
  '1yr STR',
  'Avg DOM 1yr',
  'Median Price 1yr',
  'Median Sold PPA',
  'Median Active PPA',
];

const nameInUnit = (key: MetricKey): string => {
  const { unit } = METRICS[key];
  return unit ? `${key} (${unit})` : key;
};

function marketStats({ name, state, type, as_of, stats }: Fields): string {
  const buckets = stats as Bucket[];
  const place = type === 'zip' ? `ZIP ${name}, ${state}` : `${name} County, ${state}`;
  if (buckets.length === 0) return `${place}: no listings.`;
  const [{ data }] = buckets as [Bucket];
  const others = Object.keys(data).length - KEY_FIGURES.length;
  return [
    `${place}, as of ${as_of}. Acreage buckets overlap. STR = sell-through rate: sold per 100 active.`,
    ['bucket', ...KEY_FIGURES.map(nameInUnit)].join(' | '),
    ...buckets.map(bucket => [bucket.type, ...KEY_FIGURES.map(key => figure(bucket.data[key]))].join(' | ')),
    `${others} more figures per bucket are in the structured content. plat://statistics explains them.`,
  ].join('\n');
}

/** Cents don't matter for large amounts. */
const figure = (value: number | null | undefined) =>
  value === null || value === undefined ? '' : String(value >= 1_000 ? Math.round(value) : value);

type Filter = { name: string; type: string; unit: string | null; values: unknown[] | null };

/** Only names, by type. The filter_properties tool describes each one. */
function filters({ filters: all }: Fields): string {
  const groups = new Map<string, string[]>();
  const names = new Set((all as Filter[]).map(({ name }) => name));
  for (const { name, type, unit, values } of all as Filter[]) {
    if (name.endsWith('_max') && names.has(name.replace(/_max$/, '_min'))) continue;
    const kind = unit === null ? type : `${type} in ${unit}`;
    const range = names.has(name.replace(/_min$/, '_max')) && name.endsWith('_min');
    const shown = `${range ? name.replace(/_min$/, '_min/_max') : name}${values === null ? '' : ` (${values.join(', ')})`}`;
    groups.set(kind, [...(groups.get(kind) ?? []), shown]);
  }
  return [...groups].map(([kind, members]) => `${kind}: ${members.join(', ')}`).join('\n');
}

function parcel(answer: Fields): string {
  const others = Object.entries(answer).filter(([name]) => !(name in ALL_FIELDS));
  const groups = FIELD_GROUPS.flatMap(group => {
    const fields = fieldsIn(group).flatMap(([name]): [string, unknown][] =>
      answer[name] === null || answer[name] === undefined ? [] : [[name, answer[name]]],
    );
    return fields.length === 0 ? [] : [`${group}:`, textOf(Object.fromEntries(fields), {})];
  });
  return [textOf(Object.fromEntries(others), {}), ...groups].join('\n');
}

const DESCRIBED: Readonly<Record<string, (answer: Fields) => string>> = {
  get_market_stats: marketStats,
  get_property: parcel,
  list_filters: filters,
};

/** Fields that are redundant, and ids that no other tool accepts. */
const OMITTED: Readonly<Record<string, readonly string[]>> = {
  get_owner_portfolio: ['source_parcel'],
  get_property_ai_comp_value: ['id'],
  list_comps: ['id'],
};

export function describeResult(tool: string, answer: Fields, query: Fields): string {
  const describe = DESCRIBED[tool];
  return describe === undefined ? textOf(answer, query, OMITTED[tool]) : truncate(describe(answer));
}
