import { median } from '../stats/order-statistics.ts';
import { DAYS_A_YEAR, type Fitted } from './market.ts';
import { FEWEST, LEAST_MAD, MAD_SHARE, MOST, MOST_Z, YEAR_DAYS } from './screen.ts';

/**
 * What the latest sales of a county say of the next one: the middle of their ln(price per acre), brought to one acre and
 * the model's day by the county's effects, and the median distance from it.
 */
export type Window = { fips: number; elasticity: number; trend: number; middle: number; spread: number };

export type LateSale = { county: number; day: number; acres: number; price: number };

/**
 * The windows by which sales that come after the fit are screened: of each county the sales of the year before the
 * model's day, filled up and bounded as for the others. A county with fewer sales than that has none.
 */
export function windowsOf({ sales, asOfDay, effectsOf }: Fitted): Window[] {
  const windows: Window[] = [];
  // Sales stand by county and day.
  for (let first = 0; first < sales.county.length; ) {
    const fips = sales.county[first]!;
    let end = first;
    let recent = 0;
    for (; end < sales.county.length && sales.county[end] === fips; end++)
      if (sales.day[end]! > asOfDay - YEAR_DAYS) recent++;
    const size = Math.min(MOST, Math.max(FEWEST, recent));
    const { elasticity, trend } = effectsOf(fips);
    if (end - first >= size) {
      const levels = Float64Array.from({ length: size }, (_, i) => {
        const at = end - size + i;
        return (
          sales.logPpa[at]! -
          elasticity * sales.logAcres[at]! +
          (trend * (asOfDay - sales.day[at]!)) / DAYS_A_YEAR
        );
      });
      const middle = median(levels.sort())!;
      const spread = median(levels.map(level => Math.abs(level - middle)).sort())!;
      windows.push({ fips, elasticity, trend, middle, spread: Math.max(LEAST_MAD, spread) });
    }
    first = end;
  }
  return windows;
}

/** Whether a sale that came after the fit lies as far from the sales of its county as the outliers of the fit. */
export function isLateOutlier(windows: readonly Window[], asOfDay: number, sale: LateSale): boolean {
  const window = windows.find(({ fips }) => fips === sale.county);
  if (window === undefined) return false;
  const logAcres = Math.log(sale.acres);
  const level =
    Math.log(sale.price) -
    logAcres -
    window.elasticity * logAcres +
    (window.trend * (asOfDay - sale.day)) / DAYS_A_YEAR;
  return (MAD_SHARE * Math.abs(level - window.middle)) / window.spread > MOST_Z;
}
