import { type InputSection, type InputSpec, inputSpec } from '../formats/format-input.ts';
import type { ColumnSpec, Condition, PlainColumn } from './column-schema.ts';
import type { Columns, MappedInput } from './feed.ts';
import { isFailure } from './values/text-value.ts';
import { fieldParser, type TargetSpec } from './values/value-parser.ts';

export const alternatives = (spec: ColumnSpec): PlainColumn[] =>
  spec.first_of?.map(item => (typeof item === 'string' ? { column: item } : item)) ?? [spec];

export function columnNamesOf(spec: PlainColumn): string[] {
  const names = spec.columns ?? (spec.column === undefined ? [] : [spec.column]);
  return typeof spec.unit === 'object' ? [...names, spec.unit.column] : names;
}

export function sourceColumns(spec: ColumnSpec): string[] {
  return [...new Set(alternatives(spec).flatMap(columnNamesOf))];
}

type Given = string | ColumnSpec | null | undefined;

/**
 * The feed's own columns override those of a preset. Preset columns may be missing from a file. Null removes
 * a column.
 */
export function mergeColumns<Target extends string>(
  preset: Partial<Record<Target, Given>>,
  own: Partial<Record<Target, Given>>,
): Columns<Target> {
  const merged: Columns<Target> = {};
  for (const [target, spec] of entries(preset)) {
    if (spec != null && own[target] === undefined) merged[target] = { ...longForm(spec), optional: true };
  }
  for (const [target, spec] of entries(own)) {
    if (spec != null) merged[target] = longForm(spec);
  }
  return merged;
}

type MappedSection = InputSection & { columns?: object | undefined; skip_where?: Condition[] | undefined };

export function mappedInput<Target extends string>(
  section: MappedSection,
  preset: { columns: Partial<Record<string, Given>>; skip_where?: Condition[] } | null = null,
  within: Pick<InputSpec, 'within'> = {},
): MappedInput<Target> {
  const inherited = preset?.skip_where ?? [];
  return {
    input: { ...inputSpec(section), ...within },
    columns: mergeColumns<Target>(preset?.columns ?? {}, section.columns ?? {}),
    skipWhere: [...inherited.map(test => ({ ...test, optional: true })), ...(section.skip_where ?? [])],
  };
}

const entries = <Target extends string>(columns: Partial<Record<Target, Given>>): [Target, Given][] =>
  Object.entries(columns) as [Target, Given][];

const longForm = (spec: string | ColumnSpec): ColumnSpec =>
  typeof spec === 'string' ? { column: spec } : spec;

export type FieldTarget = { name: string; spec: TargetSpec };

/** The fields of a feed kind's rows. */
export type RowFields = {
  /** In the same order as a row's values. */
  names: readonly string[];
  /** Targets that columns can be mapped to: the fields above, and a few others. */
  specs: Readonly<Partial<Record<string, TargetSpec>>>;
  /** Whether messages mask values that could not be used. */
  isPersonal?: true;
};

export const rowFields = (specs: Readonly<Record<string, TargetSpec>>): RowFields => ({
  names: Object.keys(specs),
  specs,
});

export const fieldTarget = ({ specs }: RowFields, name: string): FieldTarget => ({
  name,
  spec: specs[name] ?? { type: 'text', doc: '' },
});

const OF_ADDRESSES = new Set(['text', 'state', 'zip']);
const NUMERIC = new Set(['number', 'integer', 'money', 'year', 'degrees']);

/** Whether a mapping replaces the source's values. */
export const recodes = ({ values, contains, ranges, otherwise }: PlainColumn): boolean =>
  (values ?? contains ?? ranges ?? otherwise) !== undefined;

/** Returns what is wrong with a mapping regardless of the source, such as a date format for a price. */
export function columnProblem(target: FieldTarget, spec: ColumnSpec): string | null {
  const { type, unit } = target.spec;
  for (const way of alternatives(spec)) {
    if (way.date !== undefined && type !== 'date') return `date applies only to dates, and this is a ${type}`;
    if (way.scale !== undefined && !NUMERIC.has(type))
      return `scale applies only to numbers, and this is a ${type}`;
    if (way.sum && !NUMERIC.has(type)) return `sum applies only to numbers, and this is a ${type}`;
    if (way.part !== undefined && !OF_ADDRESSES.has(type))
      return `part applies only to addresses, cities, states, and ZIP codes, and this is a ${type}`;
    if (way.part !== undefined && way.value !== undefined) return 'part needs a column';
    if (way.sum && way.columns === undefined) return 'sum needs columns';
    if (way.unit !== undefined && unit !== 'acres' && unit !== 'square feet')
      return 'unit applies only to areas';
    if (way.unit !== undefined && recodes(way))
      return 'unit cannot be combined with values, contains, ranges, or otherwise';
    const parse = fieldParser(target.name, target.spec, { date: way.date, lastYear: 9999 });
    const constants = [
      way.value,
      way.otherwise,
      ...Object.values(way.values ?? {}),
      ...Object.values(way.contains ?? {}),
      ...(way.ranges ?? []).map(({ value }) => value),
    ];
    for (const constant of constants) {
      const parsed = constant === undefined ? null : parse(constant);
      if (isFailure(parsed)) return `'${constant}' ${parsed.says}`;
    }
  }
  return null;
}
