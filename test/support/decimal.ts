/** Exact rational arithmetic on BigInt: a simple, slow reference for rounding and averages. */
export type Fraction = { over: bigint; under: bigint };

const bits = new DataView(new ArrayBuffer(8));

/** The exact value of a finite double. */
export function exactly(x: number): Fraction {
  bits.setFloat64(0, x);
  const raw = bits.getBigUint64(0);
  const exponent = Number((raw >> 52n) & 0x7ffn);
  const fraction = raw & 0xfffffffffffffn;
  const significand = exponent === 0 ? fraction : fraction | 0x10000000000000n;
  const shift = BigInt(Math.max(exponent, 1) - 1075);
  const signed = x < 0 ? -significand : significand;
  return shift >= 0n ? { over: signed << shift, under: 1n } : { over: signed, under: 1n << -shift };
}

export function add(a: Fraction, b: Fraction): Fraction {
  if (a.under === b.under) return { over: a.over + b.over, under: a.under };
  return { over: a.over * b.under + b.over * a.under, under: a.under * b.under };
}

export function times(a: Fraction, b: Fraction): Fraction {
  return { over: a.over * b.over, under: a.under * b.under };
}

export function divide(a: Fraction, b: Fraction): Fraction {
  return b.over < 0n
    ? { over: -a.over * b.under, under: -a.under * b.over }
    : { over: a.over * b.under, under: a.under * b.over };
}

export function total(values: Fraction[]): Fraction {
  return values.reduce(add, { over: 0n, under: 1n });
}

/**
 * Rounds to the nearest multiple of 10^power, with half away from zero, and returns the number of those
 * multiples.
 */
function nearestMultiple({ over, under }: Fraction, power: number): bigint {
  const scale = 10n ** BigInt(Math.abs(power));
  const n = power < 0 ? over * scale : over;
  const d = power < 0 ? under : under * scale;
  const magnitude = ((n < 0n ? -n : n) * 2n + d) / (2n * d);
  return n < 0n ? -magnitude : magnitude;
}

/**
 * Reads the value to 15 significant digits, then rounds that number to 2 decimals, with half away from zero.
 */
export function roundDecimal(value: Fraction): number {
  if (value.over === 0n) return 0;
  let power = -400;
  let digits = nearestMultiple(value, power);
  const lengthOf = (n: bigint) => n.toString().replace('-', '').length;
  power += lengthOf(digits) - 15;
  digits = nearestMultiple(value, power);
  const decimal: Fraction =
    power >= 0
      ? { over: digits * 10n ** BigInt(power), under: 1n }
      : { over: digits, under: 10n ** BigInt(-power) };
  return Number(`${nearestMultiple(decimal, -2)}e-2`);
}
