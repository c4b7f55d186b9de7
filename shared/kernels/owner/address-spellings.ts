import { DIRECTIONS } from './street.ts';
import { ABBREVIATIONS } from './suffixes.ts';

/** Spellings found on rolls that aren't in Publication 28: 12 NO MAIN ST, HALFMOON PD RD. */
const OTHERS: [spelling: string, short: string][] = [
  ['NO', 'N'],
  ['SO', 'S'],
  ['HGTS', 'HTS'],
  ['PD', 'PND'],
  ['POND', 'PND'],
];
const SHORT_OF = new Map([...ABBREVIATIONS, ...DIRECTIONS, ...OTHERS]);

const spellings = new Map<string, string[]>();
for (const [spelling, short] of SHORT_OF)
  spellings.set(short, [...new Set([...(spellings.get(short) ?? [short]), spelling])]);

/** All spellings of a word in an address: STREET, ST, STR, and STRT. @param word in uppercase */
export const spellingsOf = (word: string): readonly string[] =>
  spellings.get(SHORT_OF.get(word) ?? word) ?? [word];

/** All spellings of every word that starts with the text: STREE matches STREET, which rolls write as ST. */
export function spellingsOfPrefix(beginning: string): readonly string[] {
  const shorts = [...SHORT_OF]
    .filter(([spelling]) => spelling.startsWith(beginning))
    .map(([, short]) => short);
  return [...new Set([beginning, ...shorts].flatMap(spellingsOf))];
}
