/**
 * If a value is this close to a tie, relative to its size, its decimal digits decide, because reading a
 * double to 15 digits changes it by up to 5e-15.
 */
const TIE_TOLERANCE = 1e-14;

/**
 * Rounds to 2 decimals, half away from zero, like PostgreSQL's `round(x::numeric, 2)`. A double is first read
 * to 15 digits, so that 1.005, stored as 1.00499…, gives 1.01. Starting at 1e12, exact ties are rounded up
 * here, but to even in PostgreSQL.
 */
export function round2(x: number): number {
  if (x < 0) return 0 - round2(-x);
  const scaled = x * 100 + 0; // + 0 turns -0 into 0
  const down = Math.floor(scaled);
  const pastTie = scaled - down - 0.5;
  const isDoubtful = Math.abs(pastTie) <= scaled * TIE_TOLERANCE;
  const goesUp = isDoubtful ? hundredthsOfDecimal(x.toPrecision(15)) > down : pastTie > 0;
  return (goesUp ? down + 1 : down) / 100;
}

function hundredthsOfDecimal(decimal: string): number {
  const dot = decimal.indexOf('.');
  if (dot < 0 || decimal.includes('e')) return Number(decimal) * 100;
  const hundredths =
    Number(decimal.slice(0, dot)) * 100 + Number(decimal.slice(dot + 1, dot + 3).padEnd(2, '0'));
  return decimal.charAt(dot + 3) >= '5' ? hundredths + 1 : hundredths;
}
