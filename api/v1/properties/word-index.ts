/**
 * Words to be searched for pieces of text: where in them which three characters stand. A megabyte of words takes 4 more
 * for that and 30 ms to make; a piece is then found in 0.02 ms instead of the 0.5 ms of a search through all of them.
 */
export type WordIndex = {
  /** Separated and enclosed by spaces. */
  words: string;
  /** The places of all threes without a space, by their hash: those of hash h from starts[h] to starts[h + 1], ascending. */
  places: Int32Array;
  starts: Int32Array;
};

const SPACE = 32;

/** @param words separated and enclosed by spaces, which none of them holds */
export function indexWords(words: string): WordIndex {
  const starts = new Int32Array(bucketsFor(words.length) + 1);
  forEachThree(words, starts.length - 1, bucket => {
    starts[bucket + 1]!++;
  });
  for (let bucket = 1; bucket < starts.length; bucket++) starts[bucket]! += starts[bucket - 1]!;
  const places = new Int32Array(starts.at(-1)!);
  const next = starts.slice();
  forEachThree(words, starts.length - 1, (bucket, at) => {
    places[next[bucket]!++] = at;
  });
  return { words, places, starts };
}

/** The room that it takes: two bytes a character where not all are Latin-1. */
export function indexBytes({ words, places, starts }: WordIndex): number {
  return words.length * 2 + places.byteLength + starts.byteLength;
}

/**
 * The words that hold a piece of text, each once; undefined where they are more than wanted.
 * @param piece without a space
 */
export function wordsHolding(index: WordIndex, piece: string, most: number): string[] | undefined {
  const { words } = index;
  const holding: string[] = [];
  let end = 0;
  for (const at of placesOf(index, piece)) {
    // The same word once more.
    if (at < end) continue;
    if (holding.length === most) return undefined;
    end = words.indexOf(' ', at);
    holding.push(words.slice(words.lastIndexOf(' ', at) + 1, end));
  }
  return holding;
}

/** Where the piece stands in the words, ascending. */
function* placesOf({ words, places, starts }: WordIndex, piece: string): Generator<number> {
  if (piece.length < 3) {
    for (let at = words.indexOf(piece); at >= 0; at = words.indexOf(piece, at + 1)) yield at;
    return;
  }
  let offset = 0;
  let from = 0;
  let to = Number.POSITIVE_INFINITY;
  forEachThree(piece, starts.length - 1, (bucket, at) => {
    if (starts[bucket + 1]! - starts[bucket]! >= to - from) return;
    [offset, from, to] = [at, starts[bucket]!, starts[bucket + 1]!];
  });
  for (let i = from; i < to; i++) if (words.startsWith(piece, places[i]! - offset)) yield places[i]! - offset;
}

/** A power of two, about as many as there are words of eight characters. */
const bucketsFor = (length: number) => 2 ** Math.max(4, Math.ceil(Math.log2(length / 8)));

function forEachThree(text: string, buckets: number, visit: (bucket: number, at: number) => void): void {
  const shift = 32 - Math.log2(buckets);
  let [first, second] = [SPACE, SPACE];
  for (let at = 0; at < text.length; at++) {
    const third = text.charCodeAt(at);
    if (first !== SPACE && second !== SPACE && third !== SPACE) {
      // Multiplication by the golden ratio: Knuth, The Art of Computer Programming, volume 3, section 6.4.
      visit(Math.imul((first * 31 + second) * 31 + third, 0x9e3779b1) >>> shift, at - 2);
    }
    first = second;
    second = third;
  }
}
