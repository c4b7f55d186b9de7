/**
 * The comps of a valuation as bytes, 28 a comp, the most significant byte first: the listing's id (16); size, time,
 * location and asking-price adjustments in tenths of a percent, each a signed 16-bit integer, and two bytes for those to
 * come; the weight in ten-thousandths (unsigned, 16 bits).
 */
const COMP_BYTES = 28;
const MOST_TENTHS = 0x7fff;

export type PackedComp = {
  /** Where the 16 bytes of its id begin in the ids. */
  index: number;
  sizePercent: number;
  timePercent: number;
  locationPercent: number;
  askingPercent: number;
  weight: number;
};

export type ExplainedComp = Omit<PackedComp, 'index'> & { id: string };

/** @param ids 16 bytes for every listing, by index */
export function packComps(comps: readonly PackedComp[], ids: Uint8Array): Buffer {
  const bytes = Buffer.alloc(comps.length * COMP_BYTES);
  for (const [i, comp] of comps.entries()) {
    const at = i * COMP_BYTES;
    bytes.set(ids.subarray(comp.index * 16, (comp.index + 1) * 16), at);
    bytes.writeInt16BE(tenths(comp.sizePercent), at + 16);
    bytes.writeInt16BE(tenths(comp.timePercent), at + 18);
    bytes.writeInt16BE(tenths(comp.locationPercent), at + 20);
    bytes.writeInt16BE(tenths(comp.askingPercent), at + 22);
    bytes.writeUInt16BE(Math.round(comp.weight * 10_000), at + 26);
  }
  return bytes;
}

export function unpackComps(bytes: Buffer): ExplainedComp[] {
  return Array.from({ length: bytes.length / COMP_BYTES }, (_, i) => {
    const at = i * COMP_BYTES;
    const hex = bytes.toString('hex', at, at + 16);
    return {
      id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
      sizePercent: bytes.readInt16BE(at + 16) / 10,
      timePercent: bytes.readInt16BE(at + 18) / 10,
      locationPercent: bytes.readInt16BE(at + 20) / 10,
      askingPercent: bytes.readInt16BE(at + 22) / 10,
      weight: bytes.readUInt16BE(at + 26) / 10_000,
    };
  });
}

/** A comp that was moved by more than 3,276 % is shown as moved by that. */
function tenths(percent: number): number {
  return Math.max(-MOST_TENTHS, Math.min(MOST_TENTHS, Math.round(percent * 10)));
}
