import type { VNode } from 'preact';
import { jsxEscape, jsxTemplate } from 'preact/jsx-runtime';

/** Markup that has already been escaped. */
class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type { Markup };

type Value = string | number | null | false | Markup | readonly Markup[];

/**
 * A template with escaped values. Attributes need double quotes. Use this for large tables, because 500 rows
 * would be 10,000 JSX elements.
 */
export function html(markup: TemplateStringsArray, ...values: readonly Value[]): Markup {
  let text = markup[0]!;
  for (let i = 0; i < values.length; i++) text += textOf(values[i]!) + markup[i + 1]!;
  return new Markup(text);
}

function textOf(value: Value): string {
  if (value === null || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return jsxEscape(value) as string;
}

/** Makes markup usable inside JSX elements. */
export const nodeOf = (parts: readonly Markup[]): VNode => jsxTemplate([textOf(parts)]);
