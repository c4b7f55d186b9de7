import { ACRE_BUCKETS } from './buckets.ts';
import { FIGURE_KEYS, METRIC_KEYS } from './market-metrics.ts';
import type { RegionStats } from './market-stats.ts';

/**
 * Encodes a region's figures: the number of figures per bucket, then the block number of each bucket (0 if it
 * has no listings), then the blocks. Buckets with the same listings share a block. A block has its length, a
 * two-bit code per figure, and the figures that are not null and don't repeat one of the previous two.
 * Repeats are common in neighboring time windows and range ends.
 */
const NULL = 0;
const AS_BEFORE = 1;
const AS_SECOND_BEFORE = 2;
const WRITTEN = 3;

/** The number of figures, then one byte per bucket. */
const HEADER_BYTES = 1 + ACRE_BUCKETS.length;
const LENGTH_BYTES = 2;

type Bucket = NonNullable<RegionStats['buckets'][number]>;
/** The number of listings in a bucket, then the figures in the order of FIGURE_KEYS. */
type Figures = (number | null)[];

export function packStats({ buckets }: RegionStats): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const blocks: Buffer[] = [];
  const numbers = new Map<object, number>();
  header[0] = FIGURE_KEYS.length;
  buckets.forEach((bucket, i) => {
    if (bucket === null) return;
    const number = numbers.get(bucket) ?? blocks.push(packBucket(bucket));
    numbers.set(bucket, number);
    header[1 + i] = number;
  });
  return Buffer.concat([header, ...blocks]);
}

const scratch = Buffer.alloc(1024);

function packBucket({ listings, data, more }: Bucket): Buffer {
  const figures: Figures = [listings, ...Object.values(data), ...Object.values(more)];
  const codes = LENGTH_BYTES;
  let at = codes + Math.ceil(figures.length / 4);
  scratch.fill(0, codes, at);
  figures.forEach((figure, i) => {
    const code = codeOf(figures, i);
    scratch[codes + (i >> 2)]! |= code << (2 * (i & 3));
    if (code === WRITTEN) at = writeNumber(figure!, at);
  });
  scratch.writeUInt16LE(at, 0);
  return Buffer.from(scratch.subarray(0, at));
}

function codeOf(figures: Figures, i: number): number {
  const figure = figures[i]!;
  if (figure === null) return NULL;
  if (figure === figures[i - 1]) return AS_BEFORE;
  return figure === figures[i - 2] ? AS_SECOND_BEFORE : WRITTEN;
}

/**
 * Writes a number in seven bits per byte, lowest first. The lowest bit distinguishes hundredths from whole
 * numbers. The next bit is the sign. Any other number is written as 2 ("minus 0") followed by a double.
 */
function writeNumber(figure: number, from: number): number {
  const whole = Number.isInteger(figure) && Number.isSafeInteger(4 * figure);
  const units = Math.abs(whole ? figure : Math.round(100 * figure));
  const exact = whole || (Number.isSafeInteger(4 * units) && units / 100 === Math.abs(figure));
  if (!exact) {
    scratch[from] = 2;
    return scratch.writeDoubleLE(figure, from + 1);
  }
  let rest = 4 * units + (figure < 0 ? 2 : 0) + (whole ? 0 : 1);
  let at = from;
  for (; rest > 127; rest = Math.floor(rest / 128)) scratch[at++] = 128 + (rest % 128);
  scratch[at++] = rest;
  return at;
}

/**
 * The number of listings in a bucket, then the figures in the order of FIGURE_KEYS. Null figures are NaN,
 * because numbers mixed with nulls would be stored as objects. Returns null for a bucket without listings.
 */
export function unpackFigures(packed: Buffer, bucket: number): number[] | null {
  const number = packed[1 + bucket]!;
  if (number === 0) return null;
  const count = 1 + packed[0]!;
  let block = HEADER_BYTES;
  for (let n = 1; n < number; n++) block += packed.readUInt16LE(block);
  const codes = block + LENGTH_BYTES;
  let at = codes + Math.ceil(count / 4);
  const figures: number[] = [];
  for (let i = 0; i < count; i++) {
    const code = (packed[codes + (i >> 2)]! >> (2 * (i & 3))) & 3;
    if (code === WRITTEN) figures.push(readNumber());
    else figures.push(code === NULL ? Number.NaN : figures[i - (code === AS_BEFORE ? 1 : 2)]!);
  }
  return figures;

  function readNumber(): number {
    if (packed[at] === 2) {
      at += 9;
      return packed.readDoubleLE(at - 8);
    }
    let value = 0;
    let factor = 1;
    for (let more = true; more; factor *= 128) {
      const byte = packed[at++]!;
      value += (byte & 127) * factor;
      more = byte > 127;
    }
    const units = Math.floor(value / 4);
    const size = value % 2 === 0 ? units : units / 100;
    return value % 4 > 1 ? -size : size;
  }
}

/**
 * Returns a figure from unpackFigures. Null if unknown, or if its key didn't exist when the figures were
 * packed.
 */
export function figureAt(figures: readonly number[], place: number): number | null {
  const figure = figures[place];
  return figure === undefined || Number.isNaN(figure) ? null : figure;
}

/**
 * Unpacks a region. Includes only the keys that existed when it was packed, because new keys are added at the
 * end.
 * @param asOf the date in the response
 */
export function unpackStats(packed: Buffer, asOf: string | null): RegionStats {
  const keys = FIGURE_KEYS.slice(0, packed[0]);
  const buckets = ACRE_BUCKETS.map((_, i) => {
    const figures = unpackFigures(packed, i);
    if (figures === null) return null;
    const entries = keys.map((key, k) => [key, figureAt(figures, 1 + k)] as const);
    return {
      listings: figures[0]!,
      data: Object.fromEntries(entries.slice(0, METRIC_KEYS.length)),
      more: Object.fromEntries(entries.slice(METRIC_KEYS.length)),
    };
  });
  return { asOf, buckets: buckets as RegionStats['buckets'] };
}
