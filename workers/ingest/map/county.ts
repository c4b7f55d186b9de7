import { allCounties, fiveDigits } from '../../../shared/regions/counties.ts';
import { isFailure, shown } from '../validate/failure.ts';
import type { CompiledColumn } from './column.ts';
import { type Refused, refused } from './fields.ts';

let codes: ReadonlySet<number> | undefined;

/** Whether a county of this FIPS code exists. */
export function isKnownCounty(fips: number): boolean {
  codes ??= new Set(allCounties().map(county => county.fips));
  return codes.has(fips);
}

/** Connecticut's planning regions took the place of its counties (87 FR 34235). */
export const noSuchCounty = (fips: number): string =>
  `${fiveDigits(fips)} is the FIPS code of no county${Math.floor(fips / 1000) === 9 ? "; Connecticut's are those of its planning regions, 09110 to 09190" : ''}`;

export type CountyOf = (source: Record<string, unknown>) => number | Refused;

/**
 * The county of a row: the feed's, the row's own, or a refusal when the row's is missing, unknown, or not the feed's.
 */
export function compileCounty(
  feedFips: number | null,
  column: CompiledColumn | null,
  isCounty: (fips: number) => boolean,
): CountyOf {
  if (feedFips !== null && !isCounty(feedFips)) {
    const fault = refused('fips', 'unknown_fips', noSuchCounty(feedFips));
    return () => fault;
  }
  const missing = refused('fips', 'missing_fips', 'the row does not say its county');
  if (column === null) return () => feedFips ?? missing;
  return source => {
    const fips = column.read(source);
    if (fips === null) return feedFips ?? missing;
    if (isFailure(fips))
      return refused('fips', 'unknown_fips', `'${shown(column.raw(source))}' ${fips.says}`);
    const code = Number(fips);
    if (code === feedFips) return code;
    if (feedFips !== null) {
      return refused(
        'fips',
        'wrong_fips',
        `${fiveDigits(code)} is not the feed's county ${fiveDigits(feedFips)}`,
      );
    }
    return isCounty(code) ? code : refused('fips', 'unknown_fips', noSuchCounty(code));
  };
}
