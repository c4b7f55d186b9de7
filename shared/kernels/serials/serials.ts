/**
 * Parcels of one county by their serials (property_id - fips * 100,000,000), each once: as an ascending list or, where
 * that takes less room, as bits, serial s in bit s % 32 of word s / 32. A quarter of a megabyte of bits holds any choice
 * of 2,000,000 parcels, and is united, counted and cut in about a millisecond. Nothing changes them once made.
 */
export type Serials = { size: number; list: Int32Array } | { size: number; bits: Int32Array };

/** Serials as they are stored: 4 bytes each, the most significant first, in any order, or as `toBitmap` gives them. */
export type StoredSerials = { serials: Uint8Array; is_bitmap: boolean };

const SERIAL_BYTES = 4;

/** From here on a pass over a bitmap is faster than sorting. */
const MANY = 2_000;

/** Room to unite lists in; as empty between two uses as it was found. */
let scratch = new Int32Array(0);

export const NONE: Serials = { size: 0, list: new Int32Array(0) };

/** The serials of all lists together. */
export function unionOf(lists: readonly StoredSerials[]): Serials {
  const numbers = lists.filter(({ is_bitmap }) => !is_bitmap).map(viewOf);
  const bytes = numbers.reduce((sum, view) => sum + view.byteLength, 0);
  if (numbers.length === lists.length && bytes < MANY * SERIAL_BYTES)
    return sortedOnce(joined(numbers, bytes));

  const bitmaps = lists.filter(({ is_bitmap }) => is_bitmap).map(({ serials }) => serials);
  const largest = Math.max(-1, ...numbers.map(largestIn), ...bitmaps.map(bitmap => bitmap.length * 8 - 1));
  makeRoomFor(largest);
  for (const view of numbers) addList(scratch, view);
  for (const bitmap of bitmaps) addBitmap(scratch, bitmap);
  const used = scratch.subarray(0, (largest >>> 5) + 1);
  const union = ofBits(used);
  used.fill(0);
  return union;
}

/** The serials that both have: a walk over the shorter list, or over the bits. */
export function commonOf(one: Serials, other: Serials): Serials {
  if ('bits' in one && 'bits' in other) return commonBits(one.bits, other.bits);
  if ('bits' in one || ('list' in other && other.size < one.size)) return commonOf(other, one);
  const common = new Int32Array(one.size);
  let size = 0;
  if ('bits' in other) {
    const { bits } = other;
    for (const serial of one.list)
      if ((((bits[serial >>> 5] ?? 0) >>> (serial & 31)) & 1) === 1) common[size++] = serial;
  } else {
    let at = 0;
    for (const serial of one.list) {
      at = firstFrom(other.list, serial, at);
      if (other.list[at] === serial) common[size++] = serial;
    }
  }
  return { size, list: common.slice(0, size) };
}

function commonBits(one: Int32Array, other: Int32Array): Serials {
  const common = new Int32Array(Math.min(one.length, other.length));
  for (let at = 0; at < common.length; at++) common[at] = one[at]! & other[at]!;
  return ofBits(common);
}

/** As many serials as wanted, from the one at a place (the first is at 0) on, ascending. */
export function takenFrom(serials: Serials, place: number, count: number): number[] {
  if ('list' in serials) return [...serials.list.subarray(place, place + count)];
  const { bits } = serials;
  let before = 0;
  for (let at = 0; at < bits.length; at++) {
    const here = onesIn(bits[at]!);
    if (before + here > place) {
      const taken = takenAfter(serials, at * 32 - 1, place - before + count);
      return taken.slice(place - before);
    }
    before += here;
  }
  return [];
}

/** The next serials beyond one that need not be there, ascending. */
export function takenAfter(serials: Serials, serial: number, count: number): number[] {
  if ('list' in serials) return takenFrom(serials, firstFrom(serials.list, serial + 1), count);
  const taken: number[] = [];
  const first = serial + 1;
  for (let at = first >>> 5; at < serials.bits.length && taken.length < count; at++) {
    let word = serials.bits[at]!;
    if (at === first >>> 5) word &= -1 << (first & 31);
    for (; word !== 0 && taken.length < count; word &= word - 1) taken.push(at * 32 + lowestIn(word));
  }
  return taken;
}

