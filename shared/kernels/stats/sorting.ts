/** Ascending sorts of the first `count` keys of a buffer; no NaN among them. */

/** Runs up to this length are sorted by insertion: fastest at 12 to 40 on Node 20, and a ZIP's samples seldom pass it. */
const INSERTION_RUN = 24;

export function sortKeys(keys: Float64Array, count: number): void {
  if (count > INSERTION_RUN) {
    keys.subarray(0, count).sort();
    return;
  }
  for (let i = 1; i < count; i++) {
    const key = keys[i]!;
    let j = i - 1;
    while (j >= 0 && keys[j]! > key) {
      keys[j + 1] = keys[j]!;
      j--;
    }
    keys[j + 1] = key;
  }
}

export type TaggedKeys = { keys: Float64Array; tags: Uint8Array };

/**
 * Sorts keys and carries each one's tag along. Stable bottom-up merge sort; `spare` is as large as `data`. Returns the
 * one of the two that holds the result.
 */
export function sortTagged(data: TaggedKeys, spare: TaggedKeys, count: number): TaggedKeys {
  for (let from = 0; from < count; from += INSERTION_RUN) {
    insertionSort(data, from, Math.min(from + INSERTION_RUN, count));
  }
  let source = data;
  let target = spare;
  for (let width = INSERTION_RUN; width < count; width *= 2) {
    for (let from = 0; from < count; from += 2 * width) {
      merge(source, target, from, Math.min(from + width, count), Math.min(from + 2 * width, count));
    }
    [source, target] = [target, source];
  }
  return source;
}

function insertionSort({ keys, tags }: TaggedKeys, from: number, to: number): void {
  for (let i = from + 1; i < to; i++) {
    const key = keys[i]!;
    const tag = tags[i]!;
    let j = i - 1;
    while (j >= from && keys[j]! > key) {
      keys[j + 1] = keys[j]!;
      tags[j + 1] = tags[j]!;
      j--;
    }
    keys[j + 1] = key;
    tags[j + 1] = tag;
  }
}

/** Merges the sorted ranges [from, middle) and [middle, to) of `source` into [from, to) of `target`. */
function merge(source: TaggedKeys, target: TaggedKeys, from: number, middle: number, to: number): void {
  const { keys, tags } = source;
  let left = from;
  let right = middle;
  for (let at = from; at < to; at++) {
    const takeLeft = left < middle && (right >= to || keys[left]! <= keys[right]!);
    const taken = takeLeft ? left++ : right++;
    target.keys[at] = keys[taken]!;
    target.tags[at] = tags[taken]!;
  }
}
