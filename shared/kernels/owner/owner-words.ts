/**
 * The words of names, for all filters that match words: uppercase, without accents or apostrophes, and
 * separated by any other punctuation. One table defines the words, so that PostgreSQL's translate() returns
 * the same words under any locale.
 */

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '0123456789';
const MARKS = '!"#$%&()*+,-./:;<=>?@[\\]^_{|}~';
/** Non-breaking spaces, typographic symbols, and the dashes and quotes that word processors insert. */
const PRINT_MARKS = '\u00a0¡¦§©«¬®°±¶·»¿÷×‐‑‒–—―“”„•…′″';
/** Apostrophes, accents typed as apostrophes, and soft hyphens. */
const APOSTROPHES = "'`´‘’‚ʼ\u00ad";
/** Characters to delete: apostrophes, and the combining accents in decomposed text. */
const DELETED = `${APOSTROPHES}\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327\u0328`;
const STROKED: Record<string, string> = { Ø: 'O', ø: 'O', Ł: 'L', ł: 'L', Đ: 'D', đ: 'D', ı: 'I' };

/** Control characters: U+0001 to U+001F, and U+007F. PostgreSQL text can't contain U+0000. */
const CONTROLS = `${Array.from({ length: 31 }, (_, index) => String.fromCharCode(index + 1)).join('')}\u007f`;

/** Letters in Latin-1 and Latin Extended-A (À to ž) with their replacements. */
function accentedLetters(): [from: string, to: string][] {
  const pairs: [string, string][] = [];
  for (let code = 0xc0; code <= 0x17f; code++) {
    const letter = String.fromCharCode(code);
    const base = STROKED[letter] ?? letter.normalize('NFD').charAt(0).toUpperCase();
    if (base !== letter && base.length === 1) pairs.push([letter, base]);
  }
  return pairs;
}

/** Arguments for translate(), which searches `from` in order, so common characters come first. */
export const WORD_TABLE: { from: string; to: string } = (() => {
  const accented = accentedLetters();
  const separators = MARKS + CONTROLS + PRINT_MARKS;
  const kept = ` ${LETTERS}${DIGITS}`;
  return {
    from: kept + LETTERS.toLowerCase() + separators + accented.map(pair => pair[0]).join('') + DELETED,
    to: kept + LETTERS + ' '.repeat(separators.length) + accented.map(pair => pair[1]).join(''),
  };
})();

const SPACE = 32;
const GONE = 0xffff;
/** The replacement by UTF-16 code unit, or 0 if unchanged. All characters in the table are below U+2100. */
const CODES = new Uint16Array(0x2100);
CODES[0] = SPACE;
for (let i = 0; i < WORD_TABLE.from.length; i++) {
  const from = WORD_TABLE.from.charCodeAt(i);
  const to = i < WORD_TABLE.to.length ? WORD_TABLE.to.charCodeAt(i) : GONE;
  if (from !== to || to === SPACE) CODES[from] = to;
}

const IS_PLAIN = /^[A-Z0-9]+(?: [A-Z0-9]+)*$/;

/** The words in a text, separated by single spaces; '' if there are none. */
export function wordsOf(text: string): string {
  if (IS_PLAIN.test(text)) return text;
  let words = '';
  let pending = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const to = (code < CODES.length ? CODES[code]! : 0) || code;
    if (to === GONE) continue;
    if (to === SPACE) {
      pending = words !== '';
      continue;
    }
    if (pending) words += ' ';
    pending = false;
    words += to === code ? text[i] : String.fromCharCode(to);
  }
  return words;
}

const APOSTROPHE = new RegExp(`[${APOSTROPHES}]`, 'g');

/** Normalizes names like `fold_name` in the database: O'BRIEN and OBRIEN are the same. */
export const withoutApostrophes = (text: string): string => text.replace(APOSTROPHE, '');

export const likeLiteral = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/**
 * An SQL expression equal to ` ${wordsOf(column)} `; '  ' if there are no words, null for null. To match
 * whole words, use `${wordsSql('p.owner_name')} like any ($1::text[])` with $1 = wordPatterns(words).
 * @param column a trusted column name
 */
export function wordsSql(column: string): string {
  const words = `translate(${column}, ${quoted(WORD_TABLE.from)}, ${quoted(WORD_TABLE.to)})`;
  // Collapses runs of spaces: puts a control character after each space, deletes it together with a following
  // space, then deletes the rest. The table has already replaced all control characters in the text.
  return `' ' || btrim(replace(replace(replace(${words}, ' ', U&' \\0001'), U&'\\0001 ', ''), U&'\\0001', '')) || ' '`;
}

/** LIKE patterns that match these words in wordsSql(…). Words contain no metacharacters. */
export function wordPatterns(words: readonly string[]): string[] {
  return [...new Set(words.map(wordsOf))].filter(word => word !== '').map(word => `% ${word} %`);
}
