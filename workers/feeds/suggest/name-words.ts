/** The meaning of each word. If a word has several meanings, the first one applies. */
export type Vocabulary = ReadonlyMap<string, string>;

export function vocabularyOf(ideas: Readonly<Record<string, string>>): Vocabulary {
  const words = new Map<string, string>();
  for (const [idea, names] of Object.entries(ideas))
    for (const word of names.split(' ')) if (!words.has(word)) words.set(word, idea);
  return words;
}

export type NameParts = { ideas: Set<string>; known: number };

/**
 * The parts between separators or capitals. Only the last part of a qualified name counts: SDE.PARCELS.PIN.
 */
function wordsOf(name: string): string[] {
  const own =
    name
      .replace(/\(\)$| \(column \d+\)_*$/, '')
      .split('.')
      .filter(Boolean)
      .at(-1) ?? '';
  return own
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replace(/(^|[^a-z])([a-z])(\d)/gi, '$1$2 $3')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}

/** A name's meanings in a vocabulary, and the share of its letters that they explain. */
export function matchVocabulary(name: string, vocabulary: Vocabulary): NameParts {
  const words = wordsOf(name);
  // Words can also be separated inside a name: FIN_SQ_FT, MAP_LOT.
  const [apart, together] = [readWords(words, vocabulary), readWords([words.join('')], vocabulary)];
  return vocabulary.has(words.join('')) || together.known > apart.known ? together : apart;
}

function readWords(words: readonly string[], vocabulary: Vocabulary): NameParts {
  const cuts = words.map(word => cut(word, vocabulary));
  const letters = words.reduce((sum, { length }) => sum + length, 0);
  const missed = cuts.reduce((sum, each) => sum + each.missed, 0);
  const ideas = new Set(cuts.flatMap(({ found }) => found.map(word => vocabulary.get(word)!)));
  return { ideas, known: letters === 0 ? 0 : 1 - missed / letters };
}

type Cut = { found: string[]; missed: number; cost: number };

/**
 * Splits a word into known words, skipping as few letters as possible, then using as few words as possible.
 */
function cut(word: string, vocabulary: Vocabulary): Cut {
  const best: Cut[] = [{ found: [], missed: 0, cost: 0 }];
  for (let end = 1; end <= word.length; end++) {
    const before = best[end - 1]!;
    let least: Cut = { found: before.found, missed: before.missed + 1, cost: before.cost + 3 };
    for (let start = 0; start < end; start++) {
      const part = word.slice(start, end);
      // A single letter has a meaning only on its own.
      if (!vocabulary.has(part) || (part.length === 1 && /[a-z]/.test(part) && part !== word)) continue;
      const { found, missed, cost } = best[start]!;
      if (cost + 1 < least.cost) least = { found: [...found, part], missed, cost: cost + 1 };
    }
    best.push(least);
  }
  return best[word.length]!;
}

/** Possible full names of a truncated name: MAILING_CI was MAILING_CITY. */
export function completions(name: string, vocabulary: Vocabulary): { whole: string; letters: number }[] {
  const found = new Map<string, { whole: string; letters: number }>();
  // Only the last word may be incomplete, unless it is as short as T.
  const last = cut(wordsOf(name).at(-1) ?? '', vocabulary);
  const known = last.missed === 0 ? last.found.at(-1)?.length : undefined;
  for (let letters = known ?? 1; letters <= (known ?? name.length); letters++) {
    const [start, end] = [name.slice(0, -letters), name.slice(-letters).toLowerCase()];
    if (!/^[a-z]+$/.test(end)) break;
    for (const [word, idea] of vocabulary)
      if (word.length > letters && word.length > MIN_WHOLE && word.startsWith(end))
        found.set(`${letters} ${idea}`, { whole: start + inCaseOf(start, word), letters });
  }
  return [...found.values()].filter(({ whole }) => matchVocabulary(whole, vocabulary).known === 1);
}

/** A capital after a lowercase letter starts a word. */
const inCaseOf = (start: string, word: string): string => (/[A-Z]$/.test(start) ? word.toUpperCase() : word);

/** Shorter words are abbreviations rather than truncated names. */
const MIN_WHOLE = 3;
