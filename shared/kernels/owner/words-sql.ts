import { WORD_TABLE, wordsOf } from './words.ts';

/**
 * Whole words in SQL, by the definition of words.ts. The predicate is
 *
 *   ${wordsSql('p.owner_name')} like any ($1::text[])      with $1 = wordPatterns(words)
 *
 * It is unknown for a name that is unknown; a filter that excludes keeps those: `not coalesce(…, false)`. No regular
 * expression and no upper(): neither is the same on every server's locale.
 */

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/**
 * An SQL expression for the words of a text column with one space between them and one at each end. Equal to
 * ` ${wordsOf(column)} ` for every text; '  ' when there is no word, null for null.
 * @param column a column's name, trusted: it goes into the statement as it stands
 */
export function wordsSql(column: string): string {
  const words = `translate(${column}, ${quoted(WORD_TABLE.from)}, ${quoted(WORD_TABLE.to)})`;
  // Runs of spaces become one: every space is followed by a mark, a mark by a space goes with it, then all marks go.
  // The mark is a control character, which the table has turned into a space.
  return `' ' || btrim(replace(replace(replace(${words}, ' ', U&' \\0001'), U&'\\0001 ', ''), U&'\\0001', '')) || ' '`;
}

/** LIKE patterns that find these words in wordsSql(…). Words have no metacharacters left. */
export function wordPatterns(words: readonly string[]): string[] {
  return [...new Set(words.map(wordsOf))].filter(word => word !== '').map(word => `% ${word} %`);
}
