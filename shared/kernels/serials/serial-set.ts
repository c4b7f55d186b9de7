/**
 * Parcels of one county by their serials (property_id - fips * 100,000,000), a bit each: serial s is bit s % 32 of word
 * s / 32. A county of 2,000,000 parcels takes 250 KB, and counting or intersecting sets of it a tenth of a millisecond.
 */
export type SerialSet = Uint32Array;

const SERIAL_BYTES = 4;
const WORD_BYTES = 4;

/** Serials as they are stored: 4 bytes each, the most significant first, in any order, or a bit each (`toBitmap`). */
export type StoredSerials = { serials: Uint8Array; is_bitmap: boolean };

/** The serials of all lists together. */
export function unionOf(lists: readonly StoredSerials[]): SerialSet {
  const stored = lists.map(opened);
  const set = emptySet(largestOf(stored));
  for (const list of stored) addAll(set, list);
  return set;
}

/** Grown when needed and cleared before use: a fresh quarter of a megabyte for each word costs more than filling it. */
let scratch: SerialSet = new Uint32Array(0);

/** Takes what none of the lists has out of the set. */
export function keepOnly(set: SerialSet, lists: readonly StoredSerials[]): void {
  const stored = lists.map(opened);
  const needed = Math.max(set.length, emptyLength(largestOf(stored)));
  if (scratch.length < needed) scratch = new Uint32Array(needed);
  else scratch.fill(0, 0, needed);
  for (const list of stored) addAll(scratch, list);
  for (let at = 0; at < set.length; at++) set[at]! &= scratch[at]!;
}

type Opened = { view: DataView; is_bitmap: boolean };

function opened({ serials, is_bitmap }: StoredSerials): Opened {
  return { view: new DataView(serials.buffer, serials.byteOffset, serials.byteLength), is_bitmap };
}

/** The largest serial that there may be; -1 for none. */
function largestOf(lists: readonly Opened[]): number {
  let largest = -1;
  for (const { view, is_bitmap } of lists) {
    if (is_bitmap) largest = Math.max(largest, view.byteLength * 8 - 1);
    else
      for (let at = 0; at < view.byteLength; at += SERIAL_BYTES)
        largest = Math.max(largest, view.getInt32(at));
  }
  return largest;
}

function addAll(set: SerialSet, { view, is_bitmap }: Opened): void {
  for (let at = 0; at < view.byteLength; at += SERIAL_BYTES) {
    if (is_bitmap) set[at / WORD_BYTES]! |= view.getUint32(at, true);
    else add(set, view.getInt32(at));
  }
}

export function serialSetOf(serials: readonly number[]): SerialSet {
  const set = emptySet(serials.reduce((a, b) => Math.max(a, b), -1));
  for (const serial of serials) add(set, serial);
  return set;
}

/** The set as bytes: bit s % 8 of byte s / 8 stands for serial s; a multiple of 4 bytes. */
export function toBitmap(set: SerialSet): Uint8Array {
  const bytes = new Uint8Array(set.length * WORD_BYTES);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < set.length; at++) view.setUint32(at * WORD_BYTES, set[at]!, true);
  return bytes;
}

/** With room for serials up to `largest`; -1 for none. */
function emptySet(largest: number): SerialSet {
  return new Uint32Array(emptyLength(largest));
}

const emptyLength = (largest: number) => (largest + 32) >>> 5;

function add(set: SerialSet, serial: number): void {
  set[serial >>> 5]! |= 1 << (serial & 31);
}

export function sizeOf(set: SerialSet): number {
  let size = 0;
  for (let at = 0; at < set.length; at++) size += onesIn(set[at]!);
  return size;
}

/** Up to `count` members from `from` upwards, in order, after `skip` of them. */
export function membersFrom(set: SerialSet, from: number, skip: number, count: number): number[] {
  const members: number[] = [];
  let left = skip;
  for (let at = from >>> 5; at < set.length && members.length < count; at++) {
    let word = set[at]!;
    if (at === from >>> 5) word &= -1 << (from & 31);
    const ones = onesIn(word);
    if (ones <= left) {
      left -= ones;
      continue;
    }
    for (; word !== 0 && members.length < count; word &= word - 1) {
      if (left > 0) left--;
      else members.push(at * 32 + 31 - Math.clz32(word & -word));
    }
  }
  return members;
}

/** Up to `count` members below `below`, the nearest first. */
export function membersBelow(set: SerialSet, below: number, count: number): number[] {
  const members: number[] = [];
  for (let at = Math.min(below >>> 5, set.length - 1); at >= 0 && members.length < count; at--) {
    let word = set[at]!;
    if (at === below >>> 5) word &= ~(-1 << (below & 31));
    while (word !== 0 && members.length < count) {
      const bit = 31 - Math.clz32(word);
      members.push(at * 32 + bit);
      word &= ~(1 << bit);
    }
  }
  return members;
}

/** Henry S. Warren, Hacker's Delight, 2nd edition, section 5-1. */
function onesIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
