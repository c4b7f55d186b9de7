import { uuidText } from './uuid.ts';

/**
 * The comps of a valuation, packed into 28 bytes per comp, big endian: the listing's id (16 bytes); the size,
 * time, location, asking-price, and land adjustments, each the natural logarithm of its factor in 5,000ths as
 * a signed 16-bit integer (factors from 0.0014 to 700, to 0.01%; -32,768 if there is no adjustment for land);
 * the weight in 65,535ths as an unsigned 16-bit integer.
 */
const COMP_BYTES = 28;
const STEP_SCALE = 5_000;
const MAX_STORED_STEPS = 0x7fff;
const NO_VALUE = -0x8000;
const WHOLE_WEIGHT = 0xffff;

/**
 * Comps in columns. Only the first `count` entries are used. Adjustments are natural logarithms of their
 * factors, or NaN if there is none.
 */
export type CompColumns = {
  count: number;
  /** Index of the comp's id in `ids`. */
  source: Int32Array;
  size: Float64Array;
  time: Float64Array;
  location: Float64Array;
  asking: Float64Array;
  land: Float64Array;
  weight: Float64Array;
};

export type ExplainedComp = {
  id: string;
  sizePercent: number;
  timePercent: number;
  locationPercent: number;
  askingPercent: number;
  /** Null if there is no adjustment for land. */
  landPercent: number | null;
  weight: number;
};

export const packedBytes = ({ count }: CompColumns) => count * COMP_BYTES;

/** @param ids the listing ids, 16 bytes each */
export function packComps(comps: CompColumns, ids: Uint8Array, into: DataView, offset: number): void {
  for (let i = 0; i < comps.count; i++) {
    const at = offset + i * COMP_BYTES;
    const id = comps.source[i]! * 16;
    for (let byte = 0; byte < 16; byte++) into.setUint8(at + byte, ids[id + byte]!);
    into.setInt16(at + 16, stepsOf(comps.size[i]!));
    into.setInt16(at + 18, stepsOf(comps.time[i]!));
    into.setInt16(at + 20, stepsOf(comps.location[i]!));
    into.setInt16(at + 22, stepsOf(comps.asking[i]!));
    into.setInt16(at + 24, Number.isNaN(comps.land[i]!) ? NO_VALUE : stepsOf(comps.land[i]!));
    into.setUint16(at + 26, Math.round(comps.weight[i]! * WHOLE_WEIGHT));
  }
}

export function unpackComps(bytes: Buffer): ExplainedComp[] {
  return Array.from({ length: bytes.length / COMP_BYTES }, (_, i) => {
    const at = i * COMP_BYTES;
    const land = bytes.readInt16BE(at + 24);
    return {
      id: uuidText(bytes.toString('hex', at, at + 16)),
      sizePercent: percentOf(bytes.readInt16BE(at + 16)),
      timePercent: percentOf(bytes.readInt16BE(at + 18)),
      locationPercent: percentOf(bytes.readInt16BE(at + 20)),
      askingPercent: percentOf(bytes.readInt16BE(at + 22)),
      landPercent: land === NO_VALUE ? null : percentOf(land),
      weight: bytes.readUInt16BE(at + 26) / WHOLE_WEIGHT,
    };
  });
}

/** Factors out of range are clamped. */
const stepsOf = (log: number): number =>
  Math.max(-MAX_STORED_STEPS, Math.min(MAX_STORED_STEPS, Math.round(STEP_SCALE * log)));
const percentOf = (steps: number) => 100 * Math.expm1(steps / STEP_SCALE);

/**
 * An adjustment in percent, rounded as stored, so that the app shows the same number everywhere. @param log
 * natural logarithm of its factor
 */
export const shownPercent = (log: number): number => percentOf(stepsOf(log));
/** A weight from 0 to 1, rounded as stored. */
export const shownWeight = (weight: number): number => Math.round(weight * WHOLE_WEIGHT) / WHOLE_WEIGHT;