/** The last serials before one that need not be there, descending. */
export function takenBefore(serials: Serials, serial: number, count: number): number[] {
  if ('list' in serials) {
    const end = firstFrom(serials.list, serial);
    return [...serials.list.subarray(Math.max(0, end - count), end)].reverse();
  }
  const { bits } = serials;
  const taken: number[] = [];
  for (let at = Math.min(serial >>> 5, bits.length - 1); at >= 0 && taken.length < count; at--) {
    let word = bits[at]!;
    if (at === serial >>> 5) word &= ~(-1 << (serial & 31));
    while (word !== 0 && taken.length < count) {
      const highest = 31 - Math.clz32(word);
      taken.push(at * 32 + highest);
      word &= ~(1 << highest);
    }
  }
  return taken;
}

export function serialsOf(serials: readonly number[]): Serials {
  return sortedOnce(Int32Array.from(serials));
}

/** All of them, ascending. */
export function allOf(serials: Serials): number[] {
  return takenFrom(serials, 0, serials.size);
}

/** The room that they take. */
export function bytesOf(serials: Serials): number {
  return 'list' in serials ? serials.list.byteLength : serials.bits.byteLength;
}

/** Bit s % 8 of byte s / 8 stands for serial s. */
export function toBitmap(serials: Serials): Uint8Array {
  const last = takenBefore(serials, MAX_SERIAL, 1)[0] ?? -1;
  const bytes = new Uint8Array((last + 8) >>> 3);
  if ('list' in serials) for (const serial of serials.list) bytes[serial >>> 3]! |= 1 << (serial & 7);
  else for (let at = 0; at < bytes.length; at++) bytes[at] = serials.bits[at >>> 2]! >>> ((at & 3) * 8);
  return bytes;
}

const MAX_SERIAL = 2 ** 31 - 1;

// A loop to a function: V8 optimises a function of several long ones in the middle of the first, and begins anew after it.
function addList(bits: Int32Array, view: DataView): void {
  for (let at = 0; at < view.byteLength; at += SERIAL_BYTES) {
    const serial = view.getInt32(at);
    bits[serial >>> 5]! |= 1 << (serial & 31);
  }
}

function addBitmap(bits: Int32Array, bitmap: Uint8Array): void {
  for (let at = 0; at < bitmap.length; at++) bits[at >>> 2]! |= bitmap[at]! << ((at & 3) * 8);
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
  return ofList(serials.filter((serial, at) => at === 0 || serial !== serials[at - 1]));
}

const ofList = (list: Int32Array): Serials => ({ size: list.length, list });

/** A copy of the bits, or their list. */
function ofBits(bits: Int32Array): Serials {
  const size = countOf(bits);
  return size > bits.length ? { size, bits: bits.slice() } : { size, list: listOf(bits, size) };
}

function countOf(bits: Int32Array): number {
  let count = 0;
  for (let at = 0; at < bits.length; at++) count += onesIn(bits[at]!);
  return count;
}

function listOf(bits: Int32Array, size: number): Int32Array {
  const list = new Int32Array(size);
  let count = 0;
  for (let at = 0; at < bits.length; at++)
    for (let word = bits[at]!; word !== 0; word &= word - 1) list[count++] = at * 32 + lowestIn(word);
  return list;
}

/** The place of the first serial that is `serial` or more, `start` or later: strides that double, then halves. */
function firstFrom(list: Int32Array, serial: number, start = 0): number {
  let stride = 1;
  let low = start;
  while (low + stride < list.length && list[low + stride]! < serial) {
    low += stride;
    stride *= 2;
  }
  let high = Math.min(list.length, low + stride + 1);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]! < serial) low = middle + 1;
    else high = middle;
  }
  return low;
}

function makeRoomFor(largest: number): void {
  const needed = (largest >>> 5) + 1;
  if (scratch.length < needed) scratch = new Int32Array(needed);
}

const lowestIn = (word: number) => 31 - Math.clz32(word & -word);

/** Henry S. Warren, Hacker's Delight, 2nd edition, section 5-1. */
function onesIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
