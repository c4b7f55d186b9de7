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
  if (x < 0) return 0 - roundToHundredths(-x);
  const scaled = x * 100 + 0; // + 0 makes 0 of -0
  const down = Math.floor(scaled);
  const pastTie = scaled - down - 0.5;
  if (Math.abs(pastTie) <= scaled * TIE_DOUBT) return reachesTie(x, down) ? down + 1 : down;
  return pastTie > 0 ? down + 1 : down;
}

/** `x` rounded to 2 decimals: the double nearest to the rounded decimal. */
export function round2(x: number): number {
  return roundToHundredths(x) / 100;
}

/**
 * Whether `x`, read to 15 digits, is at least `down` and a half hundredths. Below 1e12 the tie itself has at most 15 digits,
 * so a double no more than one unit in the last place (2.2e-16) below it reads as the tie: half a unit of the 15th digit is
 * at least 5e-16 of x. That settles the ties that occur, such as the mean of 1.00 and 1.01; the digits settle the rest.
 */
function reachesTie(x: number, down: number): boolean {
  if (x < 1e12 && x * (1 + Number.EPSILON) >= (down + 0.5) / 100) return true;
  return hundredthsOfDecimal(x.toPrecision(15)) > down;
}

function hundredthsOfDecimal(decimal: string): number {
  const dot = decimal.indexOf('.');
  if (dot < 0 || decimal.includes('e')) return Number(decimal) * 100;
  const hundredths =
    Number(decimal.slice(0, dot)) * 100 + Number(decimal.slice(dot + 1, dot + 3).padEnd(2, '0'));
  return decimal.charAt(dot + 3) >= '5' ? hundredths + 1 : hundredths;
}
