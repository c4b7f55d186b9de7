/**
 * Many byte strings as one parameter of a statement, which takes each out with `substring(bytes from start for length)`:
 * node-postgres sends a Buffer as it is, an array of them as hexadecimal text of twice the size.
 */
export function packBodies(bodies: readonly Uint8Array[]): {
  starts: number[];
  lengths: number[];
  bytes: Buffer;
} {
  const starts: number[] = [];
  const lengths: number[] = [];
  let at = 1;
  for (const { length } of bodies) {
    starts.push(at);
    lengths.push(length);
    at += length;
  }
  return { starts, lengths, bytes: Buffer.concat(bodies) };
}
