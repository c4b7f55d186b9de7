/**
 * Zigzag and varint of Protocol Buffers, for numbers of 32 bits, and the reading of counts.
 * https://protobuf.dev/programming-guides/encoding/#varints
 */

/** A varint of 32 bits takes at most 5 bytes. */
export const MAX_VARINT = 5;

/** Signed to unsigned, so that small numbers of either sign are short. */
export function zigzag(n: number): number {
  return ((n << 1) ^ (n >> 31)) >>> 0;
}

export function unzigzag(n: number): number {
  return (n >>> 1) ^ -(n & 1);
}

/** Writes an unsigned number from `start` on and returns where the next one goes. */
export function putVarint(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  let rest = value;
  while (rest > 127) {
    bytes[at++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  return at;
}

/** Bytes, how far they are read, and what they are, for messages. */
export type Cursor = { bytes: Uint8Array; at: number; what: string };

export function readVarint(cursor: Cursor): number {
  let value = 0;
  for (let shift = 0; shift < 7 * MAX_VARINT; shift += 7) {
    const byte = cursor.bytes[cursor.at++];
    if (byte === undefined) throw new Error(`${cursor.what} bytes are cut short at ${cursor.bytes.length}`);
    value |= (byte & 127) << shift;
    if (byte < 128) return value >>> 0;
  }
  throw new Error(`${cursor.what} bytes hold a number of more than 32 bits before byte ${cursor.at}`);
}

/** A count of things that each take at least one byte more, so a damaged count cannot ask for gigabytes. */
export function readCount(cursor: Cursor): number {
  const count = readVarint(cursor);
  const left = cursor.bytes.length - cursor.at;
  if (count > left)
    throw new Error(`${cursor.what} bytes are cut short: ${count} items announced, ${left} bytes left`);
  return count;
}
