import {
  type ColumnChoices,
  MAX_VALUE_CHARS,
  MAX_VALUES,
  type Meanings,
  type ValueMeanings,
} from '../../shared/feeds/file-feeds.ts';
import type { ColumnSpec } from '../feeds/column-schema.ts';
import { PARCEL_SPECS, PARCEL_TARGETS, type ParcelTarget } from '../feeds/parcel-targets.ts';
import { fitOf } from '../feeds/suggest/column-fit.ts';
import { type Candidate, profileOf } from '../feeds/suggest/column-profile.ts';
import type { Sample, Suggestion, Suggestions } from '../feeds/suggest/suggest-columns.ts';
import { isFailure, tidyText } from '../feeds/values/text-value.ts';
import { compileColumn } from '../ingest/engine/map-column.ts';

const BY_HAND = 'chosen by hand';

/** Suggestions with a person's choices applied. Other fields stay unchanged. */
export function correctSuggestions(
  found: Suggestions,
  sample: Sample,
  { key, columns: chosen, meanings }: ColumnChoices,
): Suggestions {
  const fields = PARCEL_TARGETS.flatMap((field): Suggestion[] => {
    const was = found.fields.find(each => each.field === field);
    const columns = chosen[field];
    if (columns === undefined) return was ? [was] : [];
    if (columns.length === 0) return [{ field, mapped: null, others: [] }];
    const candidates = was ? [was.mapped, ...was.others].filter(each => each !== null) : [];
    const mapped = candidates.find(each => same(each.columns, columns)) ?? byHand(field, columns, sample);
    const spec = withMeanings(field, mapped.spec, meanings?.[field], sample);
    return [{ field, mapped: { ...mapped, spec }, others: candidates.filter(each => each !== mapped) }];
  });
  return { key: key === null ? null : keyOf(found, sample, key), fields };
}

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name, i) => name === b[i]);

/** A candidate for a column that a person chose. The values determine its date format or unit. */
function byHand(field: ParcelTarget, columns: string[], { columns: all, acres }: Sample): Candidate {
  const [only, ...more] = columns;
  const source = more.length === 0 ? all.find(({ name }) => name === only) : undefined;
  const { unit, ...spec } =
    (source && fitOf(field, profileOf(source.name, undefined, source.values), acres)?.spec) ?? {};
  return {
    field,
    columns,
    spec:
      more.length === 0 ? { column: only!, ...spec, ...(unit && unit !== 'acres' && { unit }) } : { columns },
    confidence: 1,
    why: BY_HAND,
  };
}

function keyOf(found: Suggestions, { columns }: Sample, name: string): Candidate {
  if (found.key && same(found.key.columns, [name])) return found.key;
  const values = columns.find(each => each.name === name)?.values ?? [];
  const { filled, distinct } = profileOf(name, undefined, values);
  const why = `${BY_HAND}, ${distinct} different in ${filled.length} rows`;
  return { field: 'apn', columns: [name], spec: { column: name }, confidence: 1, why };
}

type Flag = boolean | null;

const flagOf = (means: string | undefined): Flag =>
  means === 'true' ? true : means === 'false' ? false : null;
const textOf = (flag: unknown): Meanings['otherwise'] =>
  flag === true ? 'true' : flag === false ? 'false' : '';

/**
 * How a flag's or code's values are currently read. Null for other fields, and if there are too many codes.
 */
export function meaningsOf(field: ParcelTarget, spec: ColumnSpec, { columns }: Sample): ValueMeanings | null {
  const { type } = PARCEL_SPECS[field];
  const kind = type === 'boolean' ? 'flag' : type === 'text' && field.endsWith('_code') ? 'code' : null;
  const source = columns.find(({ name }) => name === spec.column);
  if (kind === null || source === undefined) return null;
  const counted = countTexts(source.values);
  const shown = counted.filter(({ text }) => text.length <= MAX_VALUE_CHARS).slice(0, MAX_VALUES);
  const others = counted.length - shown.length;
  if (shown.length === 0 || (kind === 'code' && others > 0)) return null;
  const read = readerOf(field, spec);
  const values = shown.map(({ text, count }) => {
    const value = read(text);
    return {
      text,
      count,
      means: kind === 'flag' ? textOf(value) : value === text ? '' : String(value ?? ''),
    };
  });
  return { kind, column: source.name, values, others, otherwise: textOf(spec.otherwise) };
}

export function withMeanings(
  field: ParcelTarget,
  spec: ColumnSpec,
  given: Meanings | undefined,
  sample: Sample,
): ColumnSpec {
  if (given === undefined || given.column !== spec.column) return spec;
  const now = meaningsOf(field, spec, sample);
  if (now === null || isSame(now, given)) return spec;
  const { values: _values, contains: _contains, otherwise: _otherwise, ...plain } = spec;
  const entries = Object.entries(given.values);
  if (now.kind === 'code') {
    const values = Object.fromEntries(entries.filter(([, means]) => means !== ''));
    return Object.keys(values).length === 0 ? plain : { ...plain, values };
  }
  const otherwise = flagOf(given.otherwise);
  const flags = entries.map(([text, means]) => [text, flagOf(means)] as const);
  const read = readerOf(field, plain);
  if (otherwise === null && flags.every(([text, flag]) => read(text) === flag)) return plain;
  return { ...plain, values: Object.fromEntries(flags.filter(([, flag]) => flag !== otherwise)), otherwise };
}

/** Reads a value as the field would. Null if the value can't be used. */
function readerOf(field: ParcelTarget, spec: ColumnSpec): (text: string) => unknown {
  const compiled = compileColumn({ name: field, spec: PARCEL_SPECS[field] }, spec, name => name);
  return text => {
    const value = compiled?.read({ [spec.column!]: text }) ?? null;
    return isFailure(value) ? null : value;
  };
}

/** Counts values without regard to case, as feeds read them. */
function countTexts(values: readonly unknown[]): { text: string; count: number }[] {
  const counted = new Map<string, { text: string; count: number }>();
  for (const value of values) {
    const text = tidyText(typeof value === 'object' ? null : value);
    if (text === null) continue;
    const known = counted.get(text.toUpperCase());
    if (known === undefined) counted.set(text.toUpperCase(), { text, count: 1 });
    else known.count++;
  }
  return [...counted.values()].sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1));
}

const isSame = (now: ValueMeanings, given: Meanings): boolean =>
  now.otherwise === given.otherwise && now.values.every(({ text, means }) => given.values[text] === means);
