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
  const join = spec.join ?? '-';
  const strip = spec.strip_leading_zeros ?? false;
  const drop = spec.drop_empty ?? false;
  const { split } = spec;
  return values => {
    let key: string | null = null;
    let anything = false;
    const add = (text: string): void => {
      const part = strip && text.startsWith('0') ? text.replace(/^0+(?=.)/, '') : text;
      if (drop && isNothing(part)) return;
      if (part !== '') anything = true;
      key = key === null ? part : key + join + part;
    };
    for (const column of columns) {
      const text = keyText(values[column]);
      if (split === undefined) add(text);
      else for (const part of text.split(split)) add(part);
    }
    return anything ? key : null;
  };
}

function keyText(raw: unknown): string {
  const text = tidyText(raw);
  if (text === null) return '';
  return (text.includes(' ') ? text.replaceAll(' ', '') : text).toUpperCase();
}

const isNothing = (part: string): boolean => part === '' || /^0+$/.test(part);
