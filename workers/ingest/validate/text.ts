/**
 * Words that rolls write where they mean "nothing", compared in upper case. 'NA' and 'UNKNOWN' are left alone: the
 * first is also a code and a surname, the second is something that somebody recorded.
 */
const NULL_WORDS = new Set(['NULL', '<NULL>', '(NULL)', 'N/A', '#N/A', 'NONE', 'NAN']);
const LONGEST_NULL_WORD = 6;

/** Looked at first: upper-casing every short text costs a third of the mapping's time. */
const MAY_BE_NULL_WORD = /^[Nn<(#]/;

const UNTIDY = /[\0\t\n\v\f\r]|\s\s/;

/**
 * The text of any value of a source: trimmed, inner white space collapsed, NUL characters removed; null for
 * nothing, for white space alone and for the usual null words. Lists are joined by ', '.
 */
export function tidyText(raw: unknown): string | null {
  if (typeof raw !== 'string') return tidyOther(raw);
  let text = raw.trim();
  if (UNTIDY.test(text)) text = text.replaceAll('\0', '').replace(/\s+/g, ' ').trim();
  if (text === '') return null;
  return text.length <= LONGEST_NULL_WORD && isNullWord(text) ? null : text;
}

function isNullWord(text: string): boolean {
  return MAY_BE_NULL_WORD.test(text) && NULL_WORDS.has(text.toUpperCase());
}

function tidyOther(raw: unknown): string | null {
  if (raw === null || raw === undefined) return null;
  if (typeof raw === 'number') return Number.isNaN(raw) ? null : String(raw);
  if (typeof raw === 'boolean' || typeof raw === 'bigint') return String(raw);
  if (raw instanceof Date) return Number.isNaN(raw.getTime()) ? null : raw.toISOString();
  if (Array.isArray(raw)) {
    return (
      raw
        .map(tidyText)
        .filter(text => text !== null)
        .join(', ') || null
    );
  }
  return JSON.stringify(raw);
}
