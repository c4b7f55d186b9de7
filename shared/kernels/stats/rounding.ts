/**
 * Rounding to 2 decimals, half away from zero, defined on decimals rather than on binary fractions: the double is first
 * read as its nearest decimal of 15 significant digits, and that decimal is rounded. So 1.005, which a double holds as
 * 1.00499999999999989…, rounds to 1.01, and two computations that differ in the last bits give the same figure.
 *
 * It is what PostgreSQL's `round(x::numeric, 2)` does: float8 -> numeric prints DBL_DIG = 15 digits (utils/adt/numeric.c,
 * float8_numeric). From 1e12 on, where 15 digits leave fewer than 3 decimals, an exact tie in the 15th digit goes up here
 * and to even there.
 */

/**
 * A double this close to a tie, relatively, is decided by its decimal digits. Reading it to 15 digits moves it by at most
 * 5e-15 of itself and multiplying by 100 by 1.1e-16; 1e-14 covers both.
 */
const TIE_DOUBT = 1e-14;

/** `x` in whole hundredths, exact up to 2^53 of them. */
export function roundToHundredths(x: number): number {
  if (x < 0) return -roundToHundredths(-x);
  const scaled = x * 100;
  const down = Math.floor(scaled);
  const pastTie = scaled - down - 0.5;
  if (Math.abs(pastTie) <= scaled * TIE_DOUBT) return hundredthsOfDecimal(x);
  return pastTie > 0 ? down + 1 : down;
}

/** `x` rounded to 2 decimals: the double nearest to the rounded decimal. */
export function round2(x: number): number {
  return roundToHundredths(x) / 100;
}

function hundredthsOfDecimal(x: number): number {
  if (x >= 1e15) return Math.round(x) * 100;
  const decimal = x.toPrecision(15);
  const dot = decimal.indexOf('.');
  if (dot < 0) return Number(decimal) * 100;
  const hundredths = Number(decimal.slice(0, dot)) * 100 + Number(decimal.slice(dot + 1, dot + 3).padEnd(2, '0'));
  return decimal.charAt(dot + 3) >= '5' ? hundredths + 1 : hundredths;
}
