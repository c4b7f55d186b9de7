/**
 * A double relatively this close to a tie is decided by its decimal digits: reading it to 15 digits
 * moves it by 5e-15.
 */
const TIE_DOUBT = 1e-14;

/**
 * Rounds to 2 decimals, half away from zero, as PostgreSQL's `round(x::numeric, 2)` does: the double is read
 * as its nearest decimal of 15 digits (float8_numeric), so 1.005, which it holds as 1.00499…, gives 1.01.
 * From 1e12 on an exact tie goes up here and to even there.
 */
export function round2(x: number): number {
  if (x < 0) return 0 - round2(-x);
  const scaled = x * 100 + 0; // + 0 makes 0 of -0
  const down = Math.floor(scaled);
  const pastTie = scaled - down - 0.5;
  const isDoubtful = Math.abs(pastTie) <= scaled * TIE_DOUBT;
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
