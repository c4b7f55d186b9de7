/**
 * Parcels of one county by their serials (property_id - fips * 100,000,000): ascending, each once. Work on them costs
 * in proportion to the parcels that are found, not to the county; the scratch bitmap, a bit a serial, is a quarter of a
 * megabyte for 2,000,000 parcels and is left as empty as it was found.
 */
export type Serials = Int32Array;

/** Serials as they are stored: 4 bytes each, the most significant first, in any order, or as `toBitmap` gives them. */
export type StoredSerials = { serials: Uint8Array; is_bitmap: boolean };

const SERIAL_BYTES = 4;

/** From here on a pass over a bitmap is faster than sorting. */
const MANY = 2_000;

let scratch = new Uint32Array(0);

/** The serials of all lists together. */
export function unionOf(lists: readonly StoredSerials[]): Serials {
  const numbers = lists.filter(({ is_bitmap }) => !is_bitmap).map(viewOf);
  const bytes = numbers.reduce((sum, view) => sum + view.byteLength, 0);
  if (numbers.length === lists.length && bytes < MANY * SERIAL_BYTES)
    return sortedOnce(joined(numbers, bytes));

  const bitmaps = lists.filter(({ is_bitmap }) => is_bitmap).map(({ serials }) => serials);
  const largest = Math.max(-1, ...numbers.map(largestIn), ...bitmaps.map(bitmap => bitmap.length * 8 - 1));
  makeRoomFor(largest);
  for (const view of numbers) {
    for (let at = 0; at < view.byteLength; at += SERIAL_BYTES) {
      const serial = view.getInt32(at);
      scratch[serial >>> 5]! |= 1 << (serial & 31);
    }
  }
  for (const bitmap of bitmaps)
    for (let at = 0; at < bitmap.length; at++) scratch[at >>> 2]! |= bitmap[at]! << ((at & 3) * 8);
  return takeOut(largest);
}

/** The serials of the bitmap, which is empty afterwards. */
function takeOut(largest: number): Serials {
  const words = (largest >>> 5) + 1;
  let size = 0;
  for (let at = 0; at < words; at++) size += onesIn(scratch[at]!);
  const serials = new Int32Array(size);
  let count = 0;
  for (let at = 0; at < words; at++) {
    for (let bits = scratch[at]!; bits !== 0; bits &= bits - 1)
      serials[count++] = at * 32 + 31 - Math.clz32(bits & -bits);
    scratch[at] = 0;
  }
  return serials;
}

/** Those of the serials that one of the lists has. */
export function narrowed(serials: Serials, lists: readonly StoredSerials[]): Serials {
  if (serials.length === 0) return serials;
  const largest = serials.at(-1)!;
  makeRoomFor(largest);
  const found = new Uint8Array(serials.length);
  for (const list of lists.filter(({ is_bitmap }) => is_bitmap)) {
    for (let i = 0; i < serials.length; i++) {
      const serial = serials[i]!;
      if (((list.serials[serial >>> 3] ?? 0) >>> (serial & 7)) & 1) found[i] = 1;
    }
  }
  // What the other lists have of the serials: a bit is set while its serial is wanted, and taken away when it is met.
  for (const serial of serials) scratch[serial >>> 5]! |= 1 << (serial & 31);
  for (const view of lists.filter(({ is_bitmap }) => !is_bitmap).map(viewOf)) {
    for (let at = 0; at < view.byteLength; at += SERIAL_BYTES) {
      const serial = view.getInt32(at);
      if (serial <= largest) scratch[serial >>> 5]! &= ~(1 << (serial & 31));
    }
  }
  const kept = serials.filter(
    (serial, i) => found[i] === 1 || ((scratch[serial >>> 5]! >>> (serial & 31)) & 1) === 0,
  );
  for (const serial of serials) scratch[serial >>> 5] = 0;
  return kept;
}

export function serialsOf(serials: readonly number[]): Serials {
  return sortedOnce(Int32Array.from(serials));
}

/** The place of the first serial that is `serial` or more; the length when there is none. */
export function placeOf(serials: Serials, serial: number): number {
  let low = 0;
  let high = serials.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (serials[middle]! < serial) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Bit s % 8 of byte s / 8 stands for serial s. */
export function toBitmap(serials: Serials): Uint8Array {
  const bytes = new Uint8Array(((serials.at(-1) ?? -1) + 8) >>> 3);
  for (const serial of serials) bytes[serial >>> 3]! |= 1 << (serial & 7);
  return bytes;
}

const viewOf = ({ serials }: StoredSerials) =>
  new DataView(serials.buffer, serials.byteOffset, serials.byteLength);

function joined(views: readonly DataView[], bytes: number): Int32Array {
  const all = new Int32Array(bytes / SERIAL_BYTES);
  let count = 0;
  for (const view of views)
    for (let at = 0; at < view.byteLength; at += SERIAL_BYTES) all[count++] = view.getInt32(at);
  return all;
}

function largestIn(view: DataView): number {
  let largest = -1;
  for (let at = 0; at < view.byteLength; at += SERIAL_BYTES) largest = Math.max(largest, view.getInt32(at));
  return largest;
}

function sortedOnce(serials: Int32Array): Serials {
  serials.sort();
  return serials.filter((serial, at) => at === 0 || serial !== serials[at - 1]);
}

function makeRoomFor(largest: number): void {
  const needed = (largest >>> 5) + 1;
  if (scratch.length < needed) scratch = new Uint32Array(needed);
}

/** Henry S. Warren, Hacker's Delight, 2nd edition, section 5-1. */
function onesIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
