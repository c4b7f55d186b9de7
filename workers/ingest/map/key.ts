import type { KeySpec } from '../../feeds/column-schema.ts';
import { tidyText } from '../validate/text.ts';
import type { Resolve } from './names.ts';

type Values = Record<string, unknown>;

/**
 * A parcel's key: the texts of the key's columns without white space and in upper case, joined. Null when nothing is
 * left, which makes the row unusable.
 */
export function compileKey(spec: KeySpec, resolve: Resolve): (values: Values) => string | null {
  const columns = spec.columns.map(name => resolve(name) ?? name);
  const { split } = spec;
  return values => {
    let key: string | null = null;
    for (const column of columns) {
      const text = keyText(values[column]);
      if (split === undefined) key = append(key, text, spec);
      else for (const part of text.split(split)) key = append(key, part, spec);
    }
    return key !== null && hasContent(key, spec) ? key : null;
  };
}

function append(key: string | null, text: string, spec: KeySpec): string | null {
  const part =
    spec.strip_leading_zeros && text.charCodeAt(0) === ZERO ? text.replace(LEADING_ZEROS, '') : text;
  if (spec.drop_empty && (part === '' || ONLY_ZEROS.test(part))) return key;
  return key === null ? part : key + (spec.join ?? '-') + part;
}

/** Whether there is more to a key than what joins its parts. */
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
