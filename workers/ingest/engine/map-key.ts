import { columnsOfPart, type KeyPart, type KeySpec } from '../../feeds/column-schema.ts';
import { damageOf } from '../../feeds/values/key-value.ts';
import { displayValue, tidyText } from '../../feeds/values/text-value.ts';
import { type RejectedRow, rejectRow } from './map-fields.ts';
import type { Resolve } from './source-columns.ts';

export const TOTAL_LINE = rejectRow('key', 'skipped', 'a line of totals, no parcel');

/** The key's texts joined, in upper case and without white space. Null when nothing remains. */
export function compileKey(
  spec: KeySpec,
  resolve: Resolve,
): (values: Record<string, unknown>) => string | null {
  const parts = spec.columns.map(part => compilePart(part, resolve));
  const { split } = spec;
  return values => {
    let key: string | null = null;
    for (const textOf of parts) {
      const text = textOf(values);
      if (split === undefined) key = append(key, text, spec);
      else for (const part of text.split(split)) key = append(key, part, spec);
    }
    return key !== null && hasContent(key, spec) ? key : null;
  };
}

/** Few keys can be damaged; the others cost one test. */
const MAY_BE_DAMAGED = /E\+?\d|-[A-Z]{3}|[A-Z]{3}-|:00/;

/** Rejects a row whose key a spreadsheet damaged: other parcels have the same key, or none knows it. */
export function compileKeyCheck(
  spec: KeySpec,
  resolve: Resolve,
): (values: Record<string, unknown>, key: string) => RejectedRow | null {
  const columns = keyColumns(spec).map(name => resolve(name) ?? name);
  return (values, key) => {
    const mayBe = MAY_BE_DAMAGED.test(key);
    for (const column of columns) {
      const raw = values[column];
      if (!mayBe && !(raw instanceof Date)) continue;
      const text = tidyText(raw);
      const damage = text === null ? null : damageOf(text, raw);
      if (damage) return rejectRow('key', damage.reason, `'${displayValue(text)}' ${damage.says}`);
    }
    return null;
  };
}

export const keyColumns = ({ columns }: KeySpec): string[] => columns.flatMap(columnsOfPart);

function compilePart(part: KeyPart, resolve: Resolve): (values: Record<string, unknown>) => string {
  const columns = columnsOfPart(part).map(name => resolve(name) ?? name);
  const [only] = columns;
  if (typeof part === 'string') return values => keyText(values[only!]);
  return values => {
    const text = columns
      .map(column => keyText(values[column]))
      .filter(Boolean)
      .join(part.join ?? '');
    return part.strip_leading_zeros ? text.replace(LEADING_ZEROS, '') : text;
  };
}

function append(key: string | null, text: string, spec: KeySpec): string | null {
  const part =
    spec.strip_leading_zeros && text.charCodeAt(0) === ZERO ? text.replace(LEADING_ZEROS, '') : text;
  if (spec.drop_empty && (part === '' || ONLY_ZEROS.test(part))) return key;
  return key === null ? part : key + (spec.join ?? '-') + part;
}

/** Whether a key has more than the separators of its parts. */
function hasContent(key: string, spec: KeySpec): boolean {
  return (
    key !== '' && (spec.columns.length === 1 || key !== (spec.join ?? '-').repeat(spec.columns.length - 1))
  );
}

const ZERO = 48;
const LEADING_ZEROS = /^0+(?=.)/;
const ONLY_ZEROS = /^0+$/;

function keyText(raw: unknown): string {
  const text = tidyText(raw);
  if (text === null) return '';
  return (text.includes(' ') ? text.replaceAll(' ', '') : text).toUpperCase();
}
