/*
 * JSON.parse, except that whole numbers beyond 2^53 and the words NaN and Infinity become text. JSON.parse
 * rounds such numbers, which can turn two parcels into one, and rejects the words.
 */

/** A whole number of 16 digits or more. Decimals are excluded, because coordinates have as many digits. */
const LONG_NUMBER = /(?:^|[:,[\s-])\d{16}/;

const LONG_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const WORD_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity|inf)\b/gi;

/** @throws SyntaxError */
export function parseJson(text: string): unknown {
  const value = parseLoosely(text);
  return LONG_NUMBER.test(text) ? parseLoosely(quoted(text, LONG_TOKEN, isRounded)) : value;
}

/**
 * Parses a row. Checks only the values whose digits matter, because searching every row's text takes longer
 * than mapping the row.
 */
export function parseRow(text: string, valuesOf: (row: unknown) => unknown): unknown {
  const row = parseLoosely(text);
  return mayBeRounded(valuesOf(row)) ? parseJson(text) : row;
}

function mayBeRounded(values: unknown): boolean {
  if (typeof values !== 'object' || values === null) return false;
  for (const name in values) {
    const value = (values as Record<string, unknown>)[name];
    // Most values are strings and small numbers. For nested values, the text is searched.
    if (
      typeof value === 'number'
        ? Math.abs(value) > Number.MAX_SAFE_INTEGER
        : typeof value === 'object' && value
    )
      return true;
  }
  return false;
}

function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const words = quoted(text, WORD_TOKEN, () => true);
    if (words === text) throw error;
    return JSON.parse(words);
  }
}

/** The text, with numbers or words put in quotes if `isText` returns true for them. */
const quoted = (text: string, token: RegExp, isText: (token: string) => boolean): string =>
  text.replace(token, each =>
    each.startsWith('"') || !isText(each) ? each : `"${each.replace(/\.0*$/, '')}"`,
  );

const isRounded = (number: string): boolean =>
  /^-?\d{16,}(\.\d+)?$/.test(number) && !Number.isSafeInteger(Number(number));
