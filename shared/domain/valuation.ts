/**
 * The comps of a valuation as bytes, 28 a comp, the most significant byte first: the listing's id (16); size, time,
 * location and asking-price adjustments, each the natural logarithm of its factor in 5,000ths as a signed 16-bit integer
 * (0.0067 to 700 times, to 0.01 %), and two bytes for those to come; the weight in 65,535ths (unsigned, 16 bits).
 */
const COMP_BYTES = 28;
const STEPS = 5_000;
const MOST_STEPS = 0x7fff;
const WHOLE = 0xffff;

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
    bytes.writeInt16BE(stepsOf(comp.sizePercent), at + 16);
    bytes.writeInt16BE(stepsOf(comp.timePercent), at + 18);
    bytes.writeInt16BE(stepsOf(comp.locationPercent), at + 20);
    bytes.writeInt16BE(stepsOf(comp.askingPercent), at + 22);
    bytes.writeUInt16BE(Math.round(comp.weight * WHOLE), at + 26);
  }
  return bytes;
}

export function unpackComps(bytes: Buffer): ExplainedComp[] {
  return Array.from({ length: bytes.length / COMP_BYTES }, (_, i) => {
    const at = i * COMP_BYTES;
    const hex = bytes.toString('hex', at, at + 16);
    return {
      id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
      sizePercent: percentOf(bytes.readInt16BE(at + 16)),
      timePercent: percentOf(bytes.readInt16BE(at + 18)),
      locationPercent: percentOf(bytes.readInt16BE(at + 20)),
      askingPercent: percentOf(bytes.readInt16BE(at + 22)),
      weight: bytes.readUInt16BE(at + 26) / WHOLE,
    };
  });
}

/** A factor beyond what fits is shown as the largest or smallest that does. */
function stepsOf(percent: number): number {
  const steps = Math.round(STEPS * Math.log1p(percent / 100));
  return Math.max(-MOST_STEPS, Math.min(MOST_STEPS, steps));
}

const percentOf = (steps: number) => 100 * Math.expm1(steps / STEPS);
