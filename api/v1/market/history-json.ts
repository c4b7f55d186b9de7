import { FIGURE_KEYS, type FigureKey } from '../../../shared/model/market-metrics.ts';
import { type BucketValues, placeOf } from './market-figures.ts';

/** Large enough for all figures and months, at 25 characters and a comma each. */
const scratch = Buffer.alloc(256 * 1024);
const OPENING = new Map(FIGURE_KEYS.map(key => [key, `${JSON.stringify(key)}:[`]));

const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const COMMA = 44;
const CLOSING = 93;
const NULL = Buffer.from('null').readUInt32LE();

/**
 * Returns the same bytes as `JSON.stringify({ ...head, keys: { key: [value per row] } })`, in a third of the
 * time. Figures are whole numbers and hundredths, which are faster to write than doubles.
 */
export function historyJson(
  head: object,
  keys: readonly FigureKey[],
  rows: readonly (BucketValues | null)[],
): Buffer {
  const opening = `${JSON.stringify(head).slice(0, -1)},"keys":{`;
  let at = 0;
  for (const key of new Set(keys)) {
    if (at > 0) scratch[at++] = COMMA;
    at += scratch.write(OPENING.get(key)!, at);
    const place = placeOf(key);
    for (const values of rows) {
      at = writeValue(values?.[place] ?? Number.NaN, at);
      scratch[at++] = COMMA;
    }
    scratch[at - 1] = CLOSING;
  }
  at += scratch.write('}}', at);
  return Buffer.concat([Buffer.from(opening), scratch.subarray(0, at)]);
}

/** @returns the position after the value */
function writeValue(value: number, from: number): number {
  if (Number.isNaN(value)) return scratch.writeUInt32LE(NULL, from);
  const size = value < 0 ? -value : value;
  // Division is fastest with 32-bit integers.
  const units = (size * 100 + 0.5) | 0;
  if (units / 100 !== size) return from + scratch.write(String(value), from);
  let at = from;
  if (value < 0) scratch[at++] = MINUS;
  let whole = (units / 100) | 0;
  const rest = units % 100;
  let end = at + 1;
  for (let more = whole; more > 9; more = (more / 10) | 0) end++;
  for (at = end - 1; whole > 9; at--) {
    const tens = (whole / 10) | 0;
    scratch[at] = ZERO + whole - tens * 10;
    whole = tens;
  }
  scratch[at] = ZERO + whole;
  if (rest === 0) return end;
  const tenths = (rest / 10) | 0;
  const hundredths = rest - tenths * 10;
  scratch[end++] = POINT;
  scratch[end++] = ZERO + tenths;
  if (hundredths > 0) scratch[end++] = ZERO + hundredths;
  return end;
}
